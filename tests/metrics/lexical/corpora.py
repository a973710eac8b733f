"""Small texts and helpers that the tests of lexical metrics share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from albeit.data.evalset import Document, EvalSet
from albeit.metrics.base import Batch, FloatArray, Metric
from tests.metrics.documents import columns

HYPOTHESES, *REFERENCES = columns("""
The dog slept and the cat sat on a mat. | The cat sat on the mat, and the dog slept. \
    | A cat was sitting on the mat while the dog slept.
Prices rose however in May by 3.5%. | However, prices rose by 3.5% in May. \
    | But prices went up 3.5 percent in May.
 | “Nobody knows,” she said. | She said that no one knew.
It rained. | It rained. | There was rain.
The expert is he, he's the state of the art isn't he \
    | He's the state-of-the-art expert; isn't he? | He is the leading expert, isn't he?
""")

Lines = Sequence[str]
Texts = Sequence[Lines]
words = st.sampled_from(
    ["a", "b", "c", "d", "e", "the", "cat", "sat", ",", ".", "A", "The", "3.5", "é", "猫"]
)
lines = st.lists(words, max_size=12).map(" ".join)
corpora = st.integers(1, 5).flatmap(
    lambda n: st.tuples(
        st.lists(lines, min_size=n, max_size=n),
        st.lists(st.lists(lines, min_size=n, max_size=n), min_size=1, max_size=3),
    )
)


def a_set(hypotheses: Lines, references: Texts, lang: str = "en") -> EvalSet:
    """One system against all references."""
    texts = {str(i): tuple(lines) for i, lines in enumerate(references)}
    return EvalSet(texts, {"s": tuple(hypotheses)}, target_lang=lang)


def batch(hypotheses: Lines, references: Texts, lang: str = "en") -> Batch:
    """All lines as one document."""
    return Batch(hypotheses, references, None, [Document("d", 0, len(hypotheses))], lang)


def statistics(
    metric: Metric, hypotheses: Lines, references: Texts, lang: str = "en"
) -> FloatArray:
    """Prepare and run a metric on one batch."""
    evalset = a_set(hypotheses, references, lang)
    metric.check(evalset)
    return metric.statistics(batch(hypotheses, references, lang), metric.prepare(evalset))


def system(metric: Metric, hypotheses: Lines, references: Texts, lang: str = "en") -> float:
    """The system score."""
    return float(metric.score(statistics(metric, hypotheses, references, lang).sum(axis=0)))


def assert_additive(metric: Metric, hypotheses: Lines, references: Texts) -> None:
    """Rows must not depend on what else is in the batch, nor scores on the order of rows."""
    context = metric.prepare(a_set(hypotheses, references))

    def rows(chosen: Sequence[int]) -> FloatArray:
        lines = [[text[i] for i in chosen] for text in (hypotheses, *references)]
        return metric.statistics(batch(lines[0], lines[1:]), context)

    count = len(hypotheses)
    whole = rows(range(count))
    single = np.concatenate([rows([i]) for i in range(count)])
    np.testing.assert_allclose(single, whole, rtol=1e-12)
    np.testing.assert_allclose(rows(range(count)[::-1])[::-1], whole, rtol=1e-12)
    assert whole.shape[0] == count
    assert np.isfinite(metric.segment_score(whole)).all()
    assert np.isfinite(metric.score(whole.sum(axis=0)))


def read(path: Path, limit: int | None = None) -> list[str]:
    """The lines of a file."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")[:limit]
