"""A document as vectors of its words, each of which knows the whole surroundings.

The tower reads subwords in blocks of ``BLOCK``; in each of its layers a block sees itself and
its two neighbours. A long document is read in slices with so many blocks on either side that
what is kept is the same as if it had been read at once. Each document is computed alone, so
nothing depends on what else was in the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from albeit.annotate.documents.sentences import Sentence
from albeit.annotate.layer import Labels

__all__ = ["Document", "Heads", "read_document"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

BLOCK = 128
LAYERS = 3
"""Layers of the tower: how many blocks away a word can matter."""
SLICE = 24
"""The most blocks whose vectors are made at once."""
PADDING = -1000
"""The sentence number of subwords that are not there: too far from all others to be seen."""


class Heads(Protocol):
    """The networks over documents."""

    labels: Labels
    version: str

    def head(self, name: str, *inputs: npt.NDArray[np.generic]) -> list[Floats]:
        """The outputs of one of them."""


@dataclass(slots=True)
class Document:
    """The sentences of a document in order, and the vectors of its words."""

    sentences: Sequence[Sentence]
    starts: Ints
    """The first word of each sentence, and the number of words."""
    words: Floats


def read_document(sentences: Sequence[Sentence], networks: Heads) -> Document:
    """Read a document of one sentence or more."""
    sizes = [len(s.middle) for s in sentences]
    bases = np.cumsum([0, *sizes])
    tower = _tower(
        np.concatenate([s.middle for s in sentences]),
        np.concatenate([s.cases for s in sentences]),
        np.repeat(np.arange(len(sizes)), sizes),
        networks,
    )
    first = np.concatenate([s.first + b for s, b in zip(sentences, bases, strict=False)])
    hidden = np.concatenate([s.hidden for s in sentences])
    (words,) = networks.head("words", tower[first], hidden)
    return Document(sentences, np.cumsum([0, *(len(s.words) for s in sentences)]), words)


def _tower(middle: Floats, cases: Ints, numbers: Ints, networks: Heads) -> Floats:
    """The tower's vectors of all subwords."""
    count = -(-len(middle) // BLOCK)
    rows, width = count * BLOCK, middle.shape[1]
    blocks = (
        _padded(middle, rows).reshape(count, BLOCK, width),
        _padded(cases, rows).reshape(count, BLOCK),
        _padded(numbers, rows, PADDING).reshape(count, BLOCK),
    )
    found = np.zeros((count, BLOCK, width), np.float32)
    for begin in range(0, count, SLICE):
        end = min(begin + SLICE, count)
        low, high = max(0, begin - LAYERS), min(count, end + LAYERS)
        (vectors,) = networks.head("tower", *(part[low:high] for part in blocks))
        found[begin:end] = vectors[begin - low : end - low]
    return found.reshape(rows, width)[: len(middle)]


def _padded(
    values: npt.NDArray[np.generic], rows: int, filler: float = 0
) -> npt.NDArray[np.generic]:
    out = np.full((rows, *values.shape[1:]), filler, values.dtype)
    out[: len(values)] = values
    return out
