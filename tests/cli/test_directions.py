"""Which metrics work where: every metric is asked, none is listed by hand."""

from __future__ import annotations

import json

import pytest

from albeit.annotate.multilingual import weights
from albeit.cli.commands.metrics import DIRECTIONS, directions
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
