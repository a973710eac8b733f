from __future__ import annotations

from pathlib import Path

import pytest

from albeit.errors import InputError, LanguageError
from albeit.metrics.connectives.lexicons import CLASSIC, inventory, lexicon, pairs, read_lexicon
from albeit.metrics.connectives.lexicons.find import Detector
from albeit.metrics.connectives.lexicons.lexicon import Form
from albeit.metrics.connectives.lexicons.lint import check
from albeit.metrics.connectives.lexicons.load import read_dimlex
from albeit.metrics.connectives.lexicons.words import cut

HEADER = "#: source=en target=de version=1\n"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "lexicon.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_package_has_four_pairs_and_a_hundred_connectives() -> None:
    assert pairs() == ["en-ar", "en-de", "en-fr", "en-it"]
    assert len(inventory("en").connectives) >= 100
    for pair in pairs():
        assert set(CLASSIC) <= set(lexicon(*pair.split("-")).entries)
    for pair in ("en-de", "en-fr"):
        assert len(lexicon(*pair.split("-")).entries) >= 100


@pytest.mark.parametrize("pair", ["en-ar", "en-de", "en-fr", "en-it"])
def test_shipped_lexicons_have_no_errors(pair: str) -> None:
    from importlib import resources

    path = str(resources.files("albeit.metrics.connectives.lexicons") / "data" / f"{pair}.tsv")
    assert [str(f) for f in check(path, inventory("en")) if f.level == "error"] == []


@pytest.mark.parametrize("pair", ["en-ar", "en-de", "en-fr", "en-it"])
def test_no_translation_of_the_eight_is_hidden(pair: str) -> None:
    from importlib import resources

    path = resources.files("albeit.metrics.connectives.lexicons") / "data" / f"{pair}.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    found = check(str(path), inventory("en"), hidden=True)
    assert [str(f) for f in found if lines[f.line - 1].split("\t")[0] in CLASSIC] == []


def test_hidden_forms_are_found(tmp_path: Path) -> None:
    text = (
        "#: source=en target=fr version=1\n"
        "although\tComparison.Concession\ten dépit de | bien que\n"
        "even though\tComparison.Concession\ten dépit du fait que | bien que\n"
        "since\tContingency.Cause\tdu fait que\n"
    )
    path = write(tmp_path, text)
    assert check(path, inventory("en"), hidden=True) == []  # found as "en dépit de"
    path = write(tmp_path, text + "!\t\ten dépit du fait que | si bien que\n")
    (finding,) = check(path, inventory("en"), hidden=True)
    assert str(finding) == (
        "2: warning: 'en dépit de' is hidden in 'en dépit du fait que', which stands on line 3"
        " for 'even though' and not for 'although'"
    )
    assert check(path, inventory("en")) == []


def test_counts_senses_and_doubt(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        HEADER + "yet\tComparison.Concession\tdoch (66) | dabei (10?) | immerhin\n"
        "yet\tComparison.Contrast\tdoch (66)\n!\t\twie auch immer\n",
    )
    found = read_lexicon(path)
    doch, dabei, immerhin = found.entries["yet"]
    assert doch.senses == ("Comparison.Concession", "Comparison.Contrast")
    assert (doch.count, doch.doubtful) == (66, False)
    assert (dabei.count, dabei.doubtful) == (10, True)
    assert immerhin.count is None
    assert [str(form) for form in found.blocked] == ["wie auch immer"]
    assert found.senses("yet", Form.parse("DOCH", "de")) == doch.senses
    assert found.senses("since", doch.form) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("yet\tComparison.Contrast\tdoch\n", r"lexicon.tsv:1: .*does not give source="),
        (HEADER + "yet\tComparison.Contrast\tdoch | Doch\n", r":2: 'Doch' is listed twice"),
        (HEADER + "yet\tComparison.Sadness\tdoch\n", r":2: unknown sense 'Comparison.Sadness'"),
        (HEADER + "yet\n", r":2: 1 columns where 3 belong"),
        (HEADER + "yet\tComparison.Contrast\tzwar …\n", r":2: the form 'zwar …' has an empty"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_lexicon(write(tmp_path, text))


def test_missing_file_and_missing_pair(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the lexicon"):
        read_lexicon(tmp_path / "none.tsv")
    with pytest.raises(LanguageError, match=r"no connective lexicon for en-ja.*induce"):
        lexicon("en", "ja")
    with pytest.raises(LanguageError, match="no list of connectives for source language 'cs'"):
        inventory("cs")


def test_the_linter_finds_what_it_should(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        HEADER + "yet\tContrasts\tdoch\n"
        "jet\tComparison.Contrast\tdoch\n"
        "yet\tComparison.Contrast\t--- | aber | ABER (3)\n"
        "yet\tComparison.Contrast\taber\n"
        "yet\tContingency.Cause\tdenn\n",
    )
    found = [str(f) for f in check(path, inventory("en"))]
    for message in (
        "2: error: unknown sense 'Contrasts'.",
        "3: error: 'jet' is not in the list of connectives",
        "4: error: '---' has no word and cannot match",
        "4: error: 'ABER' is listed twice on this line",
        "5: error: 'aber' stands on line 4 already",
        "6: warning: 'yet' does not have the sense Contingency.Cause there",
    ):
        assert message in found


XML = """<dimlex>
<entry id="1" word="zwar…aber"><orths>
 <orth type="discont"><part type="single">zwar</part><part type="single">aber</part></orth>
 <orth type="discont"><part type="single">Zwar</part><part type="single">aber</part></orth></orths>
 <syn><sem><pdtb3_relation sense="COMPARISON:Concession:arg2-as-denier"/></sem>
 <sem><pdtb3_relation sense="contrast"/></sem></syn></entry>
<entry id="2" word="denn"><orths><orth><part>denn</part></orth></orths></entry>
</dimlex>"""


def test_parts_variants_and_senses(tmp_path: Path) -> None:
    path = tmp_path / "d.xml"
    path.write_text(XML, encoding="utf-8")
    found = read_dimlex(path, "de")
    assert list(found.connectives) == ["zwar … aber", "denn"]
    senses = found.connectives["zwar … aber"].senses
    assert senses == ("Comparison.Concession", "Comparison.Contrast")
    assert found.connectives["denn"].senses == ()
    detected = Detector(found)(cut("Zwar gut, aber teuer, denn neu", "de"))
    assert [c.name for c in detected] == ["zwar … aber", "denn"]


@pytest.mark.parametrize(
    ("written", "senses"),
    [
        ("concession-arg2-as-denier", ("Comparison.Concession",)),
        ("negative-condition-arg1-as-consequent", ("Contingency.Negative-condition",)),
        ("cause-reason", ("Contingency.Cause",)),
        ("Expansion.Level-of-detail.Arg2-as-detail", ("Expansion.Level-of-detail",)),
        ("EXPANSION:Specification:Arg1-as-detail(Summarization)", ()),
        ("", ()),
    ],
)
def test_third_levels_are_dropped(tmp_path: Path, written: str, senses: tuple[str, ...]) -> None:
    path = tmp_path / "d.xml"
    text = f'<dimlex><entry word="x"><pdtb3_relation sense="{written}"/></entry></dimlex>'
    path.write_text(text, encoding="utf-8")
    assert read_dimlex(path, "de").connectives["x"].senses == senses


@pytest.mark.parametrize(
    ("text", "message"),
    [("<dimlex>", "not well-formed"), ("<lex/>", "root is <lex>"), ("<dimlex/>", "no entries")],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "d.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_dimlex(path, "de")
    with pytest.raises(InputError, match="cannot read"):
        read_dimlex(tmp_path / "none.xml", "de")
