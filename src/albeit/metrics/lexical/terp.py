"""TERp-A (Snover et al. 2009): TER with stems, synonyms, paraphrases and tuned costs."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from string import punctuation
from typing import ClassVar

import numpy as np

from albeit.corpus.evalset import EvalSet
from albeit.errors import MissingExtraError
from albeit.metrics.base import Batch, Context, FloatArray, Metric
from albeit.metrics.lexical.ngrams import Vocabulary
from albeit.metrics.lexical.ter import edit_rate, tercom_words
from albeit.metrics.lexical.terp_phrases import find_phrases
from albeit.metrics.lexical.weighted_edits import Costs, Phrases, weighted_edits
from albeit.metrics.lexical.wordmatch import match_versions, word_match
from albeit.resources import function_words, paraphrases
from albeit.resources.paraphrase import find_paraphrases

__all__ = ["TerpA"]

COSTS = Costs(
    insert=0.2588527567630183,
    delete=1.4269364675533365,
    substitute=1.5565478292505814,
    shift=0.5620538767397316,
)
"""Tuned for adequacy on NIST MT06, as published with TERp; stems and synonyms cost nothing."""


@dataclass(frozen=True)
class TerpA(Metric):
    """The cost of edits for each 100 reference words, with TERp-A's tuned costs.

    Words match exactly, by stem or by a shared WordNet sense, at no cost; phrases stand for
    phrases as METEOR's paraphrase table has them. ``table`` is that file's path, ``none``,
    or ``auto``: the file if it is installed, which the signature says. A row of statistics
    is the least cost to any reference, at most its length, and the mean length of the
    references.
    """

    name: ClassVar[str] = "terp-a"
    summary: ClassVar[str] = "TER with stems, synonyms and costs tuned for adequacy (English)"
    higher_is_better: ClassVar[bool] = False
    scale: ClassVar[float] = 100.0

    table: str = "auto"

    @property
    def languages(self) -> frozenset[str]:
        """English: synonyms exist for no other language."""
        return frozenset({"en"})

    @property
    def files(self) -> tuple[str, ...]:
        """The paraphrase table, if there is one."""
        if self.table == "none":
            return ()
        try:
            return (str(find_paraphrases(None if self.table == "auto" else self.table)),)
        except MissingExtraError:
            return ()

    @property
    def whole_set(self) -> bool:
        """Its table does not hang on the set."""
        return False

    def prepare(self, evalset: EvalSet) -> Context:
        """The path and version of the paraphrase table, if there is one."""
        return next(((path, paraphrases(path).version) for path in self.files), None)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Versions of stemmer, WordNet, paraphrase table (if there is one) and tokeniser."""
        return {
            **match_versions("synonym"),
            "paraphrases": context[1] if context else "none",
            "sacrebleu": version("sacrebleu"),
        }

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Cost of the edits and reference length of each segment."""
        words = tercom_words(normalized=True)
        vocabulary = Vocabulary()
        hypotheses = vocabulary.encode(map(words, batch.hypotheses))
        references = [vocabulary.encode(map(words, lines)) for lines in batch.references]
        known = vocabulary.words()
        match = word_match(known, "synonym", batch.target_lang)
        light = function_words(batch.target_lang) | set(punctuation)
        stop = np.array([word in light for word in known], dtype=np.bool_)
        table = paraphrases(context[0]) if context else None
        phrases = Phrases.none(len(batch))
        found = []
        for texts in references:
            if table is not None:
                phrases = find_phrases(table, known, hypotheses, texts, match)
            cost = weighted_edits(hypotheses, texts, match, stop, COSTS, phrases)
            found.append(np.where(texts.lengths > 0, np.minimum(cost, texts.lengths), cost))
        lengths = np.stack([texts.lengths for texts in references])
        return np.column_stack([np.min(found, axis=0), lengths.mean(axis=0)])

    def score(self, sums: FloatArray) -> FloatArray:
        """Cost per 100 words; against an empty reference 100, or 0 without edits."""
        return edit_rate(sums)
