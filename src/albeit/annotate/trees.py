"""Trees of texts: the RST head's scores of all candidates, decoded text by text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from albeit.annotate.decode import rst
from albeit.annotate.encoder import Backend

__all__ = ["trees"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

GROUP_EDUS = 4096
"""About how many EDUs are joined into trees together."""
SLICE = 1 << 15
"""The most candidates that the RST head scores at once."""


def trees(
    starts: Sequence[Ints], edus: Sequence[Floats], texts: Sequence[Sequence[int]], backend: Backend
) -> list[list[int]]:
    """Inner nodes of every text's tree: first EDU, last, last of the left part, label.

    ``starts`` and ``edus`` hold each sentence's EDUs and their vectors; a text is the numbers of
    its sentences. Texts are taken in groups that bound the memory.
    """
    found: list[list[int]] = []
    group: list[Sequence[int]] = []
    count = 0
    for text in texts:
        group.append(text)
        count += sum(len(starts[s]) for s in text)
        if count >= GROUP_EDUS:
            found += _group(starts, edus, group, backend)
            group, count = [], 0
    return found + _group(starts, edus, group, backend)


def _group(
    starts: Sequence[Ints], edus: Sequence[Floats], texts: Sequence[Sequence[int]], backend: Backend
) -> list[list[int]]:
    order = [s for text in texts for s in text]
    sizes = np.array([len(starts[s]) for s in order], np.int64)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    offsets = ends[np.cumsum([0, *map(len, texts)])]
    sentences = np.repeat(np.arange(len(order)), sizes)
    planned = rst.plan(sentences.astype(np.int32), offsets.astype(np.int32))
    if not len(planned.candidates):
        return [[] for _ in texts]
    vectors = np.concatenate([edus[s] for s in order])
    candidates = planned.candidates.astype(np.int64)
    parts = [
        backend.head("rst", vectors, candidates[a : a + SLICE], planned.features[a : a + SLICE])
        for a in range(0, len(candidates), SLICE)
    ]
    splits, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    nodes, _, bounds = rst.trees(planned, splits, labels, backend.label_weight)
    moved = nodes.astype(np.int64)
    moved[:, :3] -= np.repeat(offsets[:-1], np.diff(bounds))[:, None]
    return [moved[a:b].ravel().tolist() for a, b in pairwise(bounds.tolist())]
