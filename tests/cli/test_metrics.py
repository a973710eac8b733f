"""``albeit metrics``: what each metric is, and which metrics work where."""

from __future__ import annotations

import json
import re
import sys

import pytest

from albeit.cli.service import DIRECTIONS, tabulate_directions
from albeit.metrics import registry
from albeit.report import render
from tests.cli.conftest import Run
from tests.conftest import ROOT


def test_a_metric_that_cannot_be_loaded(albeit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.BUILTIN, "broken", "albeit.no_such_module:Broken")
    message = (
        "metric 'broken' cannot be loaded from albeit.no_such_module:Broken:"
        " No module named 'albeit.no_such_module'."
    )
    assert message in albeit("metrics").text
    assert albeit("metrics broken").refused == f"albeit: error: {message}\n"


def test_the_table_of_directions(albeit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    done = albeit("metrics chrf sim dr --directions -f json").data
    rows = {row["metric"]: row for row in done["rows"]}
    assert list(rows) == ["chrf", "sim", "dr", "(how many)"]
    assert all(rows["chrf"]["-".join(pair)] == "yes" for pair in DIRECTIONS)
    for metric, missing in (("sim", "en-zh"), ("dr", "en-de")):
        assert rows[metric]["de-en"] == "yes"
        assert not rows[metric][missing]
    assert rows["(how many)"]["en-de"] == "1"
    text = " ".join(albeit("metrics chrf --directions").text.split())
    assert "without -m: judge and chrf into English, chrf into German" in text
    monkeypatch.setitem(sys.modules, "icu4py", None)
    (row, _) = albeit("metrics cohesion --directions -f json").data["rows"]
    assert (row["de-en"], row["en-zh"]) == ("yes", "extra")
    assert not row["en-cs"]


def test_the_page_lists_the_target_languages_of_every_metric() -> None:
    page = (ROOT / "docs/language-pairs.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*`) \| (.*) \|$", page, re.MULTILINE)
    written = {n: langs.split(", ") for names, langs in rows for n in re.findall("`(.*?)`", names)}
    table = json.loads(render([tabulate_directions()], "json"))
    works = {
        row["metric"]: sorted(pair[-2:] for pair, cell in row.items() if cell in ("yes", "extra"))
        for row in table["rows"][:-1]
    }
    everywhere = works["chrf"]
    assert {n: everywhere if found == ["all"] else found for n, found in written.items()} == works
