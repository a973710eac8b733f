"""What ``print`` and a notebook show of results."""

from __future__ import annotations

import numpy as np
import pytest

import albeit
from albeit.data.judgments import Pairs
from albeit.metaeval import JudgedSet

REFERENCE = ("The talks failed.", "However, they go on.", "<b>He</b> left.")
OURS = {"a": REFERENCE, "b": ("The talks failed.", "They go on.", "He went.")}


@pytest.fixture
def table() -> albeit.ScoreTable:
    return albeit.score(OURS, ["chrf", "ter"], references=REFERENCE)


def test_a_table_prints_as_one(table: albeit.ScoreTable) -> None:
    assert repr(table) == "<ScoreTable 'evalset': 2 systems, 3 segments, chrf, ter>"
    head, _, first, *_ = str(table).splitlines()
    assert head.split() == ["System", "chrf", "↑", "ter", "↓"]
    assert first.split() == ["a", "100.00", "0.00"]
    assert table._repr_html_().count("<tr>") == 3
    assert repr(table["chrf"]) == "<Column chrf: 2 systems>"


def test_a_comparison_prints_as_one(table: albeit.ScoreTable) -> None:
    found = albeit.compare(table, resamples=50)
    assert repr(found) == "<Comparison with 'a': 2 systems, randomisation, chrf, ter>"
    assert "diff" in str(found)
    assert "<table>" in found._repr_html_()
    frame = found.to_frame()
    assert frame.columns.tolist() == ["system", "metric", "score", "difference", "p", "corrected"]
    assert len(frame) == 4
    assert found.to_arrow().num_rows == 4


def test_a_ranking_prints_as_one() -> None:
    evalset = albeit.EvalSet({"ref": REFERENCE}, OURS)
    assert repr(evalset) == "<EvalSet 'evalset' en: 3 segments, 1 reference, 2 systems>"
    ones = np.array([1, 1])
    pairs = Pairs(("a", "b"), np.array([1, 2]), np.array([0, 0]), ones, ones)
    judged = JudgedSet(evalset, pairs)
    assert "<Pairs: 2 judgments of 2 systems>" in repr(judged)
    task = judged.task(albeit.score(evalset, ["chrf", "ter"]))
    assert len(repr(task)) < 200
    ranking = albeit.rank_metrics([task], albeit.Measure("segment", "tau-wmt12"))
    assert repr(ranking).endswith("chrf, ter>")
    assert "chrf" in str(ranking)
    assert "<table>" in ranking._repr_html_()


def test_a_view_prints_as_one_and_is_drawn_in_a_frame() -> None:
    evalset = albeit.EvalSet({"ref": REFERENCE}, OURS)
    _, view = albeit.explain(evalset, "ter", segments=[2])
    assert repr(view) == "<View b, segment 2: ter = 25.0000>"
    assert str(view).startswith("== b, segment 2\nter = 25.0000")
    assert view._repr_html_().startswith('<iframe sandbox="allow-scripts"')


def test_polars_takes_a_table_as_it_is(table: albeit.ScoreTable) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    frame = polars.DataFrame(table)
    assert frame.columns == ["system", "metric", "score"]
    assert polars.DataFrame(table.to_arrow("segment")).shape == (12, 5)


def test_progress_is_shown_if_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[tuple[int, int]] = []
    albeit.score(OURS, references=REFERENCE, progress=lambda *now: seen.append(now))
    assert seen[-1] == (3, 3)
    albeit.score(OURS, references=REFERENCE, progress=True)
    assert capsys.readouterr().err == ""  # no terminal, and no work that takes long
    with pytest.raises(albeit.AlbeitError, match=r"has its own references, source_lang\."):
        albeit.score(albeit.EvalSet({}, OURS), references=[], source_lang="de")
