"""Run the encoder over sentences: batches of one padded length, windows where one is too long.

A batch holds only sentences whose length rounds up to the same multiple of ``STEP``, so the
shape that a sentence is computed in never depends on its neighbours. A sentence too long
for the encoder is read in overlapping windows, and each word is taken from the window in
which it stands furthest from an edge.

What heads read of a sentence is thus a function of its words alone, and is remembered for a
while: the sentences of a document were mostly read before, as lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Protocol

import numpy as np
import numpy.typing as npt

from albeit.parsing.layer import Labels
from albeit.parsing.subwords import CLS, SEP, Encoded

__all__ = [
    "BATCH_TOKENS",
    "MAX_SUBWORDS",
    "STEP",
    "Backend",
    "EncodedBatch",
    "Recent",
    "encode",
    "encode_again",
]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

STEP = 4
"""Lengths are rounded up to a multiple of this."""
BATCH_TOKENS = 1024
"""About how many subwords one batch holds."""
MAX_SUBWORDS = 500
"""The most subwords the encoder reads at once, without the two special ones."""
OVERLAP = 200
"""How many subwords neighbouring windows share."""
REMEMBERED = 1 << 27
"""How many bytes of what heads read are remembered: about 3,000 sentences."""


class Backend(Protocol):
    """What the runtime needs of a model."""

    version: str
    labels: Labels
    width: int
    """The length of a token's vector."""
    threshold: float
    """A word whose logit is higher begins an EDU."""
    label_weight: float
    """How much a tree's relations count when it is chosen, beside its splits."""
    recent: Recent
    """What it said of sentences lately."""

    def subwords(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Sentences of words as what the encoder reads."""

    def encode(self, ids: Ints, mask: Ints, cases: Ints) -> tuple[Floats, Floats]:
        """What the heads read and the middle layer, both [sentences, subwords, width]."""

    def head(self, name: str, *inputs: npt.NDArray[np.generic]) -> list[Floats]:
        """The outputs of one head."""


@dataclass(frozen=True)
class EncodedBatch:
    """Sentences of one batch: their numbers, words [sentences, words, width] and lengths.

    ``words`` is zero beyond a sentence's length. ``middle`` holds each sentence's subword
    vectors of the middle layer, without the special ones. ``outputs`` keeps what heads that
    several layers read have given.
    """

    sentences: Ints
    words: Floats
    lengths: Ints
    middle: list[Floats]
    outputs: dict[str, list[Floats]] = field(default_factory=dict)

    @cached_property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which words are there, [sentences, words]."""
        return np.arange(self.words.shape[1]) < self.lengths[:, None]

    @cached_property
    def ends(self) -> Ints:
        """Where each sentence ends in :attr:`flat`."""
        return np.cumsum(self.lengths)

    @cached_property
    def flat(self) -> Floats:
        """The words that are there, sentence after sentence, [words, width]."""
        return self.words[self.present]


class Recent:
    """What heads read of the sentences that were encoded last, a row per word; any number of threads."""

    def __init__(self, limit: int = REMEMBERED) -> None:
        self._limit = limit
        self._size = 0
        self._rows: dict[tuple[str, ...], Floats] = {}
        self._lock = Lock()

    def keep(self, sentences: Sequence[tuple[str, ...]], batch: EncodedBatch) -> None:
        """Remember a batch of these sentences; what was remembered first is forgotten first."""
        sizes = batch.lengths.tolist()
        with self._lock:
            for row, (number, size) in enumerate(zip(batch.sentences.tolist(), sizes, strict=True)):
                if sentences[number] not in self._rows:
                    rows = self._rows[sentences[number]] = batch.words[row, :size].copy()
                    self._size += rows.nbytes
            while self._size > self._limit:
                self._size -= self._rows.pop(next(iter(self._rows))).nbytes

    def find(self, sentences: Sequence[tuple[str, ...]]) -> dict[int, Floats]:
        """Those of these sentences that are remembered, by their numbers."""
        with self._lock:
            found = ((number, self._rows.get(words)) for number, words in enumerate(sentences))
            return {number: rows for number, rows in found if rows is not None}


def encode_again(sentences: Sequence[tuple[str, ...]], backend: Backend) -> Iterator[EncodedBatch]:
    """All sentences, without the middle layer; what was encoded lately is not encoded again."""
    known = backend.recent.find(sentences)
    others = np.array([n for n in range(len(sentences)) if n not in known], np.int64)
    for batch in encode(backend.subwords([sentences[n] for n in others]), backend):
        yield replace(batch, sentences=others[batch.sentences], middle=[])
    order = sorted(known, key=lambda number: len(known[number]))
    while order:
        width = len(known[order[0]])
        size = max(1, BATCH_TOKENS // max(1, width))
        some, order = order[:size], order[size:]
        lengths = np.array([len(known[number]) for number in some], np.int64)
        words = np.zeros((len(some), int(lengths.max()), backend.width), np.float32)
        for row, number in enumerate(some):
            words[row, : lengths[row]] = known[number]
        yield EncodedBatch(np.array(some, np.int64), words, lengths, [])


def encode(encoded: Encoded, backend: Backend) -> Iterator[EncodedBatch]:
    """Encode all sentences, shortest first."""
    lengths = np.diff(encoded.starts)
    padded = -(-(lengths + 2) // STEP) * STEP
    order = np.argsort(padded, kind="stable")
    fits = order[lengths[order] <= MAX_SUBWORDS]
    at = 0
    while at < len(fits):
        width = int(padded[fits[at]])
        stop = int(np.searchsorted(padded[fits], width, side="right"))
        size = max(1, BATCH_TOKENS // width)
        while at < stop:
            yield _batch(encoded, fits[at : min(at + size, stop)], width, backend)
            at = min(at + size, stop)
    for sentence in order[len(fits) :]:
        yield _windows(encoded, int(sentence), backend)


def _inputs(encoded: Encoded, begin: Ints, sizes: Ints, width: int) -> tuple[Ints, Ints, Ints]:
    """Ids, mask and casing [rows, width] of the subwords ``begin`` to ``begin + size``."""
    rows = np.arange(len(begin))
    places = np.arange(width)
    inside = (places >= 1) & (places <= sizes[:, None])
    source = np.where(inside, begin[:, None] + places - 1, 0)
    ids = np.where(inside, encoded.ids[source], 0)
    cases = np.where(inside, encoded.cases[source], 0)
    ids[:, 0] = CLS
    ids[rows, sizes + 1] = SEP
    mask = (places <= sizes[:, None] + 1).astype(np.int64)
    return ids, mask, cases


def _batch(encoded: Encoded, sentences: Ints, width: int, backend: Backend) -> EncodedBatch:
    begin = encoded.starts[sentences]
    sizes = encoded.starts[sentences + 1] - begin
    hidden, middle = backend.encode(*_inputs(encoded, begin, sizes, width))
    first_word = encoded.word_starts[sentences]
    lengths = encoded.word_starts[sentences + 1] - first_word
    places = np.arange(int(lengths.max()))
    present = places < lengths[:, None]
    word = np.where(present, first_word[:, None] + places, 0)
    where = np.where(present, encoded.first[word] + 1, 0)
    words = hidden[np.arange(len(sentences))[:, None], where]
    words[~present] = 0.0
    kept = [middle[row, 1 : size + 1] for row, size in enumerate(sizes.tolist())]
    return EncodedBatch(sentences, words, lengths, kept)


def _windows(encoded: Encoded, sentence: int, backend: Backend) -> EncodedBatch:
    """One sentence in overlapping windows of the same length."""
    start, stop = int(encoded.starts[sentence]), int(encoded.starts[sentence + 1])
    total = stop - start
    begins = list(range(0, total - MAX_SUBWORDS, MAX_SUBWORDS - OVERLAP))
    begins.append(total - MAX_SUBWORDS)
    best = np.full(total, -1, np.int64)
    owner = np.zeros(total, np.int64)
    for number, begin in enumerate(begins):
        places = np.arange(begin, begin + MAX_SUBWORDS)
        left = places - begin if begin else np.full(MAX_SUBWORDS, MAX_SUBWORDS)
        right = (
            (begin + MAX_SUBWORDS - 1 - places)
            if begin + MAX_SUBWORDS < total
            else left * 0 + MAX_SUBWORDS
        )
        distance = np.minimum(left, right)
        better = distance > best[places]
        best[places[better]] = distance[better]
        owner[places[better]] = number
    hidden = middle = np.zeros((0, 0), np.float32)
    sizes = np.array([MAX_SUBWORDS], np.int64)
    for number, begin in enumerate(begins):
        inputs = _inputs(encoded, np.array([start + begin]), sizes, MAX_SUBWORDS + 2)
        one, other = backend.encode(*inputs)
        if not number:
            hidden = np.zeros((total, one.shape[2]), np.float32)
            middle = np.zeros((total, other.shape[2]), np.float32)
        mine = np.flatnonzero(owner == number)
        hidden[mine] = one[0, mine - begin + 1]
        middle[mine] = other[0, mine - begin + 1]
    first, last = encoded.word_starts[sentence], encoded.word_starts[sentence + 1]
    words = hidden[encoded.first[first:last]][None]
    return EncodedBatch(np.array([sentence]), words, np.array([last - first]), [middle])
