"""Check, count, and induce lexicons."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from albeit.errors import InputError
from albeit.metrics.connectives import Form
from albeit.metrics.connectives.build import annotate_counts, check, gather, induce, write_proposals
from albeit.metrics.connectives.load import DATA, inventory, read_lexicon


@pytest.mark.parametrize("pair", ["en-ar", "en-de", "en-fr", "en-it"])
def test_shipped_lexicons_have_no_errors(pair: str) -> None:
    path = str(DATA / f"{pair}.tsv")
    assert [str(f) for f in check(path, inventory("en")) if f.level == "error"] == []


def test_findings(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.tsv"
    path.write_text(
        "#: source=en target=de version=1\n"
        "yet\tContrasts\tdoch\n"
        "jet\tComparison.Contrast\tdoch\n"
        "yet\tComparison.Contrast\t--- | aber | ABER (3)\n"
        "yet\tComparison.Contrast\taber\n"
        "yet\tContingency.Cause\tdenn\n",
        encoding="utf-8",
    )
    found = [str(f) for f in check(path, inventory("en"))]
    for message in (
        "2: error: unknown sense 'Contrasts'.",
        "3: error: 'jet' is not in the list of connectives",
        "4: error: '---' has no word and cannot match",
        "4: error: 'ABER' is listed twice on this line",
        "5: error: 'aber' is already on line 4",
        "6: warning: 'yet' does not have the sense Contingency.Cause there",
    ):
        assert message in found


TEXT = (
    "#: source=en target=de version=1\n# kept\n"
    "although\tComparison.Concession\tobwohl (9) | als | obzwar\n!\t\tals ob\n"
)
PAIRS = (
    [("although it rains", "obwohl es regnet")] * 8
    + [("although late", "es war später als sonst")]
    + [("as before", "mehr als sonst")] * 12
    + [("as if", "als ob es wäre")] * 3
)


def test_counts_and_doubt(tmp_path: Path) -> None:
    path = tmp_path / "l.tsv"
    path.write_text(TEXT, encoding="utf-8")
    lexicon = read_lexicon(path)
    evidence = gather(lexicon, inventory("en"), PAIRS)
    obwohl = evidence["although", Form.parse("obwohl", "de")]
    assert (obwohl.together, obwohl.against) == (8, False)
    als = evidence["although", Form.parse("als", "de")]
    assert als.together == 1
    assert als.expected == 9 * 13 / 24  # "als ob" is not "als"
    assert als.against
    assert ("although", Form.parse("obzwar", "de")) not in evidence
    assert annotate_counts(path, evidence) == TEXT.replace("(9) | als |", "(8) | als (1?) |")


NOUNS = {"dogs": "perros", "cats": "gatos", "birds": "aves", "houses": "casas", "trees": "pinos"}
VERBS = {"sleep": "duermen", "run": "corren", "fall": "caen", "grow": "crecen"}
CONNECTIVES = [
    *(("because", "porque"), ("since", "porque"), ("since", "desde que")),
    *(("after", "desde que"), ("although", "aunque"), ("and", "y")),
]


def bitext(size: int = 240) -> list[tuple[str, str]]:
    """A language in which cause and time part what "since" joins."""
    generator = random.Random(4)
    pairs = []
    for _ in range(size):
        (a, aa), (b, bb) = generator.sample([*NOUNS.items()], 2)
        (x, xx), (y, yy) = generator.sample([*VERBS.items()], 2)
        word, said = generator.choice(CONNECTIVES)
        pairs.append((f"{a} {x} {word} {b} {y}", f"{aa} {xx} {said} {bb} {yy}"))
    return pairs


def test_forms_and_senses_are_proposed(tmp_path: Path) -> None:
    found = induce(inventory("en"), ("since", "although"), bitext(), ("en", "es"))
    by_form = {(p.connective, p.form): p.sense for p in found}
    assert by_form["since", "desde que"] == "Temporal.Asynchronous"
    assert by_form["since", "porque"] == "Contingency.Cause"
    assert by_form["although", "aunque"] == "Comparison.Concession"
    path = tmp_path / "p.tsv"
    path.write_text(write_proposals(found, ("en", "es")), encoding="utf-8")
    assert set(read_lexicon(path).entries) == {"since", "although"}
    with pytest.raises(InputError, match="'notwithstand' is not among"):
        induce(inventory("en"), ("notwithstand",), bitext(), ("en", "es"))
