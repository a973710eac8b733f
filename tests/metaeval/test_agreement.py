from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from albeit.data.evalset import Level
from albeit.data.judgments import Pairs, Ratings
from albeit.errors import InputError, MetricError
from albeit.metaeval import Measure, agreement, difference, rank_metrics
from albeit.metaeval.judged_set import Task, usual_margin
from albeit.metaeval.measure import statistic_names
from albeit.metaeval.significance import resampled_agreement
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column, ScoreTable
from tests.combine.conftest import build


def rated(seed: int = 0, gaps: float = 0.2) -> Task:
    """Ratings with holes, of the same translations as the preferences of ``build``."""
    task = build(seed)
    rng = np.random.default_rng(seed)
    truth = task.table["m0"].at("segment") + 4 * rng.normal(size=(5, len(task.table)))
    system, segment = np.nonzero(rng.random(truth.shape) > gaps)
    ratings = Ratings(task.table.systems, system, segment, np.round(truth[system, segment]))
    return replace(task, judgments=ratings)


SCIPY: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
}


@pytest.mark.parametrize("level", ["segment", "document", "system"])
@pytest.mark.parametrize("name", SCIPY)
def test_correlations_are_over_all_that_is_rated(level: Level, name: str) -> None:
    task = rated()
    human, scores = task.human(level), task.table["m0"].at(level)
    judged = ~np.isnan(human)
    expected = SCIPY[name](scores[judged], human[judged])
    assert agreement(task, task.table["m0"], Measure(level, name)) == pytest.approx(expected)
    if level == "segment":
        rows = [(scores[at, i], human[at, i]) for i, at in enumerate(judged.T) if at.sum() > 1]
        by_segment = [SCIPY[name](x, y) for x, y in rows if len(set(y)) > 1]
        found = agreement(task, task.table["m0"], Measure(level, name, "item"))
        assert found == pytest.approx(np.mean(by_segment))


def test_pairwise_by_brute_force() -> None:
    task = build(1)
    scores = -task.table["m1"].at("segment")
    counts = np.zeros((len(task.table), 2))
    pairs = task.pairs
    for segment, left, right, preference in zip(
        pairs.segment, pairs.left, pairs.right, pairs.preference, strict=True
    ):
        if preference:
            agreed = preference * (scores[left, segment] - scores[right, segment])
            counts[segment] += agreed > 0, agreed < 0
    (right, wrong), each = counts.sum(0), counts[counts.any(1)]
    column = task.table["m1"]
    assert agreement(task, column, Measure()) == pytest.approx((right - wrong) / (right + wrong))
    means = (each[:, 0] - each[:, 1]) / each.sum(1)
    assert agreement(task, column, Measure(by="item")) == pytest.approx(means.mean())


def test_every_statistic_at_every_level_prefers_the_better_metric() -> None:
    for task in (build(0, (0.3, 4.0)), rated(0)):
        for level in ("segment", "document", "system"):
            for name in {*statistic_names(level)} - {"error-free"}:
                for by in ("global", "item"):
                    measure = Measure(level, name, by)
                    good, bad = (agreement(task, task.table[m], measure) for m in ("m0", "m1"))
                    assert good >= bad or np.isnan(good), (level, name, by)


RESAMPLED = [Measure(), Measure(by="item"), Measure("segment", "pearson")]
RESAMPLED += [Measure("segment", "spearman", "item"), Measure("system", "pearson")]
RESAMPLED += [Measure("document", "tau-b"), Measure("document", "pearson")]


@pytest.mark.parametrize("measure", RESAMPLED)
def test_resampling_surrounds_the_value(measure: Measure) -> None:
    for task in (build(2), rated(2)):
        column = task.table["m0"]
        rng = np.random.default_rng(0)
        found = resampled_agreement(task, column, measure, samples=200, rng=rng)
        assert found is not None
        value = agreement(task, column, measure)
        assert np.quantile(found, 0.005) <= value <= np.quantile(found, 0.995)
        assert np.std(found) > 0


def test_a_ranking_with_confidence_and_clusters() -> None:
    tasks = [build(s, (0.3, 0.35, 4.0), pair=p) for s, p in ((0, "cs"), (1, "de"))]
    found = rank_metrics(tasks, Measure(), confidence=True, test="input", samples=200)
    assert found.tasks == ("made cs-en", "made de-en")
    assert found.metrics[-1].metric == "m2"
    assert found.metrics[0].cluster == 1
    assert found.metrics[-1].cluster == max(m.cluster or 0 for m in found.metrics) > 1
    for row in found.metrics:
        assert row.mean == pytest.approx(np.mean(row.values))
        assert row.interval is not None
        assert row.interval[0] < row.mean < row.interval[1]


@pytest.mark.parametrize("test", ["input", "system", "both"])
def test_differences_between_metrics(test: str) -> None:
    task = build(0, (0.3, 4.0))
    for measure in (Measure(), Measure("system", "pearson"), Measure("segment", "pearson")):
        p, same, q = (
            difference([task], a, b, measure, test, samples=100)  # type: ignore[arg-type]
            for a, b in (("m0", "m1"), ("m1", "m1"), ("m1", "m0"))
        )
        assert p < 0.5 < q
        assert same == 1.0


def test_williams_is_for_correlations_on_one_task() -> None:
    task = rated()
    measure = Measure("segment", "pearson")
    assert difference([task], "m0", "m1", measure, "williams") < 0.01
    assert difference([task], "m0", "m1", Measure("segment", "spearman"), "williams") < 0.01
    with pytest.raises(MetricError, match="Williams"):
        difference([task, task], "m0", "m1", measure, "williams")
    with pytest.raises(MetricError, match="Williams"):
        difference([task], "m0", "m1", Measure(), "williams")


def test_what_does_not_exist_is_a_named_gap() -> None:
    task = build(0)
    shape = task.table["m0"].at("segment").shape
    flat = Column("flat", Signature("flat"), True, np.ones(5), None, np.ones(shape))
    coarse = Column("coarse", Signature("coarse"), True, np.arange(5.0))
    holes = Column("holes", Signature("holes"), True, np.arange(5.0), None, np.full(shape, np.nan))
    task = replace(task, table=task.table.with_columns([flat, coarse, holes]))
    found = {row.metric: row for row in rank_metrics([task], Measure(), test="input").metrics}
    assert np.isnan(found["flat"].mean)
    assert "constant" in found["flat"].gaps[0]
    assert "no segment scores" in found["coarse"].gaps[0]
    assert "missing" in found["holes"].gaps[0]
    assert found["flat"].cluster is None
    assert not found["m0"].gaps


def test_bad_measures_and_tasks() -> None:
    with pytest.raises(MetricError, match="'spa' isn't a statistic at segment"):
        Measure("segment", "spa")
    with pytest.raises(MetricError, match="unknown level"):
        Measure("word")  # type: ignore[arg-type]
    with pytest.raises(MetricError, match="global or item"):
        Measure(by="all")  # type: ignore[arg-type]
    with pytest.raises(MetricError, match="no test set"):
        rank_metrics([], Measure())
    with pytest.raises(InputError, match="one document"):
        rank_metrics([build(0, documents=1)], Measure(), confidence=True)
    task = build(0)
    other = ScoreTable(("A",), task.table.documents, {}, "made")
    with pytest.raises(InputError, match="judgments of 'B', 'C', 'D', 'E'"):
        Task(other, task.judgments)
    only_reference = Pairs(
        ("A", "_ref"), np.array([0]), np.array([0]), np.array([1]), np.array([1])
    )
    with pytest.raises(InputError, match="no judgment is about"):
        Task(other, only_reference)


def test_without_a_measure_it_is_the_usual_one() -> None:
    ranked, judged = build(0), rated()
    assert rank_metrics([ranked]).measure == Measure("segment", "tau-wmt12")
    ratings = judged.ratings
    kind = replace(judged, judgments=replace(ratings, kind="mqm_avg"))
    for task, margin in ((judged, 0.0), (kind, 1.0), (replace(kind, margin=3.0), 3.0)):
        found = rank_metrics([task])
        assert found.measure == Measure("segment", "tau-wmt14")
        assert found.margins == (margin,)
        assert isinstance(task.judgments, Ratings)
        assert found.counted == (len(task.judgments.pairs(margin).decided()),)
    mixed = rank_metrics([ranked, replace(ranked, judgments=judged.judgments)])
    assert mixed.measure.statistic == "tau-wmt14"


@pytest.mark.parametrize(
    ("kind", "margin"),
    [("mqm", 1), ("mqm_penalty", 1), ("wmt-z", 0.75), ("da-sqm", 25), ("raw", 25), ("score", 0)],
)
def test_the_usual_margin_is_by_the_name_of_the_column(kind: str, margin: float) -> None:
    one = np.zeros(1, dtype=np.int64)
    assert usual_margin(Ratings(("a",), one, one, np.zeros(1), kind)) == margin
