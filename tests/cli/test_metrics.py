from __future__ import annotations

import json
from pathlib import Path

import pytest

from albeit.metrics import registry
from tests.cli.conftest import Run


@pytest.mark.usefixtures("files")
def test_lists_every_metric(albeit: Run) -> None:
    found = json.loads(albeit("metrics", "-f", "json").out)
    rows = {row["metric"]: row for row in found["rows"]}
    assert list(rows) == registry.names()
    assert rows["opening"]["unit"] == "document"
    assert rows["wrong"]["better"] == "lower"


@pytest.mark.usefixtures("files")
def test_shows_one_in_full(albeit: Run) -> None:
    out = albeit("metrics", "bleu").out
    assert out.startswith("bleu: ")
    assert "exp, floor, add-k, none" in out
    assert "yes or no" in out
    assert "higher is better" in out


def test_a_parameter_of_several_words_says_so(albeit: Run) -> None:
    assert "word, several joined by +" in albeit("metrics", "function").out


def test_says_what_a_combination_is_made_of(albeit: Run) -> None:
    done = albeit("metrics", "hbleu")
    assert "Made of cohesion(average=recall), bleu." in done.out
    assert "Made of" not in albeit("metrics", "bleu").out


def test_a_metric_that_does_not_load_is_reported(
    albeit: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.BUILTIN, "broken", "albeit.no_such_module:Broken")
    message = (
        "metric 'broken' cannot be loaded from albeit.no_such_module:Broken:"
        " No module named 'albeit.no_such_module'."
    )
    assert message in albeit("metrics").out
    assert albeit("metrics", "broken").err == f"albeit: error: {message}\n"
    done = albeit("metrics", "blue")
    assert done.status == 2
    assert "unknown metric 'blue'" in done.err
