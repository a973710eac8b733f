from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit import score
from albeit.data.evalset import Document, EvalSet
from albeit.errors import LanguageError
from albeit.metrics.base import Batch
from albeit.metrics.judge.sim import Sim, nearest
from albeit.parsing.layers import TOKENS, VECTORS, Analysis, Tokens, Vectors


def analysis(text: str) -> Analysis:
    """One unit vector a word, the same for the same word: similarity is then word overlap."""
    words = text.split()
    rows = np.zeros((len(words), 64), dtype=np.float32)
    for i, word in enumerate(words):
        rows[i, sum(map(ord, word)) % 64] = 1.0
    tokens = Tokens(tuple(words), tuple((0, 0) for _ in words))
    return Analysis(
        text, {TOKENS: tokens, VECTORS: Vectors(rows, np.arange(len(words), dtype=np.int32))}
    )


def scores(sim: Sim, pairs: list[tuple[str, str]], extra: list[str] | None = None) -> list[float]:
    ours, theirs = [a for a, _ in pairs], [b for _, b in pairs]
    references = [theirs] + ([extra] if extra else [])
    texts = {t for line in (ours, *references) for t in line}
    batch = Batch(
        ours,
        references,
        None,
        [Document("d", 0, len(ours))],
        analyses={t: analysis(t) for t in texts},
    )
    context = sim.prepare(EvalSet({"r": tuple(theirs)}, {"s": tuple(ours)}))
    return [float(s) for s in sim.score(sim.statistics(batch, context))]


def test_precision_recall_and_f1_of_words() -> None:
    pair = [("a b x y", "a b c")]
    assert scores(Sim("precision", "equal"), pair) == pytest.approx([2 / 4])
    assert scores(Sim("recall", "equal"), pair) == pytest.approx([2 / 3])
    assert scores(Sim(weights="equal"), pair) == pytest.approx([2 * 0.5 * (2 / 3) / (0.5 + 2 / 3)])


words = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8).map(" ".join)


@given(words, words)
def test_symmetric_and_bounded(a: str, b: str) -> None:
    (f1,) = scores(Sim(), [(a, b)])
    assert 0 <= f1 <= 1 + 1e-6
    assert scores(Sim(), [(b, a)]) == pytest.approx([f1])
    assert scores(Sim("precision", "equal"), [(a, b)]) == pytest.approx(
        scores(Sim("recall", "equal"), [(b, a)])
    )
    assert scores(Sim(), [(a, a)]) == pytest.approx([1.0])


def test_rare_words_count_more_with_idf() -> None:
    """'a' is in every reference, 'z' in one: to have 'z' right is worth more."""
    pairs = [("a x", "a z"), ("x z", "a z"), ("a", "a"), ("a", "a b")]
    plain, weighted = (
        scores(Sim("recall", "equal"), pairs),
        scores(Sim("recall", weights="set"), pairs),
    )
    assert plain[0] == plain[1] == pytest.approx(0.5)
    assert weighted[1] > 0.5 > weighted[0]


def test_empty_texts() -> None:
    assert scores(Sim(), [("", "a b"), ("a", ""), ("", "")]) == [0.0, 0.0, 1.0]
    assert scores(Sim(weights="set"), [("a", "a")]) == pytest.approx([1.0])


def test_the_best_reference_counts() -> None:
    assert scores(Sim(), [("a b", "c d")], ["a b"]) == pytest.approx([1.0])


def test_rare_words_of_english_count_more() -> None:
    """'the' is common, 'legislation' is not, and that does not depend on the set."""
    pairs = [("the x", "the legislation"), ("x legislation", "the legislation")]
    common, rare = scores(Sim("recall"), pairs)
    assert common < 0.4 < 0.6 < rare
    assert scores(Sim("recall"), pairs[:1]) == pytest.approx([common])


def test_other_languages_than_english_are_refused() -> None:
    evalset = EvalSet({"ref": ("Ja.",)}, {"a": ("Ja.",)}, target_lang="de")
    for name in ("sim", "sim(weights=equal)"):
        with pytest.raises(LanguageError, match="cannot score translations into 'de'; it knows en"):
            score(evalset, metrics=[name])


def test_nearest_is_the_largest_product_of_each_row() -> None:
    rng = np.random.default_rng(0)
    left, right = (rng.normal(size=(n, 384)).astype(np.float32) for n in (7, 4))
    products = left @ right.T
    from_left, from_right = nearest(left, right)
    assert from_left == pytest.approx(products.max(axis=1), abs=1e-4)
    assert from_right == pytest.approx(products.max(axis=0), abs=1e-4)
