"""Terms, worked by hand."""

from __future__ import annotations

import tarfile
import warnings
from pathlib import Path

import numpy as np
import pytest

from albeit import Document, EvalSet, explain, metric, read, score
from albeit.errors import AlbeitError, InputError
from albeit.metaeval.statistics import spearman
from albeit.metrics.glossary import find_term, read_glossary
from albeit.metrics.terms import aligned_words
from tests.metrics.documents import columns

SOURCE, REFERENCE, OTHER = columns("""
Die Bank schließt.          | The bank closes.             | The bank closes.
Der Kunde ruft die Bank an. | The customer calls the bank. | The customer calls the institute.
                            |                              |
Die Bank schweigt.          | The bank is silent.          | The bank is silent.
Der Kunde weint.            | The customer cries.          | The client cries.
""")
DOCUMENT = (Document("d", 0, 5),)


def made(source: bool, **systems: tuple[str, ...]) -> EvalSet:
    source_text, lang = (SOURCE, "de") if source else (None, None)
    return EvalSet({"ref": REFERENCE}, systems, source_text, DOCUMENT, lang, "en")


def test_a_word_between_those_of_its_neighbors() -> None:
    # word 1 is not aligned: between 0-0 and 2-3 is one content word, or two, or none
    assert aligned_words((1,), [(0, 0), (2, 3)], ["", "", "institut", "close"]) == [2]
    assert aligned_words((1,), [(0, 0), (2, 3)], ["", "new", "institut", "close"]) == []
    assert aligned_words((1,), [(0, 0), (2, 1)], ["", "close", "institut"]) == []
    assert aligned_words((1,), [(1, 1)], ["", "bank", "institut"]) == [1]


@pytest.mark.parametrize("source", [True, False])
def test_a_document(source: bool) -> None:
    # Bank: bank, institute, bank keeps 1 of 2; Kunde: customer, client keeps 0 of 1
    texts = made(source, same=REFERENCE, other=OTHER)
    column = score(texts, [metric("terms")])["terms"]
    assert column.system.tolist() == [1, pytest.approx(1 / 3)]
    _, view = explain(texts, metric("terms"), documents=["d"])
    told = {loss.label.partition(":")[0].lower(): loss for loss in view.losses}
    bank, customer = ("bank", "kunde") if source else ("bank", "customer")
    assert told[bank].label.endswith("bank (lines 1, 4), institute (line 2)")
    assert told[bank].amount == pytest.approx(1 / 3)
    assert "client" in told[customer].label
    assert sum(loss.amount for loss in view.losses) == pytest.approx(1 - view.score)


def test_what_the_reference_varies_does_not_count() -> None:
    varied = (*REFERENCE[:4], "The client cries.")
    texts = EvalSet({"ref": varied}, {"other": OTHER}, SOURCE, DOCUMENT, "de", "en")
    (view,) = explain(texts, metric("terms"), documents=["d"])
    assert [loss.details["term"] for loss in view.losses] == ["Bank"]
    more = (
        (*SOURCE, "Der Kunde lacht.", "Der Mann singt.", "Die Frau ruft."),
        (*OTHER, "The client laughs.", "The man sings.", "The woman calls."),
    )
    alone = EvalSet({}, {"other": more[1]}, more[0], (Document("d", 0, 8),), "de", "en")
    (view,) = explain(alone, metric("terms"), documents=["d"])
    assert {loss.details["term"] for loss in view.losses} >= {"Bank", "Kunde"}


def test_a_glossary(tmp_path: Path) -> None:
    # Bank three times, twice as the glossary says; Kunde twice, customer or client are both right
    path = tmp_path / "terms.tsv"
    path.write_text("# ours\nBank\tbank\n\nKunde\tcustomer | client\nZins\tinterest\n")
    texts, name = made(True, same=REFERENCE, other=OTHER), f"terms(glossary={path})"
    assert score(texts, [name])[name].system.tolist() == [1, 4 / 5]
    _, view = explain(texts, name, documents=["d"])
    assert view.losses[0].label == "Bank: bank (lines 1, 4), – (line 2)"


def test_terms_of_a_glossary_are_found_in_any_inflection() -> None:
    assert find_term("interest rate", "Low interest rates fell.", "en") == (1, 2)
    assert find_term("rate", "It was great.", "en") == ()
    assert find_term("银行", "这家银行关门了。", "zh") == (0,)


@pytest.mark.parametrize(
    ("target", "right", "wrong"),
    [
        ("zh", "这家银行关门了。", "这家公司关门了。"),
        ("ja", "この銀行は閉まっています。", "この店は閉まっています。"),
        ("cs", "Ředitel této banky odešel.", "Ředitel této firmy odešel."),
        ("uk", "Директор цього банку пішов.", "Директор цієї фірми пішов."),
        ("hi", "यह बैंक बंद है।", "यह दुकान बंद है।"),
    ],
)
def test_a_glossary_for_any_language(tmp_path: Path, target: str, right: str, wrong: str) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text("Bank\t银行 | 銀行 | banka | банк | बैंक\n", encoding="utf-8")
    lines, source = {"right": (right,) * 2, "wrong": (right, wrong)}, ("Die Bank ist zu.",) * 2
    texts = EvalSet({}, lines, source, (Document("d", 0, 2),), "de", target)
    name = f"terms(glossary={path})"
    assert score(texts, [name])[name].system.tolist() == [1, 1 / 2]


def test_a_document_on_one_line(tmp_path: Path) -> None:
    """Occurrences count in the whole text, but each translation only once."""
    path = tmp_path / "terms.tsv"
    path.write_text("Bank\tbank\n")
    source = ("Eine Bank.", "Die Bank da.", "Noch eine Bank.")
    lines = {"s": ("One bank. The bank there.", "", "")}
    texts = EvalSet({}, lines, source, (Document("d", 0, 3),), "de", "en")
    name = f"terms(glossary={path})"
    assert score(texts, [name])[name].system.tolist() == [2 / 3]
    (view,) = explain(texts, name, documents=["d"])
    assert view.losses[0].label == "Bank: bank (lines 1, 2), – (line 3)"


@pytest.mark.shared
def test_the_official_consistency_of_wmt25(shared_data: Path, tmp_path: Path) -> None:
    """One of five years: ρ with the consistency with predefined terms, over 10 submissions."""
    wanted = "judgments-2/wmt25-terminology-2/zh-en/"
    with tarfile.open(shared_data / "judgments-2.tar.xz") as archive:
        members = [m for m in archive if m.name.startswith(wanted)]
        archive.extractall(tmp_path, members, filter="data")
    folder, glossary = tmp_path / wanted, tmp_path / "glossary.tsv"
    terms: dict[str, list[str]] = {}
    official: dict[str, float] = {}
    for line in (folder / "terms.tsv").read_text(encoding="utf-8").splitlines():
        year, kind, term, translation = line.split("\t")
        if (year, kind) == ("2016", "proper"):
            terms.setdefault(term, []).append(translation)
    for line in (folder / "consistency-by-year.tsv").read_text().splitlines()[1:]:
        system, year, *scores = line.split("\t")
        if year == "2016":
            official[system] = float(scores[4])
    lines = [f"{term}\t{' | '.join(found)}\n" for term, found in terms.items()]
    glossary.write_text("".join(lines), encoding="utf-8")
    with warnings.catch_warnings(action="ignore"):
        whole = read(folder, source_lang="zh", target_lang="en", systems=list(official))
    rows = [n for n, name in enumerate(whole.document_ids()) if name.startswith("2016")]
    found = score(whole.take(rows), [f"terms(glossary={glossary})"])
    (column,) = found.columns.values()
    assert spearman(column.system, [official[name] for name in found.systems]) > 0.9


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Bank bank\n", "1: not a term and its translations"),
        ("Bank\t\n", "1: not a term and its translations"),
        ("Bank\ta\nBank\tb\n", "2: 'Bank' is listed twice"),
        ("# nothing\n", "no entries"),
    ],
)
def test_bad_glossaries(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_glossary(path)


CHINESE = EvalSet({}, {"s": ("It is.",)}, ("是",), (Document("d", 0, 1),), "zh", "en")


@pytest.mark.parametrize(
    ("spec", "evalset", "message"),
    [
        ("terms", CHINESE, "a source in a language it knows"),
        ("terms(by=source)", CHINESE, "not in 'zh'"),
        ("terms(by=source)", made(False, same=REFERENCE), "needs the source"),
        ("terms(glossary=/nowhere.tsv)", made(True, same=REFERENCE), "cannot be read"),
    ],
)
def test_what_cannot_be_scored(spec: str, evalset: EvalSet, message: str) -> None:
    with pytest.raises(AlbeitError, match=message):
        score(evalset, [spec])


def test_a_document_without_repeated_terms_has_no_score() -> None:
    lines = ("The bank closes.", "It rains.")
    texts = EvalSet({"r": lines}, {"s": lines}, documents=(Document("a", 0, 2),))
    assert np.isnan(score(texts, ["terms"])["terms"].system).all()


def test_a_document_of_three_thousand_lines() -> None:
    lines = tuple(f"{n}: the bank closes, and it opens." for n in range(3000))
    other = (*lines[:-1], "2999: the shop closes, and it opens.")
    texts = EvalSet({"r": lines}, {"s": other}, documents=(Document("d", 0, 3000),))
    table = score(texts, [metric("terms"), metric("pronouns")])
    assert table["pronouns"].system.tolist() == [1]
    assert 0.999 < float(table["terms"].system[0]) < 1
