"""A made-up test set whose quality is known: metrics are noisy views of it."""

from __future__ import annotations

import numpy as np

from albeit import Document, Task
from albeit.data.judgments import Pairs
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column, ScoreTable


def build(
    seed: int = 0,
    noise: tuple[float, ...] = (0.5, 2.0),
    *,
    name: str = "made",
    pair: str = "cs",
    documents: int = 12,
) -> Task:
    """Systems × segments of true quality, seen by metrics m0, m1 … through noise."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(4, 9, documents)
    stops = np.cumsum(lengths)
    docs = tuple(
        Document(f"d{i}", int(stop - size), int(stop))
        for i, (stop, size) in enumerate(zip(stops, lengths, strict=True))
    )
    systems, segments, pairs = 5, int(stops[-1]), 2000
    truth = rng.normal(size=(systems, segments)) + np.linspace(0, 1, systems)[:, None]
    columns = {}
    for i, level in enumerate(noise):
        scores = 10 * (truth + level * rng.normal(size=truth.shape))
        better = i % 2 == 0
        scores = scores if better else -scores
        by_document = np.add.reduceat(scores, [d.start for d in docs], axis=1) / lengths
        levels = scores.mean(axis=1), by_document, scores
        columns[f"m{i}"] = Column(f"m{i}", Signature(f"m{i}", version="1"), better, *levels)
    table = ScoreTable(tuple("ABCDE"), docs, columns, name, (pair, "en"))
    segment = rng.integers(0, segments, pairs)
    left = rng.integers(0, systems, pairs)
    right = (left + rng.integers(1, systems, pairs)) % systems
    gap = truth[left, segment] - truth[right, segment] + 0.3 * rng.normal(size=pairs)
    preference = np.where(np.abs(gap) < 0.1, 0, np.sign(gap)).astype(np.int64)
    return Task(table, Pairs(table.systems, segment, left, right, preference))
