"""The networks of ``judge`` and ``judge-small``: raw scores of pairs, standard errors, word errors.

The network of ``judge`` has its own word vectors. That of ``judge-small`` was trained with those of
the annotation model, and reads them there. All files are checked before use.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray, Floats32, IntArray
from albeit.metrics.judge import DEFAULT, FILES, WEIGHTS, chunking
from albeit.metrics.judge.chunking import STEP, Encoding, Reading
from albeit.parsing.encoder import Subwords
from albeit.parsing.model import (
    Model,
    ModelError,
    load_model,
    load_network,
    read_meta,
    repair,
    run_only_asked,
)

Pair = tuple[str, str]
PUNCTUATION = ".,;:!?\"'()[]{}“”‘’«»-–—…"
"""What is around a word and doesn't count for its casing."""


class Inputs(NamedTuple):
    """One batch: ids, mask, and casing with side [rows, width], character statistics [rows, 3]."""

    ids: IntArray
    mask: IntArray
    cases: IntArray
    facts: Floats32


_LEAST = 0.005
"""The smallest standard error, as a share of the scale."""


class Calibration(NamedTuple):
    """The curve from raw scores to scores: piecewise linear, to the logit of a share of 100.

    ``bends`` are where its slope changes, and by how much. ``spread`` is the factor of
    the network's standard errors, if it has them. ``errors`` are the weights of a regression of
    standard errors that replaces this factor: constant, share, its square, and the logarithm of
    the network's own (:mod:`training.judge.coverage`).
    """

    slope: float
    offset: float
    spread: float | None = None
    bends: Sequence[tuple[float, float]] = ()
    errors: Sequence[float] = ()

    def __str__(self) -> str:
        own = [self.slope, self.offset] + ([] if self.spread is None else [self.spread])
        bends = [value for bend in self.bends for value in bend]
        return ",".join(f"{value:g}" for value in [*own, *bends, *self.errors])

    def share(self, raw: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the share, from 0 to 1, and its derivative."""
        logit, slope = self.slope * raw + self.offset, np.full(np.shape(raw), self.slope)
        for bend, change in self.bends:
            logit = logit + change * np.maximum(0.0, raw - bend)
            slope = slope + change * (raw > bend)
        share = 1 / (1 + np.exp(-logit))
        return np.asarray(share), np.asarray(slope * share * (1 - share))

    def standard_errors(self, raw: FloatArray, spreads: FloatArray) -> FloatArray:
        """Return standard errors as shares, at most the distance to the farther end of the scale.

        :param raw: raw scores
        :param spreads: the network's own standard errors of raw scores
        """
        share, slope = self.share(raw)
        found = slope * spreads * (1.0 if self.spread is None else self.spread)
        if self.errors:
            own = np.log(np.maximum(100 * slope * spreads, 1e-3))
            features = [np.ones_like(share), share, share**2, own][: len(self.errors)]
            found = np.exp(np.clip(np.stack(features, -1) @ np.array(self.errors), -2, 5)) / 100
        return np.clip(found, _LEAST, np.maximum(share, 1 - share))


def read_weights(version: str, *paths: Path) -> list[bytes]:
    """Read files of weights, and check that they are of this version."""
    found = []
    for path in paths:
        try:
            found.append(path.read_bytes())
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error.strerror}). {repair(path)}") from None
    if hashlib.sha256(b"".join(found)).hexdigest()[:16] != version:
        what = paths[0] if len(paths) == 1 else paths[0].parent
        raise ModelError(f"{what}: damaged, it is not version {version}. {repair(what)}")
    return found


class LearnedNetwork:
    """The values of ``meta.json`` that all learned networks have."""

    def __init__(self, folder: Path, *required: str) -> None:
        self.meta = read_meta(folder, {"version", "longest", "calibration", *required})
        self.folder = folder
        self.version: str = self.meta["version"]
        self.longest = int(self.meta["longest"])
        """The length of the longest row, with special tokens."""
        try:
            self.calibration = Calibration(**self.meta["calibration"])
        except TypeError:
            raise ModelError(
                f"{folder / FILES[1]}: calibration should hold slope and offset, and may hold"
                f" spread, bends, and errors. {repair(folder)}"
            ) from None


class Network(LearnedNetwork):
    """Scores pairs of translation and reference."""

    def __init__(self, folder: Path, model: Model | None = None) -> None:
        super().__init__(folder)
        self._model = model or load_model()
        self.reads_facts = "words" not in self.meta
        """Whether it reads character statistics, as a network with its own word vectors does."""

    @cached_property
    def _session(self) -> Any:
        path = self.folder / FILES[0]
        read_weights(self.version, path)
        return load_network(path)

    @cached_property
    def _table(self) -> tuple[npt.NDArray[np.int8], Floats32]:
        """The model's word vectors, which must be those that the network was trained with."""
        table, scales = self._model.embeddings()
        if hashlib.sha256(table.tobytes()).hexdigest()[:16] != self.meta["words"]:
            raise ModelError(
                f"{self.folder}: the network was trained with the word vectors of another model"
                f" than {self._model.folder}. {repair(self.folder)}"
            )
        return table, scales.astype(np.float32)

    @cached_property
    def subwords(self) -> Subwords:
        """The model's subwords, for words with punctuation."""
        path = self._model.folder / "tokenizer.json"
        return Subwords(path, lambda word: word.strip(PUNCTUATION))

    def read(self, pairs: Sequence[Pair], marks: bool = False) -> Reading:
        """Return raw scores of pairs (translation, reference), higher is better."""
        encoding = _Pairs(pairs, self)
        rows = encoding.rows
        scores = np.zeros(len(rows.item))
        variances = np.zeros(len(rows.item)) if self.reads_facts else None
        logits = [np.zeros((0, 1), np.float32)] * len(rows.item)
        for chosen, inputs in encoding.batches():
            scores[chosen], spread, marked = self.run(inputs)
            if variances is not None and spread is not None:
                variances[chosen] = np.exp(2 * spread.astype(np.float64))
            for row, k in enumerate(chosen.tolist() if marks else ()):
                logits[k] = marked[row, 1 : rows.sizes[0, k] + 1]
        reading = encoding.combine(scores, variances)
        return replace(reading, marks=list(encoding.by_word(logits))) if marks else reading

    def inputs(self, pairs: Sequence[Pair], step: int = STEP) -> Iterator[Inputs]:
        """Yield what the network reads of pairs, with character statistics."""
        for _, inputs in _Pairs(pairs, self, facts=True).batches(step):
            yield inputs

    def run(self, batch: Inputs) -> tuple[Floats32, Floats32 | None, Floats32]:
        """Return scores [rows], log standard errors [rows], and marks [rows, width, kinds]."""
        if self.reads_facts:
            score, spread, marks = self.states(batch, ("score", "spread", "marks")).values()
            return score, spread, marks
        table, scales = self._table
        words = table[batch.ids] * scales[batch.ids][..., 0, None]
        given = {"attention_mask": batch.mask, "case_ids": batch.cases, "words": words}
        if len(batch.ids) == 1:  # sums over a single row are computed in another order
            given = {name: np.repeat(value, 2, axis=0) for name, value in given.items()}
        score, marks = self._session.run(["score", "marks"], given)
        return score[: len(batch.ids)], None, marks[: len(batch.ids), ..., None]

    def states(self, batch: Inputs, names: Sequence[str]) -> dict[str, Floats32]:
        """Return outputs of a network with its own word vectors, such as its layers' states."""
        inputs = "input_ids", "attention_mask", "case_ids", "facts"
        given = dict(zip(inputs, batch, strict=True))
        found = self._session.run(list(names), given, run_only_asked())
        return dict(zip(names, found, strict=True))


class _Pairs(Encoding[Inputs]):
    """Pairs of texts as words and subwords."""

    def __init__(self, pairs: Sequence[Pair], network: Network, facts: bool = False) -> None:
        texts, items = chunking.number_texts(pairs)
        self._words = [text.split() for text in texts]
        self._encoded = network.subwords(self._words)
        self._reads_facts = facts or network.reads_facts
        super().__init__(self._encoded.starts, items, network.longest)

    def inputs(self, rows: IntArray, width: int) -> Inputs:
        """Return what the network reads of rows."""
        empty = np.zeros((len(rows), 0), np.float32)
        facts = self.facts(rows, 0, 1) if self._reads_facts else empty
        return Inputs(*self.rows.inputs(self._encoded, rows, width), facts)

    def by_word(self, logits: Sequence[Floats32]) -> Iterator[Floats32]:
        """Yield the highest logits of each word's subwords, for each translation.

        Subwords may be in several rows, with several chunks of a far longer reference.
        """
        for item, text in enumerate(self.items[:, 0].tolist()):
            rows = np.flatnonzero(self.rows.item == item).tolist()
            size = self.starts[text + 1] - self.starts[text]
            own = np.full((size, logits[rows[0]].shape[1]), -np.inf, np.float32)
            for row in rows:
                start = int(self.rows.begin[0, row] - self.starts[text])
                part = own[start : start + int(self.rows.sizes[0, row])]
                np.maximum(part, logits[row], out=part)
            first = self._first(text)
            yield np.maximum.reduceat(own, first) if len(first) else own

    def _first(self, text: int) -> IntArray:
        """Return the first subword of each word of a text."""
        bounds = self._encoded.word_starts
        return self._encoded.first[bounds[text] : bounds[text + 1]]

    def sentence_ends(self, text: int) -> IntArray:
        """Return the numbers of subwords after which a sentence ends, without the last."""
        size = int(self._encoded.starts[text + 1] - self._encoded.starts[text])
        return chunking.word_sentence_ends(self._words[text], self._first(text), size)

    def chunk(self, text: int, start: int, size: int) -> str:
        """Return the words that begin in a part of a text."""
        first, last = np.searchsorted(self._first(text), (start, start + size))
        return " ".join(self._words[text][first:last])


@lru_cache(maxsize=4)
def load_judge(folder: str | Path = WEIGHTS / DEFAULT) -> Network:
    """Load the network of a folder once per process."""
    return Network(Path(folder))
