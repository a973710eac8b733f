from __future__ import annotations

from pathlib import Path

from albeit.metrics.connectives.lexicons import inventory, read_lexicon
from albeit.metrics.connectives.lexicons.evidence import Evidence, annotate_counts, gather
from albeit.metrics.connectives.lexicons.lexicon import Form

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


def test_rare_forms_are_not_spoken_against() -> None:
    assert not Evidence(0, 0.4).against
    assert Evidence(6, 3.0).against
    assert not Evidence(9, 3.0).against
