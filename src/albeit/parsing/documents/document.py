"""A document as vectors of its words, each of which knows the whole surroundings.

First the model reads its sentences. The tower reads what the sentence heads read of each word, in blocks; in each of its layers a
block sees itself and its two neighbours. A long document is read in slices with so many blocks on
either side that what is kept is the same as if it had been read at once. Each document is
computed alone, so nothing depends on what else was in the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from albeit.parsing import heads
from albeit.parsing.encoder import Backend, encode_again
from albeit.parsing.layer import Labels

__all__ = [
    "APART",
    "BLOCK",
    "Document",
    "Heads",
    "Sentence",
    "in_blocks",
    "in_sight",
    "read_document",
    "read_sentences",
]

T = TypeVar("T", bound=np.generic)
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

BLOCK = 64
APART = 1000
"""Sentences whose numbers differ by this or more do not see each other. Places without a word
have the number ``-APART``."""


@dataclass(slots=True)
class Sentence:
    """One sentence; words and EDUs are counted from its first.

    ``hidden`` is what heads read, a row per word. ``heads`` count from 1; 0 is the root.
    """

    words: tuple[str, ...]
    hidden: Floats
    edus: Ints
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)


def read_sentences(
    sentences: Sequence[tuple[str, ...]], backend: Backend, *, tagged: bool
) -> list[Sentence]:
    """Read sentences with their EDUs; ``tagged`` with words' classes and heads."""
    found: dict[int, Sentence] = {}
    upos, xpos = backend.labels["upos"], backend.labels["xpos"]
    for batch in encode_again(sentences, backend):
        starts = heads.edu_starts(batch, backend)
        universal, penn = heads.tags(batch, backend) if tagged else (None, None)
        hung = heads.attachments(batch, backend) if tagged else None
        for row, number in enumerate(batch.sentences.tolist()):
            size = int(batch.lengths[row])
            one = Sentence(sentences[number], batch.words[row, :size], starts[row])
            found[number] = one
            if universal is not None and penn is not None and hung is not None:
                here = slice(int(batch.ends[row]) - size, int(batch.ends[row]))
                one.upos = [upos[k] for k in universal[here].tolist()]
                one.xpos = [xpos[k] for k in penn[here].tolist()]
                one.heads = hung[here].tolist()
    return [found[number] for number in range(len(sentences))]


def in_blocks(rows: npt.NDArray[T], filler: float = 0, size: int = BLOCK) -> npt.NDArray[T]:
    """Rows as blocks of so many, [blocks, size, …]; the last is filled up."""
    count = -(-len(rows) // size)
    out = np.full((count * size, *rows.shape[1:]), filler, rows.dtype)
    out[: len(rows)] = rows
    return out.reshape(count, size, *rows.shape[1:])


def in_sight(numbers: Ints) -> Ints:
    """The sentences that each block and its neighbours may hold, [blocks, sentences], from the
    sentence of each word, [blocks, size].

    A sentence stands in the same column wherever it is seen. Documents may follow each other, an
    empty block between them.
    """
    first, last = numbers[:, 0], numbers.max(1)
    before, after = np.append(first[:1], first[:-1]), np.append(last[1:], last[-1:])
    begin = np.where(first - before < APART, before, first)
    end = np.where(after - last < APART, np.maximum(after, last), last)
    columns = np.arange((end - begin).max() + 1)
    found: Ints = begin[:, None] + (columns - begin[:, None]) % len(columns)
    return found


LAYERS = 2
"""Layers of the tower: how many blocks away a word can matter."""
SLICE = 48
"""The most blocks whose vectors are made at once."""


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
    sizes = [len(s.words) for s in sentences]
    hidden = np.concatenate([s.hidden for s in sentences])
    tower = _tower(hidden, np.repeat(np.arange(len(sizes)), sizes), networks)
    (words,) = networks.head("words", tower, hidden)
    return Document(sentences, np.cumsum([0, *sizes]), words)


def _tower(hidden: Floats, numbers: Ints, networks: Heads) -> Floats:
    """The tower's vectors of all words, from the numbers of their sentences."""
    rows, where = in_blocks(hidden), in_blocks(numbers, -APART)
    sight = in_sight(where)
    found = np.zeros_like(rows)
    count = len(rows)
    for begin in range(0, count, SLICE):
        end = min(begin + SLICE, count)
        low, high = max(0, begin - LAYERS), min(count, end + LAYERS)
        (vectors,) = networks.head("tower", *(part[low:high] for part in (rows, where, sight)))
        found[begin:end] = vectors[begin - low : end - low]
    return found.reshape(-1, hidden.shape[1])[: len(hidden)]
