"""Which metrics work where: every metric is asked, none is listed by hand."""

from __future__ import annotations

import json

import pytest

from albeit.annotate import multilingual as weights
from albeit.cli.commands.metrics import DIRECTIONS, directions
from albeit.cli.directions import EVIDENCE, UNJUDGED, advice
from albeit.report import render
from tests.cli.conftest import Run
from tests.conftest import ROOT


def test_the_table_says_what_the_engine_would_say(albeit: Run) -> None:
    done = albeit("metrics", "chrf", "sim", "dr", "--directions", "-f", "json")
    assert done.status == 0, done.err
    rows = {row["metric"]: row for row in json.loads(done.out)["rows"]}
    assert list(rows) == ["chrf", "sim", "dr", "(how many)"]
    assert all(rows["chrf"]["-".join(pair)] == "yes" for pair in DIRECTIONS)
    assert rows["sim"]["en-zh"] == "yes"
    assert not rows["sim"]["en-cs"]
    assert rows["dr"]["de-en"] == "yes"
    assert not rows["dr"]["en-de"]
    assert rows["(how many)"]["en-de"] == "2"


def test_what_an_extra_would_add_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    weights.files.cache_clear()
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    found = directions(["sim"])
    weights.files.cache_clear()
    first = [cell.value if hasattr(cell, "value") else cell for cell in found.rows[0].cells]
    assert first[0] == "sim"
    assert first[1] == "yes"
    assert set(first[2:-2]) == {"extra"}


def _rows(text: str) -> dict[str, str]:
    """A table's rows by metric, but for those that another extra would change."""
    lines = text[text.index("| Metric | de-en |") :].split("\n\n")[0].splitlines()
    known = (line for line in lines if "extra" not in line and "how many" not in line)
    return {line.split(" | ")[0]: line for line in known}


def test_the_table_in_the_documents_is_what_the_command_prints() -> None:
    printed = _rows(render([directions()], "markdown"))
    written = _rows((ROOT / "docs/directions.md").read_text(encoding="utf-8"))
    assert len(written) > 10
    assert written == {name: printed[name] for name in written}


def test_every_direction_has_advice_and_its_evidence() -> None:
    rows = {
        row.cells[0].value: [cell.value for cell in row.cells[1:]]
        for row in advice(DIRECTIONS).rows
    }
    assert list(rows) == ["-".join(pair) for pair in DIRECTIONS]
    assert rows["de-en"] == ["judge chrf", "judge chrf", "judge: docs/results/judge.md"]
    assert rows["en-de"][:2] == ["judge-many chrf", "judge-facts chrf"]
    assert rows["en-cs"] == ["judge-many chrf", "chrf", UNJUDGED]
    assert all(name in str(rows["en-de"][2]) for name in EVIDENCE["de"])


def test_evidence_is_what_the_training_recorded() -> None:
    kept = json.loads((ROOT / "research/training/languages/kept/facts.json").read_text())
    many = json.loads((ROOT / "research/training/many/kept/figures.json").read_text())
    recorded = {
        name.split("-")[-1] + " " + name.split("/")[0]: (v["judge-facts tau"], v["chrf tau"])
        for name, v in kept["judge-facts"].items()
        if not name.endswith("-en") and "soft" not in name
    }
    trained = {
        name.split("-")[-1] + " " + name.split("/")[0]: v["12 layers beside both, more chrF tau"]
        for name, v in many.items()
    }
    told = {f"{lang} {name}": own for lang, sets in EVIDENCE.items() for name, own in sets.items()}
    assert told.keys() == recorded.keys()
    assert {name for name, own in told.items() if own[0] is not None} == trained.keys()
    for name, (ours, *others) in told.items():
        assert others == pytest.approx(recorded[name], abs=0.0006)
        assert ours is None or ours == pytest.approx(trained[name], abs=0.0006)


def test_the_advice_in_the_documents_is_what_the_command_prints() -> None:
    written = (ROOT / "docs/directions.md").read_text(encoding="utf-8")
    for line in render([advice(DIRECTIONS)], "markdown").splitlines():
        if line.startswith("| en-"):
            assert line in written
