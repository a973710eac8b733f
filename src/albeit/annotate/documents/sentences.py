"""What the sentence model says of sentences, as far as documents are read from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from albeit.annotate import heads
from albeit.annotate.encoder import Backend, encode_again
from albeit.annotate.heads import trees

__all__ = ["Sentence", "read_sentences"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(slots=True)
class Sentence:
    """One sentence; words and EDUs are counted from its first.

    ``hidden`` is what heads read, a row per word; ``tree`` inner nodes as (first EDU, last, last of
    the left part, label), flat. ``heads`` count from 1; 0 is the root.
    """

    words: tuple[str, ...]
    hidden: Floats
    edus: Ints
    tree: list[int] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)


def read_sentences(
    sentences: Sequence[tuple[str, ...]], backend: Backend, *, joined: bool, tagged: bool
) -> list[Sentence]:
    """Read sentences; ``joined`` with trees over their EDUs, ``tagged`` with words' classes and heads."""
    found: dict[int, Sentence] = {}
    vectors: dict[int, Floats] = {}
    upos, xpos = backend.labels["upos"], backend.labels["xpos"]
    for batch in encode_again(sentences, backend):
        starts = heads.edu_starts(batch, backend)
        units = heads.edu_vectors(batch, starts) if joined else []
        universal, penn = heads.tags(batch, backend) if tagged else (None, None)
        hung = heads.attachments(batch, backend) if tagged else None
        for row, number in enumerate(batch.sentences.tolist()):
            size = int(batch.lengths[row])
            one = Sentence(sentences[number], batch.words[row, :size], starts[row])
            found[number] = one
            if joined:
                vectors[number] = units[row]
            if universal is not None and penn is not None and hung is not None:
                here = slice(int(batch.ends[row]) - size, int(batch.ends[row]))
                one.upos = [upos[k] for k in universal[here].tolist()]
                one.xpos = [xpos[k] for k in penn[here].tolist()]
                one.heads = hung[here].tolist()
    read = [found[number] for number in range(len(sentences))]
    if joined:
        order = range(len(read))
        nodes = trees(
            [s.edus for s in read], [vectors[k] for k in order], [[k] for k in order], backend
        )
        for sentence, tree in zip(read, nodes, strict=True):
            sentence.tree = tree
    return read
