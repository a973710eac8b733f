from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from albeit.combine import Model, cross_validate, document_folds, fit, tune
from albeit.combine.tune import PairSet, logistic_weights, tune_alpha, within_documents
from albeit.errors import InputError, MetricError
from albeit.metaeval.judged_set import Task, oriented
from albeit.metaeval.statistics import PAIRWISE
from albeit.metrics.grammar import Signature
from albeit.metrics.registry import metric
from albeit.metrics.table import Column
from albeit.parsing import version as annotator
from albeit.stats import categories, count_by, pearson
from tests.combine.conftest import build as make_task


def tau(scores: np.ndarray, task: Task) -> float:
    pairs = task.decided
    gap = scores[pairs.left, pairs.segment] - scores[pairs.right, pairs.segment]
    counts = count_by(categories(gap, pairs.preference), np.zeros(len(gap), int), 1)
    return float(PAIRWISE["tau-wmt12"](counts[0]))


def test_folds_hold_whole_documents_and_agree_across_pairs() -> None:
    first, second = make_task(0, pair="cs"), make_task(0, pair="de")
    folds = document_folds([first, second], 4)
    assert folds[0] == folds[1]
    sizes = [0] * 4
    for document in first.table.documents:
        sizes[folds[0][document.id]] += len(document)
    assert max(sizes) - min(sizes) <= 8
    other = document_folds([first, make_task(0, name="other")], 4)
    assert set(other[0].values()) == set(range(4))
    with pytest.raises(InputError, match="12"):
        document_folds([first], 13)
    with pytest.raises(InputError, match="two folds"):
        document_folds([first], 1)


@pytest.mark.parametrize("l2", [1e-6, 1e-2, 1.0])
def test_weights_are_the_maximum_of_the_likelihood(l2: float) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 800, 3))
    up = ((a - b) @ [2.0, -1.0, 0.5] + rng.logistic(size=800) > 0)[:, None]
    weight = rng.integers(1, 4, 800).astype(float)
    pairs = PairSet(np.where(up, a, b), np.where(up, b, a), weight, np.zeros(800, dtype=np.int64))

    def loss(w: np.ndarray) -> float:
        margin = (pairs.better - pairs.worse) @ w
        return float(weight @ np.logaddexp(0, -margin) / weight.sum() + 0.5 * l2 * w @ w)

    best = minimize(loss, np.zeros(3), tol=1e-10)
    assert logistic_weights(pairs, l2) == pytest.approx(best.x, abs=1e-3)
    separable = PairSet(np.ones((2, 1)), -np.ones((2, 1)), np.ones(2), np.zeros(2, dtype=np.int64))
    assert 0 < logistic_weights(separable, l2)[0] < np.inf


def test_tuning_beats_its_parts_where_they_complement() -> None:
    tasks = [make_task(s, (0.8, 0.8, 5.0), pair=p) for s, p in ((0, "cs"), (1, "de"))]
    scores = cross_validate(tasks, ["m0", "m1", "m2", "m1"], folds=4)
    for task, held_out in zip(tasks, scores, strict=True):
        assert held_out.shape == (5, len(task.table))
        alone = [tau(oriented(c, "segment"), task) for c in task.table.columns.values()]
        assert tau(held_out, task) > max(alone)


def test_alpha_is_the_maximum_of_the_mean_correlation() -> None:
    tasks = [within_documents(make_task(seed, (1.5, 9.0, 2.5))) for seed in (0, 1)]

    def loss(alpha: float) -> float:
        total = 0.0
        for task in tasks:
            m0, m2 = (task.table[name].at("document").ravel() for name in ("m0", "m2"))
            total += float(
                pearson(alpha * m0 + (1 - alpha) * m2 / 2, task.human("document").ravel())
            )
        return -total

    alpha, held_out = tune_alpha(tasks, "m0", "m2", 2.0, folds=4)
    assert alpha == pytest.approx(minimize_scalar(loss, bounds=(0, 1)).x, abs=1e-4)
    assert 0.4 < alpha < 0.9
    for task, scores in zip(tasks, held_out, strict=True):
        assert np.abs(scores.mean(axis=0)).max() < 1e-9  # of judged systems: all of them
        assert pearson(scores.ravel(), task.human("document").ravel()) > 0.5
    assert tune_alpha(tasks, "m0", "m1", folds=2)[0] == 1  # m1 is an error rate
    tied = replace(tasks[0].pairs, preference=0 * tasks[0].pairs.preference)
    with pytest.raises(InputError, match="nothing to tune on"):
        tune_alpha([replace(tasks[0], judgments=tied)], "m0", "m2", folds=2)


def test_held_out_scores_ignore_their_own_judgments() -> None:
    """Turning all preferences of one document around leaves its held-out scores as they were."""
    task = make_task(3, (0.5, 2.0, 0.6))
    document = task.table.documents[4]
    fold = document_folds([task], 4)[0]
    together = {d.id for d in task.table.documents if fold[d.id] == fold[document.id]}
    chosen = [i for i, d in enumerate(task.table.documents) if d.id in together]
    inside = np.isin(task.document_of_segment[task.pairs.segment], chosen)
    turned = np.where(inside, -task.pairs.preference, task.pairs.preference)
    other = replace(task, judgments=replace(task.pairs, preference=turned))
    first = cross_validate([task], ["m0", "m1"], folds=4, l2=1e-3)[0]
    second = cross_validate([other], ["m0", "m1"], folds=4, l2=1e-3)[0]
    assert np.array_equal(first[:, document.rows], second[:, document.rows])
    assert not np.array_equal(first, second)
    first, second = (tune_alpha([t], "m0", "m2", folds=4)[1][0] for t in (task, other))
    assert np.array_equal(first[:, 4], second[:, 4])
    assert not np.array_equal(first, second)


def test_a_model_survives_its_file(tmp_path: Path) -> None:
    task = make_task(0)
    model = tune([task], ["m0", "m1"], l2=0.01, name="mine", training={"note": "test"})
    path = tmp_path / "model.json"
    model.save(path)
    again = Model.load(path)
    values = np.stack([task.table[m].at("segment") for m in model.fitted.metrics], axis=-1)
    assert np.array_equal(again.score(values), model.score(values))
    assert again.digest() == model.digest()
    assert again.training["note"] == "test"
    assert again.training["sets"] == ["made cs-en"]
    text = path.read_text()
    assert '"metric": "m0"' in text
    path.write_text(text.replace('"weight": ', '"weight": 1'))
    with pytest.raises(InputError, match="digest"):
        Model.load(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ("[]", "not a model"),
        ('{"format": "albeit-model/1"}', "damaged"),
        ('{"format": "albeit-model/1", "network": {}}', "has a network"),
    ],
)
def test_no_model(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        Model.load(path)
    with pytest.raises(InputError, match="cannot be read"):
        Model.load(tmp_path / "absent.json")


def test_bad_input_to_tuning() -> None:
    task = make_task(0)
    shape = task.table["m0"].at("segment").shape
    flat = Column("flat", Signature("flat"), True, np.ones(5), None, np.ones(shape))
    gaps = Column("gaps", Signature("gaps"), True, np.ones(5), None, np.full(shape, np.nan))
    worse = replace(task, table=task.table.with_columns([flat, gaps]))
    for metrics, message in (
        (["m0", "flat"], "flat is constant"),
        (["m0", "gaps"], "gaps has no score for a judged"),
        ([], "at least one"),
        (["absent"], "no column absent"),
    ):
        with pytest.raises(MetricError, match=message):
            fit([worse], metrics)
    tied = replace(task, judgments=replace(task.pairs, preference=0 * task.pairs.preference))
    with pytest.raises(InputError, match="prefer no translation"):
        fit([tied], ["m0"], l2=1.0)


def test_a_saved_models_signature_is_one_line_and_knows_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = make_task(0)
    columns = [task.table[f"m{i}"]._replace(name=name) for i, name in enumerate(("bleu", "dr"))]
    named = replace(task, table=task.table.with_columns(columns))
    path = tmp_path / "mine.json"
    tune([named], ["bleu", "dr"], l2=0.01, name="mine").save(path)
    signature = str(metric(str(path)).signature())
    assert len(signature) < 200
    assert f"|annotator:{annotator()}|" in signature
    monkeypatch.setattr(type(metric("bleu")), "versions", lambda *_: {"sacrebleu": "0"})
    assert str(metric(str(path)).signature()) != signature
