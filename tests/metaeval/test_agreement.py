from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from albeit.data.judgments import Pairs, Ratings
from albeit.errors import InputError, MetricError
from albeit.metaeval import Measure, agreement, difference, rank_metrics
from albeit.metaeval.measure import statistic_names
from albeit.metaeval.significance import resampled_agreement
from albeit.metaeval.task import Task, usual_margin
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


def human_cells(task: Task) -> tuple[np.ndarray, np.ndarray]:
    human = task.human("segment")
    judged = ~np.isnan(human)
    return task.table["m0"].at("segment")[judged], human[judged]


def test_global_correlations_are_over_all_rated_translations() -> None:
    task = rated()
    scores, human = human_cells(task)
    column = task.table["m0"]
    for name, expected in (
        ("pearson", stats.pearsonr(scores, human).statistic),
        ("spearman", stats.spearmanr(scores, human).statistic),
        ("kendall", stats.kendalltau(scores, human).statistic),
    ):
        assert agreement(task, column, Measure("segment", name)) == pytest.approx(expected)


def test_item_correlations_are_means_over_segments() -> None:
    task = rated()
    human, scores = task.human("segment"), task.table["m0"].at("segment")
    expected = []
    for i in range(len(task.table)):
        judged = ~np.isnan(human[:, i])
        if judged.sum() > 1 and len(set(human[judged, i])) > 1:
            expected.append(stats.pearsonr(scores[judged, i], human[judged, i]).statistic)
    found = agreement(task, task.table["m0"], Measure("segment", "pearson", "item"))
    assert found == pytest.approx(np.mean(expected))


def test_pairwise_by_brute_force() -> None:
    task = build(1)
    scores = -task.table["m1"].at("segment")
    concordant = discordant = 0
    pairs = task.pairs
    for segment, left, right, preference in zip(
        pairs.segment, pairs.left, pairs.right, pairs.preference, strict=True
    ):
        if preference:
            agreed = preference * (scores[left, segment] - scores[right, segment])
            concordant += agreed > 0
            discordant += agreed < 0
    expected = (concordant - discordant) / (concordant + discordant)
    assert agreement(task, task.table["m1"], Measure()) == pytest.approx(expected)


def test_item_wise_tau_is_the_mean_over_segments() -> None:
    """Two pairs right on segment one, one pair wrong on segment two: 1 and −1."""
    base = build(0).table
    scores = np.zeros((5, len(base)))
    scores[0] = 1.0
    table = replace(
        base, columns={"m": Column("m", Signature("m"), True, scores.mean(1), None, scores)}
    )
    pairs = Pairs(
        base.systems,
        np.array([0, 0, 1]),
        np.array([0, 0, 0]),
        np.array([1, 2, 1]),
        np.array([1, 1, -1]),
    )
    task = Task(table, pairs)
    assert agreement(task, table["m"], Measure()) == pytest.approx(1 / 3)
    assert agreement(task, table["m"], Measure(by="item")) == 0.0


def test_system_level() -> None:
    task = build(0)
    human, column = task.human("system"), task.table["m0"]
    assert agreement(task, column, Measure("system", "spearman")) == pytest.approx(
        stats.spearmanr(column.system, human).statistic
    )
    assert 0 <= agreement(task, column, Measure("system", "accuracy")) <= 1
    assert 0 <= agreement(task, column, Measure("system", "spa")) <= 1


def test_document_level_uses_documents() -> None:
    task = rated(gaps=0.0)
    human = task.human("document")
    assert human.shape == (5, 12)
    found = agreement(task, task.table["m0"], Measure("document", "pearson"))
    expected = stats.pearsonr(task.table["m0"].at("document").ravel(), human.ravel()).statistic
    assert found == pytest.approx(expected)
    assert agreement(task, task.table["m0"], Measure("document", "tau-wmt12")) > 0.5


def test_every_statistic_at_every_level_prefers_the_better_metric() -> None:
    for task in (build(0, (0.3, 4.0)), rated(0)):
        for level in ("segment", "document", "system"):
            for name in statistic_names(level):
                for by in ("global", "item"):
                    measure = Measure(level, name, by)
                    good, bad = (agreement(task, task.table[m], measure) for m in ("m0", "m1"))
                    assert good >= bad or np.isnan(good), (level, name, by)


@pytest.mark.parametrize(
    "measure",
    [
        Measure(),
        Measure(by="item"),
        Measure("segment", "pearson"),
        Measure("segment", "spearman", "item"),
        Measure("system", "pearson"),
        Measure("document", "tau-b"),
        Measure("document", "pearson"),
    ],
)
def test_resampling_surrounds_the_value(measure: Measure) -> None:
    for task in (build(2), rated(2)):
        column = task.table["m0"]
        found = resampled_agreement(
            task, column, measure, samples=200, rng=np.random.default_rng(0)
        )
        assert found is not None
        value = agreement(task, column, measure)
        assert np.quantile(found, 0.005) <= value <= np.quantile(found, 0.995)
        assert np.std(found) > 0


def test_resampling_one_document_is_refused() -> None:
    task = build(0, documents=1)
    with pytest.raises(InputError, match="one document"):
        rank_metrics([task], Measure(), confidence=True)


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
        p = difference([task], "m0", "m1", measure, test, samples=100)  # type: ignore[arg-type]
        q = difference([task], "m1", "m0", measure, test, samples=100)  # type: ignore[arg-type]
        assert p < 0.5 < q


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
