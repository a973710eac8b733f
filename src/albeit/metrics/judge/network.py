"""The judge's networks at run time: raw scores of pairs, how sure, and how wrong each word looks.

The wide network holds everything it reads. The small one ships without a table of word
vectors: it was trained with the analyser's, and reads them there. All files are checked
before the first pair is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray
from albeit.metrics.judge import DEFAULT, FILES, WEIGHTS
from albeit.metrics.judge.pairs import STEP, Ints, Rows, core, covered, cut, facts, sentence_ends
from albeit.parsing.encoder import Encoded, Subwords
from albeit.parsing.model import (
    REPAIR,
    Model,
    ModelError,
    load_model,
    load_network,
    read_meta,
)

__all__ = [
    "WEIGHTS",
    "Calibration",
    "Network",
    "Reading",
    "calibration_of",
    "checked",
    "load_judge",
]

Floats = npt.NDArray[np.float32]
Pair = tuple[str, str]


@dataclass(frozen=True)
class Reading:
    """What the network says of pairs: a raw score each, and the pieces a long pair was read in.

    ``covered``: the part of each pair's longer text that the other can be the counterpart of, which
    is 1 but for texts many times as long; no network learned what the rest should cost.
    ``spreads`` are the standard errors of raw scores, where the network says them. ``marks``
    holds for each pair the logits of every word of its translation, (words, kinds): is it
    wrong? A network that gives severities has two kinds, major and minor errors.
    """

    scores: FloatArray
    pieces: Ints
    covered: FloatArray
    spreads: FloatArray | None
    marks: list[Floats]


class Inputs(NamedTuple):
    """One batch: ids, mask and casing with side [rows, width], facts about characters
    [rows, 3], or [rows, 0] for a network that reads none."""

    ids: Ints
    mask: Ints
    cases: Ints
    facts: Floats


class Calibration(NamedTuple):
    """What raw scores mean: a curve of straight pieces from a raw score to the logit of a share of 100.

    ``bends``: where its slope changes, and by how much. ``spread``: what the network's standard
    errors are multiplied by, where it has them.
    """

    slope: float
    offset: float
    spread: float | None = None
    bends: Sequence[tuple[float, float]] = ()

    def __str__(self) -> str:
        own = [self.slope, self.offset] + ([] if self.spread is None else [self.spread])
        bends = [value for bend in self.bends for value in bend]
        return ",".join(f"{value:g}" for value in own + bends)

    def share(self, raw: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The share, from 0 to 1, and how steeply it rises with the raw score."""
        logit, slope = self.slope * raw + self.offset, np.full(np.shape(raw), self.slope)
        for place, change in self.bends:
            logit = logit + change * np.maximum(0.0, raw - place)
            slope = slope + change * (raw > place)
        share = 1 / (1 + np.exp(-logit))
        return np.asarray(share), np.asarray(slope * share * (1 - share))


def calibration_of(meta: Mapping[str, Any], folder: Path) -> Calibration:
    """What ``meta.json`` of a folder says of the meaning of raw scores."""
    try:
        return Calibration(**meta["calibration"])
    except TypeError:
        raise ModelError(
            f"{folder / FILES[1]}: calibration should hold slope and offset, and may hold spread"
            f" and bends. {REPAIR}"
        ) from None


def checked(path: Path, version: str) -> Any:
    """A session of a network's file; an error where the file is not of that version."""
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror}). {REPAIR}") from None
    if found != version:
        raise ModelError(f"{path}: damaged, it is not version {version}. {REPAIR}")
    return load_network(path)


class Network:
    """Scores pairs of translation and reference."""

    def __init__(self, folder: Path, analyser: Model | None = None) -> None:
        meta = read_meta(folder, {"version", "longest", "calibration"})
        self.folder = folder
        self.version: str = meta["version"]
        self.calibration = calibration_of(meta, folder)
        self._words: str | None = meta.get("words")
        """The checksum of the analyser's word vectors, where it was trained with those."""
        self.reads_facts = self._words is None
        """Whether it reads facts about characters: a network with words of its own does."""
        self.longest = int(meta["longest"])
        """The most subwords of a pair that are read at once, special ones included."""
        self._analyser = analyser or load_model()

    @cached_property
    def _session(self) -> Any:
        return checked(self.folder / FILES[0], self.version)

    @cached_property
    def _table(self) -> tuple[npt.NDArray[np.int8], Floats]:
        """The analyser's word vectors, which must be those that the judge was trained with."""
        table, scales = self._analyser.embeddings()
        if hashlib.sha256(table.tobytes()).hexdigest()[:16] != self._words:
            raise ModelError(
                f"{self.folder}: the judge was trained with the word vectors of another analyser"
                f" than {self._analyser.folder}. {REPAIR}"
            )
        return table, scales.astype(np.float32)

    @cached_property
    def subwords(self) -> Subwords:
        """The analyser's subwords; words come with punctuation."""
        return Subwords(self._analyser.folder / "tokenizer.json", core)

    def read(self, pairs: Sequence[Pair], marks: bool = False) -> Reading:
        """Raw scores of pairs (translation, reference), higher is better."""
        texts = _Texts(pairs, self)
        rows = texts.rows
        scores = np.zeros(len(rows.pair))
        variances = np.zeros(len(rows.pair)) if self.reads_facts else None  # the small says none
        logits = [np.zeros((0, 1), np.float32)] * len(rows.pair)
        for chosen, inputs in texts.batches(facts=self.reads_facts):
            found, spread, marked = self.run(inputs)
            scores[chosen] = found
            if variances is not None and spread is not None:
                variances[chosen] = np.exp(2 * spread.astype(np.float64))
            for row, k in enumerate(chosen.tolist() if marks else ()):
                logits[k] = marked[row, 1 : rows.sizes[0, k] + 1]
        shares = rows.shares()
        return Reading(
            np.bincount(rows.pair, shares * scores, len(pairs)).astype(np.float64),
            np.bincount(rows.pair, minlength=len(pairs)),
            covered(*texts.sizes),
            None
            if variances is None
            else np.sqrt(np.bincount(rows.pair, shares**2 * variances, len(pairs))),
            texts.by_word(logits) if marks else [],
        )

    def inputs(self, pairs: Sequence[Pair], step: int = STEP) -> Iterator[Inputs]:
        """What either network reads of pairs, batch by batch."""
        for _, inputs in _Texts(pairs, self).batches(step):
            yield inputs

    def run(self, batch: Inputs) -> tuple[Floats, Floats | None, Floats]:
        """Scores [rows], logarithms of their standard errors [rows], marks [rows, width, kinds]."""
        given: dict[str, Any] = {"attention_mask": batch.mask, "case_ids": batch.cases}
        if self.reads_facts:
            given |= {"input_ids": batch.ids, "facts": batch.facts}
            score, spread, marks = self._session.run(["score", "spread", "marks"], given)
            return score, spread, marks
        table, scales = self._table
        given["words"] = table[batch.ids] * scales[batch.ids][..., 0, None]
        if len(batch.ids) == 1:  # its means of a row alone are added up in another order
            given = {name: np.repeat(value, 2, axis=0) for name, value in given.items()}
        score, marks = self._session.run(["score", "marks"], given)
        return score[: len(batch.ids)], None, marks[: len(batch.ids), ..., None]

    def states(self, batch: Inputs, names: Sequence[str]) -> dict[str, Floats]:
        """Outputs of a network with words of its own by name, such as the states of its layers
        [rows, width, numbers]: what other networks on the same encoder read."""
        given = {
            "input_ids": batch.ids,
            "attention_mask": batch.mask,
            "case_ids": batch.cases,
            "facts": batch.facts,
        }
        return dict(zip(names, self._session.run(list(names), given), strict=True))


class _Texts:
    """The texts of pairs as words and subwords, each distinct one once."""

    def __init__(self, pairs: Sequence[Pair], network: Network) -> None:
        number: dict[str, int] = {}
        for pair in pairs:
            for text in pair:
                number.setdefault(text, len(number))
        self._words = [text.split() for text in number]
        self._encoded: Encoded = network.subwords(self._words)
        self._pairs = [(number[ours], number[theirs]) for ours, theirs in pairs]
        self.rows: Rows = cut(self._encoded.starts, self._pairs, network.longest, self._ends)

    @property
    def sizes(self) -> Ints:
        """How many subwords the texts of each pair have: (2, pairs)."""
        texts = np.array(self._pairs, np.int64).reshape(-1, 2).T
        return np.asarray(np.diff(self._encoded.starts)[texts])

    def batches(self, step: int = STEP, facts: bool = True) -> Iterator[tuple[Ints, Inputs]]:
        """Numbers of rows, and what a network reads of them, perhaps without facts."""
        for chosen, width in self.rows.batches(step):
            about = self._facts(chosen) if facts else np.zeros((len(chosen), 0), np.float32)
            yield chosen, Inputs(*self.rows.inputs(self._encoded, chosen, width), about)

    def by_word(self, logits: Sequence[Floats]) -> list[Floats]:
        """The highest logits of each word's subwords, for the translation of each pair: also where
        these were read more than once, beside several pieces of a far longer reference."""
        found, sizes = [], self.sizes[0].tolist()
        for pair, (text, _) in enumerate(self._pairs):
            rows = np.flatnonzero(self.rows.pair == pair).tolist()
            own = np.full((sizes[pair], logits[rows[0]].shape[1]), -np.inf, np.float32)
            for row in rows:
                at = int(self.rows.begin[0, row] - self._encoded.starts[text])
                part = own[at : at + int(self.rows.sizes[0, row])]
                np.maximum(part, logits[row], out=part)
            first = self._first(text)
            found.append(np.maximum.reduceat(own, first) if len(first) else own)
        return found

    def _first(self, text: int) -> Ints:
        """The first subword of each word of a text, within that text."""
        at = self._encoded.word_starts
        return self._encoded.first[at[text] : at[text + 1]]

    def _ends(self, text: int) -> Ints:
        starts = self._encoded.starts
        size = int(starts[text + 1] - starts[text])
        return sentence_ends(self._words[text], self._first(text), size)

    def _facts(self, chosen: Ints) -> Floats:
        pieces = [self._pieces(row) for row in chosen.tolist()]
        return facts([ours for ours, _ in pieces], [theirs for _, theirs in pieces])

    def _pieces(self, row: int) -> tuple[str, str]:
        """Translation and reference of a row: the words that begin in it."""
        ours, theirs = (
            self._piece(text, *span)
            for text, span in zip(
                self._pairs[self.rows.pair[row]],
                zip(self.rows.begin[:, row], self.rows.sizes[:, row], strict=True),
                strict=True,
            )
        )
        return ours, theirs

    def _piece(self, text: int, begin: int, size: int) -> str:
        words, start = self._words[text], begin - self._encoded.starts[text]
        first, last = np.searchsorted(self._first(text), (start, start + size))
        return " ".join(words[first:last])


@lru_cache(maxsize=4)
def load_judge(folder: str | Path = WEIGHTS / DEFAULT) -> Network:
    """The network of a folder, loaded once per process, when it is first used."""
    return Network(Path(folder))
