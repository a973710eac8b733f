"""Read documents: vectors of words in the context of the whole document.

The model reads the sentences first. A *tower* of transformer layers then reads its output for
each word, in blocks. In each layer, a block attends to itself and its two neighbors. A long
document is read in slices with enough blocks on either side that the result is the same as for
the whole document. Each document is computed alone, so no result depends on other input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from albeit.parsing.encoder import Backend, Heads, encode_again
from albeit.parsing.pipeline import attachments, edu_starts, tags

T = TypeVar("T", bound=np.generic)
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

BLOCK = 64
APART = 1000
"""Sentences whose indices differ by this or more don't attend to each other. Positions without a
word have the index ``-APART``."""


@dataclass(slots=True)
class Sentence:
    """One sentence; EDUs index its words.

    ``hidden`` is the encoder's output, one row per word. ``heads`` count from 1; 0 is the root.
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
    """Encode sentences with their EDUs; ``tagged`` adds parts of speech and heads."""
    found: dict[int, Sentence] = {}
    upos, xpos = backend.labels["upos"], backend.labels["xpos"]
    for batch in encode_again(sentences, backend):
        starts = edu_starts(batch, backend)
        universal, penn = tags(batch, backend) if tagged else (None, None)
        hung = attachments(batch, backend) if tagged else None
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
    """Return rows as blocks, [blocks, size, …]; the last one is padded."""
    count = -(-len(rows) // size)
    out = np.full((count * size, *rows.shape[1:]), filler, rows.dtype)
    out[: len(rows)] = rows
    return out.reshape(count, size, *rows.shape[1:])


def in_sight(numbers: Ints) -> Ints:
    """Return the sentences of each block and its neighbors, [blocks, sentences].

    ``numbers`` has the sentence of each word, [blocks, size]. A sentence is in the same column in
    all rows. Documents can follow each other, with an empty block between them.
    """
    first, last = numbers[:, 0], numbers.max(1)
    before, after = np.append(first[:1], first[:-1]), np.append(last[1:], last[-1:])
    begin = np.where(first - before < APART, before, first)
    end = np.where(after - last < APART, np.maximum(after, last), last)
    columns = np.arange((end - begin).max() + 1)
    found: Ints = begin[:, None] + (columns - begin[:, None]) % len(columns)
    return found


LAYERS = 2
"""Number of layers of the tower: the distance in blocks at which a word can matter."""
SLICE = 48
"""Maximum number of blocks that are computed at once."""


@dataclass(slots=True)
class Document:
    """The sentences of a document in order, and the vectors of its words."""

    sentences: Sequence[Sentence]
    starts: Ints
    """The first word of each sentence, then the number of words."""
    words: Floats


def read_document(sentences: Sequence[Sentence], networks: Heads) -> Document:
    """Read a document of one sentence or more."""
    sizes = [len(s.words) for s in sentences]
    hidden = np.concatenate([s.hidden for s in sentences])
    tower = _tower(hidden, np.repeat(np.arange(len(sizes)), sizes), networks)
    (words,) = networks.head("words", tower, hidden)
    return Document(sentences, np.cumsum([0, *sizes]), words)


def _tower(hidden: Floats, numbers: Ints, networks: Heads) -> Floats:
    """Return the tower's vectors of all words, from the indices of their sentences."""
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
