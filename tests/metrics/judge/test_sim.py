from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit import Batch, Document, EvalSet
from albeit.metrics.judge.sim import Sim
from albeit.parsing.layers import VECTORS, Analysis, Vectors
from tests.metrics.documents import segment


def unit_vectors(text: str) -> Analysis:
    """One unit vector per word, the same for the same word: similarity is then word overlap."""
    words = text.split()
    rows = np.zeros((len(words), 64), dtype=np.float32)
    rows[range(len(words)), [sum(map(ord, word)) % 64 for word in words]] = 1
    return segment(text, {VECTORS: Vectors(rows, np.arange(len(words), dtype=np.int32))})


def scores(sim: Sim, *pairs: tuple[str, ...]) -> list[float]:
    """Hypotheses with their references."""
    ours, *references = zip(*pairs, strict=True)
    analyses = {text: unit_vectors(text) for pair in pairs for text in pair}
    batch = Batch(ours, references, None, [Document("d", 0, len(ours))], analyses=analyses)
    context = sim.prepare(EvalSet({"r": references[0]}, {"s": ours}))
    return [float(s) for s in sim.score(sim.statistics(batch, context))]


@pytest.mark.parametrize(
    ("sim", "pair", "expected"),
    [
        (Sim("precision", "equal"), ("a b x y", "a b c"), 2 / 4),
        (Sim("recall", "equal"), ("a b x y", "a b c"), 2 / 3),
        (Sim(weights="equal"), ("a b x y", "a b c"), 2 * 0.5 * (2 / 3) / (0.5 + 2 / 3)),
        (Sim(), ("a b", "c d", "a b"), 1),
        (Sim(), ("", "a b"), 0),
        (Sim(), ("a", ""), 0),
        (Sim(), ("", ""), 1),
        (Sim(weights="set"), ("a", "a"), 1),
    ],
)
def test_by_hand(sim: Sim, pair: tuple[str, ...], expected: float) -> None:
    assert scores(sim, pair) == pytest.approx([expected])


words = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8).map(" ".join)


@given(words, words)
def test_symmetric_and_bounded(a: str, b: str) -> None:
    (f1,) = scores(Sim(), (a, b))
    assert 0 <= f1 <= 1 + 1e-6
    assert scores(Sim(), (b, a)) == pytest.approx([f1])
    recall = scores(Sim("recall", "equal"), (b, a))
    assert scores(Sim("precision", "equal"), (a, b)) == pytest.approx(recall)
    assert scores(Sim(), (a, a)) == pytest.approx([1.0])


def test_rare_words_count_more() -> None:
    # "a" is in every reference, "z" in one
    pairs = [("a x", "a z"), ("x z", "a z"), ("a", "a"), ("a", "a b")]
    assert scores(Sim("recall", "equal"), *pairs)[:2] == pytest.approx([0.5, 0.5])
    common, rare = scores(Sim("recall", "set"), *pairs)[:2]
    assert common < 0.5 < rare
    # in English, whatever the set
    pairs = [("the x", "the legislation"), ("x legislation", "the legislation")]
    common, rare = scores(Sim("recall"), *pairs)
    assert common < 0.4 < 0.6 < rare
    assert scores(Sim("recall"), pairs[0]) == pytest.approx([common])
