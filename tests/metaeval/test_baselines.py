"""Sentinels, human raters, and the classification of error-free translations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import albeit
from albeit.data.judgments import Pairs, Ratings
from albeit.errors import MetricError
from albeit.metaeval import JudgedSet, Measure, agreement, rank_metrics
from albeit.metaeval.measure import human_scores
from albeit.metaeval.rank import rater_tasks, sentinel_columns
from albeit.metaeval.statistics import best_mcc
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column, ScoreTable

EVALSET = albeit.EvalSet(
    {"ref": ("abcd", "ab", "abc")},
    {"x": ("abcd", "abcd", "a"), "y": ("ab", "ab", "abc")},
    source=("AB", "ABCD", "A"),
)
FREE = Measure("segment", "error-free")


def rated(kind: str = "esa") -> Ratings:
    """Two raters of all translations of two systems on three segments; z only rated one."""
    system, segment = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2])
    scores = np.array([90.0, 80, 70, 60, 90, 100])
    columns = (np.append(np.tile(system, 2), 0), np.append(np.tile(segment, 2), 0))
    score = np.concatenate([scores, scores - 4, [90.0]])
    rater = np.array([0] * 6 + [1] * 6 + [2])
    errors = np.array([0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0])
    names = ("a", "b", "z")
    return Ratings(
        ("x", "y"), columns[0], columns[1], score, kind, None, None, names, rater, errors
    )


def test_sentinels() -> None:
    length, ratio, source = sentinel_columns(EVALSET)
    assert length.at("segment").tolist() == [[4, 4, 1], [2, 2, 3]]
    assert ratio.at("segment") == pytest.approx(np.log([[1, 2, 3], [2, 1, 1]]))
    assert source.at("segment").tolist() == [[2, 4, 1], [2, 4, 1]]
    assert not any(column.higher_is_better for column in (length, ratio, source))
    found = JudgedSet(EVALSET, rated()).task(ScoreTable.build(EVALSET, [length, source]))
    assert np.isnan(agreement(found, source, Measure("system", "pearson")))
    without = replace(EVALSET, source=None)
    assert sentinel_columns(without)[2].at("segment")[0].tolist() == [4, 2, 3]


def test_raters_against_the_mean_of_the_others() -> None:
    task = JudgedSet(EVALSET, rated()).task(ScoreTable.build(EVALSET, sentinel_columns(EVALSET)))
    raters = dict(rater_tasks(task))
    assert list(raters) == ["rater a", "rater b", "rater z"]
    others = raters["rater a"].human("segment")
    assert others[0].tolist() == [(86 + 90) / 2, 76, 66]
    column = raters["rater z"].table["rater z"]
    assert (~np.isnan(column.at("segment"))).sum() == 1
    ranking = rank_metrics([task], Measure("segment", "accuracy-ties"), raters=True)
    rows = {row.metric: row for row in ranking.metrics}
    assert rows["rater a"].mean == rows["rater b"].mean == 1.0
    assert rows["rater a"].gaps == ("rater a: against the mean of the others, 3 judgments",)
    with pytest.raises(MetricError, match="one test set"):
        rank_metrics([task, task], raters=True)
    alone = replace(task, judgments=rated().take(np.arange(6)))
    with pytest.raises(MetricError, match="no translation has ratings of two raters"):
        rank_metrics([alone], raters=True)


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=12))
def test_the_best_threshold_by_trying_all(items: list[tuple[int, bool]]) -> None:
    scores, free = np.array(items, dtype=float).T
    if len(set(free)) < 2 or len(set(scores)) < 2:
        assert np.isnan(best_mcc(scores, free))
        return
    found = [np.corrcoef(scores >= t, free)[0, 1] for t in set(scores) - {scores.min()}]
    assert best_mcc(scores, free) == pytest.approx(max(found))


def test_error_free_translations() -> None:
    """By WMT26: 85 points or more, and no marked error by any rater."""
    task = JudgedSet(EVALSET, rated()).task(ScoreTable.build(EVALSET, sentinel_columns(EVALSET)))
    assert human_scores(task, FREE).tolist() == [[0, 0, 0], [0, 1, 1]]
    scores = np.array([[1.0, 2, 3], [4, 9, 9]])
    column = Column("m", Signature("m"), True, scores.mean(1), None, scores)
    assert agreement(task, column, FREE) == 1.0
    ranking = rank_metrics([replace(task, table=task.table.with_columns([column]))], FREE)
    assert ranking.metrics[0].metric == "m"
    mqm = replace(rated("mqm"), score=np.minimum(0.0, rated().score - 90))
    assert human_scores(replace(task, judgments=mqm), FREE).sum() == 1
    for other in (rated("z"), Pairs(("x", "y"), *np.array([[0], [0], [1], [1]]))):
        with pytest.raises(MetricError, match="needs ratings of ESA or MQM"):
            human_scores(replace(task, judgments=other), FREE)
    with pytest.raises(MetricError, match="use global"):
        Measure("segment", "error-free", "item")
