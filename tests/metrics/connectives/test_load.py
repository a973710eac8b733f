"""Lexicons in the package and in files, in both directions."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit import EvalSet, score
from albeit.errors import InputError, LanguageError
from albeit.metrics.connectives import CLASSIC, Detector, Form, cut, load
from albeit.metrics.connectives.build import check

HEADER = "#: source=en target=de version=1\n"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "lexicon.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_shipped_lexicons() -> None:
    assert load.pairs() == ["en-ar", "en-de", "en-fr", "en-it"]
    assert len(load.inventory("en").connectives) >= 100
    sizes = {pair: len(load.lexicon(*pair.split("-")).entries) for pair in load.pairs()}
    assert min(sizes["en-de"], sizes["en-fr"]) >= 100
    for pair in load.pairs():
        assert set(CLASSIC) <= set(load.lexicon(*pair.split("-")).entries)
        findings = check(str(load.DATA / f"{pair}.tsv"), load.inventory("en"))
        assert [str(finding) for finding in findings if finding.level == "error"] == []


def test_counts_senses_and_doubt(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        HEADER + "yet\tComparison.Concession\tdoch (66) | dabei (10?) | immerhin\n"
        "yet\tComparison.Contrast\tdoch (66)\n!\t\twie auch immer\n",
    )
    found = load.read_lexicon(path)
    doch, dabei, immerhin = found.entries["yet"]
    assert doch.senses == ("Comparison.Concession", "Comparison.Contrast")
    assert (doch.count, doch.doubtful) == (66, False)
    assert (dabei.count, dabei.doubtful) == (10, True)
    assert immerhin.count is None
    assert [str(form) for form in found.blocked] == ["wie auch immer"]
    assert found.senses("yet", Form.parse("DOCH", "de")) == doch.senses
    assert found.senses("since", doch.form) == ()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("l.tsv", "yet\tComparison.Contrast\tdoch\n", r"l.tsv:1: .*does not give source="),
        ("l.tsv", HEADER + "yet\tComparison.Contrast\tdoch | Doch\n", ":2: 'Doch' is listed twice"),
        ("l.tsv", HEADER + "yet\tComparison.Sadness\tdoch\n", ":2: unknown sense 'Comparison.Sad"),
        ("l.tsv", HEADER + "yet\n", ":2: 1 columns instead of 3"),
        ("l.tsv", HEADER + "yet\tComparison.Contrast\tzwar …\n", "the form 'zwar …' has an empty"),
        ("l.tsv", None, "cannot read the lexicon"),
        ("d.xml", "<dimlex>", "not well-formed"),
        ("d.xml", "<lex/>", "root is <lex>"),
        ("d.xml", "<dimlex/>", "no entries"),
        ("n.xml", '<dimlex><entry word="ach"/></dimlex>', "no entry has a sense"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, name: str, text: str | None, message: str) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load.read_lexicon(path) if name == "l.tsv" else load.supplied(str(path), ("en", "de"))


XML = """<dimlex>
<entry id="1" word="zwar…aber"><orths>
 <orth type="discont"><part type="single">zwar</part><part type="single">aber</part></orth>
 <orth type="discont"><part type="single">Zwar</part><part type="single">aber</part></orth></orths>
 <syn><sem><pdtb3_relation sense="COMPARISON:Concession:arg2-as-denier"/></sem>
 <sem><pdtb3_relation sense="contrast"/></sem></syn></entry>
<entry id="2" word="denn"><orths><orth><part>denn</part></orth></orths></entry>
</dimlex>"""


def test_parts_variants_and_senses(tmp_path: Path) -> None:
    path = write(tmp_path, XML)
    found = load.read_dimlex(path, "de")
    senses = {name: each.senses for name, each in found.connectives.items()}
    assert senses == {"zwar … aber": ("Comparison.Concession", "Comparison.Contrast"), "denn": ()}
    detected = Detector(found)(cut("Zwar gut, aber teuer, denn neu", "de"))
    assert [c.name for c in detected] == ["zwar … aber", "denn"]


@pytest.mark.parametrize(
    ("written", "senses"),
    [
        ("concession-arg2-as-denier", ("Comparison.Concession",)),
        ("Expansion.Level-of-detail.Arg2-as-detail", ("Expansion.Level-of-detail",)),
        ("EXPANSION:Specification:Arg1-as-detail(Summarization)", ()),
        ("", ()),
    ],
)
def test_third_levels_are_dropped(tmp_path: Path, written: str, senses: tuple[str, ...]) -> None:
    text = f'<dimlex><entry word="x"><pdtb3_relation sense="{written}"/></entry></dimlex>'
    assert load.read_dimlex(write(tmp_path, text), "de").connectives["x"].senses == senses


FORWARD = (
    "#: source=en target=de version=7\n"
    "although\tComparison.Concession\tobwohl (180)\nalthough\tComparison.Contrast\taber (36)\n"
    "but\tComparison.Contrast\taber\nbut\tComparison.Concession\taber\n"
    "but\tContingency.Cause\talso (1?)\n!\t\twenn aber\n"
)


def test_a_lexicon_in_the_other_direction(tmp_path: Path) -> None:
    forward = load.read_lexicon(write(tmp_path, FORWARD))
    known, back = load.reverse(forward)
    assert (back.source_lang, back.target_lang, back.version) == ("de", "en", "7")
    words = {name: [t.text for t in found] for name, found in back.entries.items()}
    assert words == {"obwohl": ["although"], "aber": ["although", "but"]}  # "also" is doubtful
    senses = forward.senses("but", Form.parse("aber", "de"))
    assert back.senses("aber", Form.parse("but", "en")) == senses
    assert known.connectives["aber"].senses == ("Comparison.Contrast", "Comparison.Concession")
    assert "wenn aber" in known.connectives  # takes its words from "aber", and is no entry itself


@pytest.mark.parametrize("language", load.REVERSED)
def test_every_reversed_language(language: str) -> None:
    known, back = load.direction(language, "en")
    assert known.language == language
    assert set(back.entries) <= set(known.connectives)
    assert len(back.entries) > 50
    assert all(t.form.parts for _, t in back)


@pytest.mark.parametrize(
    ("languages", "message"),
    [
        (("en", "ja"), r"no connective lexicon for en-ja.*de-en, fr-en, it-en.*induce"),
        (("ar", "en"), "no connective lexicon for ar-en"),
    ],
)
def test_missing_languages(languages: tuple[str, str], message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        load.direction(*languages)


DIMLEX = """<?xml version="1.0"?>
<dimlex>
<entry word="obwohl"><syn>
<sem><pdtb3_relation sense="comparison:concession:arg1-as-denier"/></sem></syn></entry>
<entry word="weil"><syn><sem><pdtb3_relation sense="contingency:cause:reason"/></sem></syn></entry>
</dimlex>"""
ENGLISH = ("Although it rained, we left.", "He stayed, since he was ill.", "We slept.")
GERMAN = ("Obwohl es regnete, gingen wir.", "Er blieb, weil er krank war.", "Wir schliefen.")
WORSE = ("Weil es regnete, gingen wir.", "Er blieb, weil er krank war.", "Wir schliefen.")


def test_act_scores_by_it_in_both_directions(tmp_path: Path) -> None:
    dimlex = str(write(tmp_path, DIMLEX).rename(tmp_path / "de.xml"))
    name = f"act(alignment=no,connectives=all,lexicon={dimlex})"
    reverse_worse = ("Because it rained, we left.", *ENGLISH[1:])
    for reference, worse, source, languages in (
        (GERMAN, WORSE, ENGLISH, ("en", "de")),
        (ENGLISH, reverse_worse, GERMAN, ("de", "en")),
    ):
        systems = {"good": reference, "bad": worse}
        evalset = EvalSet({"r": reference}, systems, source, (), *languages)
        assert score(evalset, [name])[name].system.tolist() == [1.0, 0.5]
    with pytest.raises(LanguageError, match=r"not de-fr.*induce --dimlex"):
        load.supplied(dimlex, ("de", "fr"))
