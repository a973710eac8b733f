"""From lines of text to rows of statistics: one scorer a language and set of matchers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from albeit.metrics.base import FloatArray
from albeit.metrics.lexical.meteor.lexicon import Lexicon
from albeit.metrics.lexical.meteor.matching import MATCHERS, count_matches
from albeit.metrics.lexical.meteor.parameters import LANGUAGES, PARAPHRASE, STEM, SYNONYM
from albeit.resources import paraphrases

__all__ = ["Scorer"]

Ints = npt.NDArray[np.int32]
_NONE: Ints = np.zeros(0, dtype=np.int32)
_NO_TABLE: Ints = np.zeros(0, dtype=np.int32)
_NO_TABLE.flags.writeable = False  # as a mapped table is: one compiled form serves both


class Scorer:
    """Aligns translations with references and weighs what matched."""

    def __init__(self, lang: str, norm: str, highest: int, table: str) -> None:
        self._parameters = LANGUAGES[lang]
        self._highest = highest
        found = paraphrases(table or None) if highest >= PARAPHRASE else None
        self._lexicon = Lexicon(lang, norm, synonyms=highest >= SYNONYM, paraphrases=found)
        self._phrases = (
            (found.child_starts, found.child_words, found.entry_starts, found.entries)
            if found
            else (_NO_TABLE,) * 4
        )

    def counts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Ints:
        """Counts of matched words and chunks, one row per pair (see ``matching.COUNTS``)."""
        hyp, hyp_ends = self._numbers(hypotheses)
        ref, ref_ends = self._numbers(references)
        words = self._lexicon.table()
        return count_matches(
            hyp,
            hyp_ends,
            ref,
            ref_ends,
            words.function,
            words.word,
            words.stem,
            words.synset_ends,
            words.synsets,
            words.phrase_word,
            *self._phrases,
            self._highest >= STEM,
        )

    def rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> FloatArray:
        """Additive statistics, one row per pair."""
        parameters = self._parameters
        counts = self.counts(hypotheses, references).astype(np.float64)
        kinds = np.array([parameters.delta, 1.0 - parameters.delta])
        weights = np.zeros(MATCHERS)
        weights[: len(parameters.weights)] = parameters.weights
        matched = counts[:, 5:].reshape(-1, MATCHERS, 2, 2)
        rows = np.zeros((len(counts), 10))
        whole = np.ones(len(counts), dtype=np.bool_)
        for side in (0, 1):
            length, function = counts[:, 2 * side], counts[:, 2 * side + 1]
            found = matched[:, :, side, :]
            total = found.sum(axis=(1, 2))
            rows[:, 2 * side] = np.einsum("rmk,m,k->r", found, weights, kinds)
            rows[:, 2 * side + 1] = np.stack([length - function, function], axis=-1) @ kinds
            rows[:, 4] += total
            whole &= total == length
        chunks = counts[:, 4]
        # A segment matched whole in one chunk is not fragmented: METEOR adds no chunk for it.
        rows[:, 5] = np.where(whole & (chunks == 1), 0, chunks)
        rows[:, 6:] = 1.0, parameters.alpha, parameters.beta, parameters.gamma
        return rows

    def _numbers(self, lines: Sequence[str]) -> tuple[Ints, Ints]:
        """The numbered words of lines, end to end, and where each line ends."""
        numbered = [self._lexicon.line(line) for line in lines]
        ends = np.cumsum([len(line) for line in numbered], dtype=np.int32)
        return np.concatenate([_NONE, *numbered]), ends
