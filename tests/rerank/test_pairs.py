from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import albeit
from albeit.corpus import EvalSet
from albeit.errors import AlbeitError, MetricError
from albeit.metrics.registry import metric
from albeit.rerank.pairs import Comparer, aggregated, exact, pairwise, pruned

TEXTS = (
    "The cat sat on the mat.",
    "A cat sat on a mat",
    "",
    "Dogs bark!",
    "The cat sat on the mat.",
)
LINES = st.lists(st.text("ab c.", max_size=12), min_size=1, max_size=6)
FAST = ("chrf", "chrf++", "bleu", "chrf(eps_smoothing=yes)", "bleu(smooth=add-k)")


@pytest.mark.parametrize("name", [*FAST, "ter", "rouge-l"])
def test_the_matrix_holds_what_scoring_gives(name: str) -> None:
    found = pairwise(TEXTS, name)
    for j, reference in enumerate(TEXTS):
        evalset = EvalSet({"r": (reference,) * len(TEXTS)}, {"s": TEXTS})
        scores = albeit.score(evalset, [name])[metric(name)].at("segment")[0]
        np.testing.assert_allclose(found[:, j], scores, rtol=1e-12)


@settings(max_examples=40, deadline=None)
@given(LINES)
def test_counted_once_or_pair_by_pair_is_the_same(texts: list[str]) -> None:
    for name in FAST[:3]:
        own = metric(name)
        everyone = np.arange(len(texts))
        comparer = Comparer(own, texts)
        quick = comparer.pairs(texts).rows(everyone, everyone)
        left = [texts[i] for i in np.repeat(everyone, len(texts))]
        right = texts * len(texts)
        np.testing.assert_array_equal(quick.reshape(len(left), -1), comparer.rows(left, right))


def test_the_order_of_a_metric_that_counts_errors_is_turned() -> None:
    texts = ("a cat sat on a mat", "the cat sat on a mat", "the cat sat on a rug")
    pairs = Comparer(metric("ter"), texts).pairs(texts)
    assert exact(pairs, np.full(3, 1 / 3)).argmax() == 1


@pytest.mark.parametrize("name", ["chrf", "bleu"])
def test_mean_counts_of_equal_references_are_those_of_one(name: str) -> None:
    texts = ("The cat sat on the mat.", *["A cat sat on the mat today."] * 4)
    weights = np.array([0, 0.25, 0.25, 0.25, 0.25])
    pairs = Comparer(metric(name), texts).pairs(texts)
    np.testing.assert_allclose(aggregated(pairs, weights), exact(pairs, weights), rtol=1e-12)


def test_only_some_metrics_have_mean_statistics() -> None:
    pairs = Comparer(metric("ter"), TEXTS).pairs(TEXTS)
    with pytest.raises(MetricError, match=r"ter has no mean statistics; bleu, chrf and sim do"):
        aggregated(pairs, np.full(5, 0.2))


def _crowd(count: int, seed: int) -> list[str]:
    """Noisy copies of one sentence, the first of them with the least noise."""
    random = np.random.default_rng(seed)
    words = [
        "the",
        "quick",
        "brown",
        "fox",
        "jumps",
        "over",
        "the",
        "lazy",
        "dog",
        "near",
        "the",
        "old",
        "river",
        "bank",
        "today",
    ]
    noise = [0.02, *random.uniform(0.1, 0.8, count - 1)]
    return [
        " ".join(w if random.random() > p else f"x{random.integers(99)}" for w in words)
        for p in noise
    ]


def test_pruning_keeps_the_best_as_often_as_it_says_and_saves_work() -> None:
    kept = saved = 0
    for seed in range(40):
        texts = _crowd(48, seed)
        pairs = Comparer(metric("chrf"), texts).pairs(texts)
        weights = np.full(len(texts), 1 / len(texts))
        truth = exact(pairs, weights)
        found, done = pruned(pairs, weights, 0.05, seed)
        kept += int(found.argmax() == truth.argmax())
        saved += len(texts) ** 2 - done
        stayed = np.isfinite(found)
        np.testing.assert_allclose(found[stayed], truth[stayed])
    assert kept >= 38
    assert saved > 0.3 * 40 * 48**2


def test_nothing_to_compare() -> None:
    with pytest.raises(AlbeitError, match="no texts"):
        pairwise((), "chrf")
