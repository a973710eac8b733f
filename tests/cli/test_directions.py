"""Which metrics work where: every metric is asked, none is listed by hand."""

from __future__ import annotations

import json
import sys

import pytest

from albeit.cli.service import DIRECTIONS, tabulate_directions
from albeit.report import render
from tests.cli.conftest import Run
from tests.conftest import ROOT


def test_the_table_says_what_the_engine_would_say(albeit: Run) -> None:
    done = albeit("metrics", "chrf", "sim", "dr", "--directions", "-f", "json")
    assert done.status == 0, done.err
    rows = {row["metric"]: row for row in json.loads(done.out)["rows"]}
    assert list(rows) == ["chrf", "sim", "dr", "(how many)"]
    assert all(rows["chrf"]["-".join(pair)] == "yes" for pair in DIRECTIONS)
    assert rows["sim"]["de-en"] == "yes"
    assert not rows["sim"]["en-zh"]
    assert rows["dr"]["de-en"] == "yes"
    assert not rows["dr"]["en-de"]
    assert rows["(how many)"]["en-de"] == "1"


def test_what_an_extra_would_add_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "icu4py", None)
    found = tabulate_directions(["cohesion"])
    headings = [heading.text for heading in found.columns]
    cells = dict(zip(headings, (cell.value for cell in found.rows[0].cells), strict=True))
    assert cells["Metric"] == "cohesion"
    assert (cells["de-en"], cells["en-zh"], cells["en-cs"]) == ("yes", "extra", "")


def test_a_note_names_the_metrics_that_are_used_without_m(albeit: Run) -> None:
    done = albeit("metrics", "chrf", "--directions")
    assert "without -m: judge and chrf into English, chrf into German" in " ".join(done.out.split())


def _rows(text: str) -> dict[str, str]:
    """A table's rows by metric, but for those that another extra would change."""
    lines = text[text.index("| Metric | de-en |") :].split("\n\n")[0].splitlines()
    known = (line for line in lines if "extra" not in line and "how many" not in line)
    return {line.split(" | ")[0]: line for line in known}


def test_the_table_in_the_documents_is_what_the_command_prints() -> None:
    printed = _rows(render([tabulate_directions()], "markdown"))
    written = _rows((ROOT / "docs/directions.md").read_text(encoding="utf-8"))
    assert len(written) > 10
    assert written == {name: printed[name] for name in written}
