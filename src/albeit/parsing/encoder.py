"""Encode sentences of words: subwords, batches of one padded length, and windows.

A batch has only sentences whose length rounds up to the same multiple of ``STEP``, so the shape
in which a sentence is computed never depends on other sentences. A sentence that is too long for
the encoder is read in overlapping windows, and each word is taken from the window in which it is
furthest from an edge.

So the output for a sentence depends on its words alone. Recent outputs are remembered, because
most sentences of a document were encoded before, as lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from albeit.arrays import BoolArray, FloatArray, Floats32, IntArray
from albeit.parsing.tokenize import plain_forms

if TYPE_CHECKING:
    from albeit.parsing.model import Model


CLS, SEP, UNK = 101, 102, 100
_REMEMBERED = 1 << 18
STEP = 4
"""Lengths are rounded up to a multiple of this."""
BATCH_TOKENS = 1024
"""Approximate number of subwords per batch."""
MAX_SUBWORDS = 500
"""Maximum number of subwords that the encoder reads at once, without the two special ones."""
REFERENCE = 6
"""Added to the casing class of a second text's subwords, to distinguish the texts."""
OVERLAP = 200
"""Number of subwords that neighboring windows have in common."""
REMEMBERED = 1 << 27
"""Bytes of encoder output to keep: about 3,000 sentences."""


def casing(word: str) -> int:
    """Return 1 for no capitals, 2 first letter only, 3 all, 4 mixed, 5 no letters."""
    lower = word.lower()
    upper = word.upper()
    if lower == upper:
        return 5
    if word == lower:
        return 1
    if word[1:] == word[1:].lower():
        return 2
    return 3 if word == upper else 4


class Encoded(NamedTuple):
    """Many sentences, one after the other, without special tokens and padding.

    ``ids`` and ``cases`` are flat over all subwords; sentence ``s`` has the subwords
    ``starts[s]`` to ``starts[s + 1]`` and the words ``word_starts[s]`` to
    ``word_starts[s + 1]``; ``first`` gives each word's first subword within its sentence.
    """

    ids: IntArray
    cases: IntArray
    starts: IntArray
    word_starts: IntArray
    first: IntArray


class Rows(NamedTuple):
    """What is read at once: ``sizes`` subwords of each text from ``begin`` on, both (texts, rows).

    ``item`` is the number of the item that a row belongs to. A special token is before the first
    text and after each text.
    """

    item: IntArray
    begin: IntArray
    sizes: IntArray

    @property
    def lengths(self) -> IntArray:
        """The length of each row, with special tokens."""
        return np.asarray(self.sizes.sum(axis=0) + len(self.sizes) + 1)

    def shares(self) -> FloatArray:
        """Return each row's part of its item, by length."""
        weights = self.sizes.sum(axis=0).astype(np.float64)
        whole = np.bincount(self.item, weights)[self.item]
        return np.asarray(np.where(whole > 0, weights / np.maximum(whole, 1), 1.0))

    def positions(self, rows: IntArray, width: int) -> tuple[IntArray, IntArray]:
        """Return the text and the subword at each position of rows, both [rows, width].

        The text is -1 for special tokens and padding, where the subword is 0.
        """
        begin, marks = self.begin[:, rows].T, np.cumsum(self.sizes[:, rows] + 1, axis=0).T
        positions = np.arange(width)
        text = (positions > marks[..., None]).sum(axis=1)
        inside = (positions > 0) & (text < len(self.sizes))
        inside &= (positions != marks[..., None]).all(axis=1)
        own = np.where(inside, text, 0)
        before = np.take_along_axis(np.pad(marks, ((0, 0), (1, 0))), own, axis=1)
        subword = np.take_along_axis(begin, own, axis=1) + positions - before - 1
        return np.where(inside, text, -1), np.where(inside, subword, 0)

    def inputs(
        self, encoded: Encoded, rows: IntArray, width: int
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Return ids, mask, and casing of rows, each [rows, width]."""
        text, subword = self.positions(rows, width)
        positions, ends = np.arange(width), self.lengths[rows, None]
        ids = np.where(text < 0, SEP * (positions < ends), encoded.ids[subword])
        ids[:, 0] = CLS
        cases = np.where(text < 0, 0, encoded.cases[subword] + REFERENCE * (text == 1))
        return ids, (positions < ends).astype(np.int64), cases


def batch_by_length(lengths: IntArray, step: int) -> Iterator[tuple[IntArray, int]]:
    """Yield the numbers of rows of one padded length, and that length, a multiple of ``step``."""
    padded = -(-lengths // step) * step
    order = np.argsort(padded, kind="stable")
    for alike in np.split(order, np.flatnonzero(np.diff(padded[order])) + 1):
        width = int(padded[alike[:1]].sum())
        size = max(1, BATCH_TOKENS // max(width, 1))
        for start in range(0, len(alike), size):
            yield alike[start : start + size], width


class Subwords:
    """Splits words into subwords, and remembers them.

    ``core`` returns the part of a word without punctuation, which determines the casing.
    """

    def __init__(self, path: Path, core: Callable[[str], str] = str) -> None:
        from tokenizers import Tokenizer

        self._core = core
        self._tokenizer: Any = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._known: dict[str, tuple[list[int], int]] = {}

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Encode sentences of words; a word has at least one subword."""
        self._learn({word for sentence in sentences for word in sentence})
        known = self._known
        ids: list[int] = []
        cases: list[int] = []
        counts: list[int] = []
        for sentence in sentences:
            for word in sentence:
                pieces, case = known[word]
                ids += pieces
                cases.append(case)
                counts.append(len(pieces))
        sizes = np.array(counts, np.int64)
        word_starts = np.zeros(len(sentences) + 1, np.int64)
        np.cumsum([len(sentence) for sentence in sentences], out=word_starts[1:])
        before = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(sizes, out=before[1:])
        starts = before[word_starts]
        first = before[:-1] - np.repeat(starts[:-1], np.diff(word_starts))
        flat = np.array(ids, np.int64), np.repeat(np.array(cases, np.int64), sizes)
        return Encoded(*flat, starts, word_starts, first)

    def _learn(self, words: set[str]) -> None:
        new = [word for word in words if word not in self._known]
        if not new:
            return
        if len(self._known) + len(new) > _REMEMBERED:
            self._known.clear()
            new = list(words)
        # the tokenizer can't read a lone surrogate
        plain = [w.encode("utf-8", "replace").decode("utf-8") for w in plain_forms(new)]
        batch = self._tokenizer.encode_batch(plain, add_special_tokens=False)
        for word, seen, encoding in zip(new, plain, batch, strict=True):
            self._known[word] = (encoding.ids or [UNK], casing(self._core(seen)))


class EncodedBatch(NamedTuple):
    """Sentences of one batch: their indices, words [sentences, words, width] and lengths.

    ``words`` is zero beyond a sentence's length, where the mask ``present`` is false. ``middle``
    holds each sentence's subword vectors of the middle layer, without the special ones. ``flat``
    has all words, sentence after sentence, and ``ends`` the end of each sentence in it. ``outputs``
    has the output of heads that several layers read.
    """

    sentences: IntArray
    words: Floats32
    lengths: IntArray
    middle: list[Floats32]
    present: BoolArray
    ends: IntArray
    flat: Floats32
    outputs: dict[str, Any]


def make_batch(
    sentences: IntArray, words: Floats32, lengths: IntArray, middle: list[Floats32]
) -> EncodedBatch:
    """Make a batch with the mask of its words, and with all words in one array."""
    present = np.arange(words.shape[1]) < lengths[:, None]
    ends, flat = np.cumsum(lengths), words[present]
    return EncodedBatch(sentences, words, lengths, middle, present, ends, flat, {})


class Recent:
    """The encoder output of recent sentences, one row per word; safe for threads."""

    def __init__(self, limit: int = REMEMBERED) -> None:
        self._limit = limit
        self._size = 0
        self._rows: dict[tuple[str, ...], Floats32] = {}
        self._lock = Lock()

    def keep(self, sentences: Sequence[tuple[str, ...]], batch: EncodedBatch) -> None:
        """Keep a batch of sentences, and drop the oldest ones."""
        sizes = batch.lengths.tolist()
        with self._lock:
            for row, (number, size) in enumerate(zip(batch.sentences.tolist(), sizes, strict=True)):
                if sentences[number] not in self._rows:
                    rows = self._rows[sentences[number]] = batch.words[row, :size].copy()
                    self._size += rows.nbytes
            while self._size > self._limit:
                self._size -= self._rows.pop(next(iter(self._rows))).nbytes

    def find(self, sentences: Sequence[tuple[str, ...]]) -> dict[int, Floats32]:
        """Return the output of those of these sentences that are remembered, by index."""
        with self._lock:
            found = ((number, self._rows.get(words)) for number, words in enumerate(sentences))
            return {number: rows for number, rows in found if rows is not None}


def encode_again(sentences: Sequence[tuple[str, ...]], backend: Model) -> Iterator[EncodedBatch]:
    """Encode sentences without the middle layer, except those that are remembered."""
    known = backend.recent.find(sentences)
    others = np.array([n for n in range(len(sentences)) if n not in known], np.int64)
    for batch in encode(backend.subwords([sentences[n] for n in others]), backend):
        yield batch._replace(sentences=others[batch.sentences], middle=[])
    order = sorted(known, key=lambda number: len(known[number]))
    while order:
        width = len(known[order[0]])
        size = max(1, BATCH_TOKENS // max(1, width))
        some, order = order[:size], order[size:]
        lengths = np.array([len(known[number]) for number in some], np.int64)
        words = np.zeros((len(some), int(lengths.max()), backend.width), np.float32)
        for row, number in enumerate(some):
            words[row, : lengths[row]] = known[number]
        yield make_batch(np.array(some, np.int64), words, lengths, [])


def encode(encoded: Encoded, backend: Model) -> Iterator[EncodedBatch]:
    """Encode all sentences, shortest first; at last those that need several windows."""
    lengths = np.diff(encoded.starts)
    fits = np.flatnonzero(lengths <= MAX_SUBWORDS)
    for rows, width in batch_by_length(lengths[fits] + 2, STEP):
        yield _batch(encoded, fits[rows], width, backend)
    for sentence in np.flatnonzero(lengths > MAX_SUBWORDS):
        yield _windows(encoded, int(sentence), backend)


def _batch(encoded: Encoded, sentences: IntArray, width: int, backend: Model) -> EncodedBatch:
    begin = encoded.starts[sentences]
    sizes = encoded.starts[sentences + 1] - begin
    whole = Rows(np.arange(len(begin)), begin[None], sizes[None])
    hidden, middle = backend.encode(*whole.inputs(encoded, whole.item, width))
    first_word = encoded.word_starts[sentences]
    lengths = encoded.word_starts[sentences + 1] - first_word
    places = np.arange(int(lengths.max()))
    present = places < lengths[:, None]
    word = np.where(present, first_word[:, None] + places, 0)
    where = np.where(present, encoded.first[word] + 1, 0)
    words = hidden[np.arange(len(sentences))[:, None], where]
    words[~present] = 0.0
    kept = [middle[row, 1 : size + 1] for row, size in enumerate(sizes.tolist())]
    return make_batch(sentences, words, lengths, kept)


def _windows(encoded: Encoded, sentence: int, backend: Model) -> EncodedBatch:
    """Encode one sentence in overlapping windows of the same length."""
    start, stop = int(encoded.starts[sentence]), int(encoded.starts[sentence + 1])
    total = stop - start
    last = total - MAX_SUBWORDS
    begins = np.array([*range(0, last, MAX_SUBWORDS - OVERLAP), last])
    columns = np.arange(total)
    inside = columns - begins[:, None]
    left, right = inside.copy(), MAX_SUBWORDS - 1 - inside
    left[0] = right[-1] = MAX_SUBWORDS
    owner = np.minimum(left, right).argmax(0)
    rows = Rows(0 * begins, start + begins[None], np.full((1, len(begins)), MAX_SUBWORDS))
    each = np.arange(len(begins))[:, None]
    inputs = (rows.inputs(encoded, row, MAX_SUBWORDS + 2) for row in each)
    outputs = [backend.encode(*own) for own in inputs]
    hidden, middle = (
        np.concatenate(parts)[owner, inside[owner, columns] + 1]
        for parts in zip(*outputs, strict=True)
    )
    first = encoded.first[slice(*encoded.word_starts[sentence : sentence + 2])]
    words = hidden[first][None]
    return make_batch(np.array([sentence]), words, np.array([len(first)]), [middle])
