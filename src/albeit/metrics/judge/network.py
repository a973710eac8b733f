"""The judge's network at run time: raw scores of pairs, and how wrong each word looks.

The network ships without a table of word vectors: it was trained with the analyser's, and
reads them there. Both files are checked before the first pair is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.annotate.model import (
    REPAIR,
    Model,
    ModelError,
    load_model,
    load_network,
    read_meta,
)
from albeit.annotate.subwords import Encoded, Subwords
from albeit.arrays import FloatArray
from albeit.metrics.judge import FILES, SHIPPED
from albeit.metrics.judge.pairs import Ints, Rows, core, cut

__all__ = ["WEIGHTS", "Network", "Reading", "load_judge"]

WEIGHTS = Path(__file__).parent / "weights"
Floats = npt.NDArray[np.float32]
Pair = tuple[str, str]


@dataclass(frozen=True)
class Reading:
    """What the network says of pairs: a raw score each, and the pieces a long pair was read in.

    ``marks`` holds for each pair the logit of every word of its translation: is it wrong?
    """

    scores: FloatArray
    pieces: Ints
    marks: list[Floats]


class Network:
    """Scores pairs of translation and reference."""

    def __init__(self, folder: Path = WEIGHTS, analyser: Model | None = None) -> None:
        meta = read_meta(folder, {"version", "words", "longest", "calibration"})
        self.folder = folder
        self.version: str = meta["version"]
        self.calibration: dict[str, float] = meta["calibration"]
        self._words: str = meta["words"]
        self.longest = int(meta["longest"])
        """The most subwords of a pair that are read at once, special ones included."""
        self._analyser = analyser or load_model()

    @cached_property
    def _session(self) -> Any:
        path = self.folder / FILES[0]
        try:
            found = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error.strerror}). {REPAIR}") from None
        if found != self.version:
            raise ModelError(f"{path}: damaged, it is not version {self.version}. {REPAIR}")
        return load_network(path)

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
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        number = {text: k for k, text in enumerate(texts)}
        encoded = self.subwords([text.split() for text in texts])
        numbers = [(number[ours], number[theirs]) for ours, theirs in pairs]
        rows = cut(encoded, numbers, self.longest)
        scores = np.zeros(len(rows.pair))
        logits = [np.zeros(0, np.float32)] * len(rows.pair)
        for chosen, width in rows.batches():
            found, marked = self.run(*rows.inputs(encoded, chosen, width))
            scores[chosen] = found
            if marks:
                for row, k in enumerate(chosen.tolist()):
                    logits[k] = marked[row, 1 : rows.sizes[0, k] + 1]
        weights = rows.sizes.sum(axis=0).astype(np.float64)
        whole = np.bincount(rows.pair, weights, len(pairs))
        mean = np.bincount(rows.pair, weights * scores, len(pairs)) / np.maximum(whole, 1)
        pieces = np.bincount(rows.pair, minlength=len(pairs))
        return Reading(
            np.where(pieces == 1, scores[np.cumsum(pieces) - pieces], mean),
            pieces,
            _by_word(encoded, rows, logits, [n for n, _ in numbers]) if marks else [],
        )

    def run(self, ids: Ints, mask: Ints, cases: Ints) -> tuple[Floats, Floats]:
        """Scores [rows] and marks [rows, subwords] of one batch."""
        table, scales = self._table
        inputs = {
            "words": table[ids] * scales[ids][..., 0, None],
            "attention_mask": mask,
            "case_ids": cases,
        }
        score, marks = self._session.run(None, inputs)
        return score, marks


def _by_word(
    encoded: Encoded, rows: Rows, logits: Sequence[Floats], texts: Sequence[int]
) -> list[Floats]:
    """The highest logit of each word's subwords, for the translation of each pair."""
    found = []
    for pair, text in enumerate(texts):
        own = np.concatenate([logits[row] for row in np.flatnonzero(rows.pair == pair).tolist()])
        first = encoded.first[encoded.word_starts[text] : encoded.word_starts[text + 1]]
        found.append(np.maximum.reduceat(own, first) if len(first) else own)
    return found


@lru_cache(maxsize=4)
def load_judge(folder: str = SHIPPED) -> Network:
    """The shipped network, or one of another folder; loaded once a process, when it is first used."""
    return Network(WEIGHTS if folder == SHIPPED else Path(folder))
