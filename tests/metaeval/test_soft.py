"""Soft pairwise accuracy, and tests by which metrics are compared at WMT, by brute force."""

from __future__ import annotations

import json
import tarfile
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from albeit.data.judgments import Ratings
from albeit.metaeval import Measure, Task, agreement, difference, rank_metrics, read_judged
from albeit.metaeval.rank import rank_wmt24
from albeit.metaeval.significance import resampled_agreement
from albeit.metaeval.statistics import (
    DRAWS,
    SoftAccuracy,
    draw_signs,
    pairwise_p_values,
    standardise,
)
from albeit.metrics.table import ScoreTable
from albeit.stats import document_weights, significance_clusters
from tests.combine.conftest import build

SPA, TIES = Measure("system", "spa"), Measure("segment", "accuracy-ties", "item")


def rated(seed: int, systems: int, segments: int) -> Task:
    """The first systems and segments of a made-up set, with rounded ratings that tie."""
    task = build(seed, (0.3, 2.0), documents=6)
    table = task.table
    docs = tuple(replace(d, start=i, stop=i + 1) for i, d in enumerate(table.documents[:segments]))
    columns = {}
    for name, column in table.columns.items():
        scores = column.at("segment")[:systems, : len(docs)]
        columns[name] = column._replace(system=scores.mean(1), document=scores, segment=scores)
    truth = np.round(columns["m0"].at("segment") / 5)
    system, segment = np.nonzero(np.isfinite(truth))
    names = table.systems[:systems]
    ratings = Ratings(names, system, segment, truth[system, segment])
    return Task(ScoreTable(names, docs, columns, "made", table.language_pair), ratings)


def test_soft_pairwise_accuracy() -> None:
    rng = np.random.default_rng(0)
    human = rng.normal(size=(5, 80)) + np.arange(5)[:, None]
    human[2, 7] = np.nan
    for mtme in (False, True):
        soft = SoftAccuracy(human, mtme)
        assert soft(human) == soft(np.nan_to_num(2 * human + 3)) == 1.0
        assert soft(-human) < 0.05
    signs = draw_signs(1000, 100, rng)
    clear = np.stack([rng.normal(size=100) + 1, rng.normal(size=100)])
    assert pairwise_p_values(clear, signs)[0] < 0.01
    assert pairwise_p_values(clear[::-1], signs)[0] > 0.99
    equal = np.tile(np.linspace(0, 1, 100), (2, 1))
    assert pairwise_p_values(equal, signs)[0] == 1.0
    with pytest.raises(ValueError, match="two systems"):
        SoftAccuracy(equal[:1])


def test_p_values_of_spa_by_all_exchanges() -> None:
    task = rated(1, 2, 5)
    soft = SoftAccuracy(task.human("segment"), seed=3)
    a, b = (standardise(task.table[m].at("segment")) * s for m, s in (("m0", 1), ("m1", -1)))
    observed = soft(a) - soft(b)
    swaps = np.array(list(product([False, True], repeat=a.size))).reshape(-1, *a.shape)
    null = [soft(np.where(w, b, a)) - soft(np.where(w, a, b)) for w in swaps]
    exact = np.mean(np.array(null) >= observed - 1e-12)
    found = difference([task], "m0", "m1", SPA, "both", samples=3000)
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 3000) + 0.02)


@pytest.mark.parametrize("by", ["item", "global"])
def test_p_values_of_accuracy_with_ties_by_all_exchanges(
    by: Literal["item", "global"],
) -> None:
    task = rated(2, 3, 4)
    measure = replace(TIES, by=by)
    pairs = task.pairs
    gains = []
    for column in task.table.columns.values():
        scores = column.at("segment") * (1 if column.higher_is_better else -1)
        gap = scores[pairs.left, pairs.segment] - scores[pairs.right, pairs.segment]
        tried = [np.where(np.abs(gap) <= e, 0, np.sign(gap)) for e in (0, *np.sort(np.abs(gap)))]
        gains.append(max(((t == pairs.preference) / 12 for t in tried), key=np.sum))
    value = agreement(task, task.table["m0"], measure)
    assert value == pytest.approx(gains[0].sum())  # each of four segments has three pairs
    gain = gains[0] - gains[1]
    null = [np.dot(signs, gain) for signs in product([1, -1], repeat=12)]
    exact = np.mean(np.array(null) >= gain.sum() - 1e-12)
    found = difference([task], "m0", "m1", measure, "pairs", samples=4000)
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4000) + 0.001)


def test_the_interval_of_spa_by_drawing_documents() -> None:
    task = rated(3, 4, 6)
    column = task.table["m0"]
    found = resampled_agreement(task, column, SPA, samples=60, rng=np.random.default_rng(5))
    assert found is not None
    weights = document_weights(6, 60, np.random.default_rng(5)).astype(int)
    human, scores = task.human("segment"), column.at("segment")
    for value, weight in zip(found, weights, strict=True):
        drawn = np.repeat(np.arange(6), weight)
        signs = draw_signs(20 * DRAWS, 6, np.random.default_rng(9))
        p, q = (pairwise_p_values(x[:, drawn], signs) for x in (human, scores))
        assert value == pytest.approx(1 - np.abs(p - q).mean(), abs=0.05)


def test_the_ranking_of_wmt24() -> None:
    tasks = [build(s, (0.3, 0.35, 4.0), pair=p) for s, p in ((0, "cs"), (1, "de"))]
    means, *parts = rank_wmt24(tasks, samples=200)
    assert [str(p.measure) for p in parts] == ["system spa-mtme", str(TIES)] * 2
    for row in means.metrics:
        assert row.mean == pytest.approx(np.mean(row.values))
        assert row.values == tuple(r.mean for p in parts for r in p.metrics if r[0] == row.metric)
    assert [row.cluster for row in means.metrics] == [1, 1, 2]
    assert [row.cluster for row in rank_wmt24(tasks)[0].metrics] == [1, 2, 3]
    column = tasks[0].table["m0"]._replace(name="m0-refB")
    table = replace(tasks[0].table, columns={"m0-refB": column})
    renamed = replace(tasks[0], table=table)
    assert [row.metric for row in rank_wmt24([renamed, tasks[1]])[0].metrics] == ["m0"]
    ties = rank_metrics(tasks, TIES, test="pairs", confidence=True)
    assert [row.cluster for row in ties.metrics] == [1, 1, 2]
    p_values = {(0, 1): 0.2, (0, 2): 0.01, (1, 2): 0.3}
    clusters = significance_clusters([3, 2, 1], lambda i, j: p_values[i, j], wmt=True)
    assert clusters == [1, 1, 2]  # one better member is enough
    assert significance_clusters([3, 2, 1], lambda i, j: p_values[i, j]) == [1, 1, 1]


@pytest.mark.shared
@pytest.mark.parametrize("pair", ["zh-en", "en-de"])
def test_values_of_mt_metrics_eval(
    pair: str, discourse_data: Path, shared_data: Path, tmp_path: Path
) -> None:
    wanted = f"judgments/wmt23-metric-scores/{pair}/"
    with tarfile.open(shared_data / "judgments.tar.xz") as archive:
        members = [m for m in archive if m.name.startswith(wanted)]
        archive.extractall(tmp_path, members, filter="data")
    expected = json.loads((shared_data / "mtme-golden.json").read_text())[pair]
    judged = read_judged(discourse_data / "wmt23-mqm" / pair)
    table = ScoreTable.build(judged.evalset, judged.columns([tmp_path / wanted]))
    task = judged.task(table)
    for name, values in expected.items():
        ties = agreement(task, table[name], TIES)
        assert ties == pytest.approx(values["accuracy_ties"], abs=1e-12, rel=0)
        assert agreement(task, table[name], Measure("system", "spa-mtme")) == values["spa"]
