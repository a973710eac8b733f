"""TERp-A (Snover et al. 2009): TER with stems, synonyms, paraphrases and tuned costs.

:func:`find_phrases` says which phrases of a translation may stand for phrases of its reference,
and at what cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from string import punctuation
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from albeit.arrays import IntArray
from albeit.data.evalset import EvalSet
from albeit.errors import MissingExtraError
from albeit.jit import jit
from albeit.metrics.base import Batch, Context, FloatArray, Metric
from albeit.metrics.lexical.ngrams import Texts, Vocabulary, nth
from albeit.metrics.lexical.ter import edit_rate, tercom_words
from albeit.metrics.lexical.weighted_edits import Costs, Phrases, weighted_edits
from albeit.metrics.lexical.wordmatch import WordMatch, match_versions, same_words, word_match
from albeit.resources import ParaphraseTable, function_words, paraphrases
from albeit.resources.paraphrase import find_paraphrases

__all__ = ["TerpA", "find_phrases"]

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
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    """English: synonyms exist for no other language."""
    whole_set: ClassVar[bool] = False
    """Its table does not hang on the set."""

    table: Literal["auto", "none"] | str = "auto"

    @property
    def files(self) -> tuple[str, ...]:
        """The paraphrase table, if there is one."""
        if self.table == "none":
            return ()
        try:
            return (str(find_paraphrases(None if self.table == "auto" else self.table)),)
        except MissingExtraError:
            return ()

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


Nodes = npt.NDArray[np.int32]

_WEIGHTS = np.array(
    [-0.2306579294476191, -0.1469465037633749, -0.07843705907022736, 0.17708577297831574]
)
"""TERp-A's four numbers: a base, and for each edit saved weights of log10 p, of p, and of 1."""


def find_phrases(
    table: ParaphraseTable,
    words: Sequence[str],
    hypotheses: Texts,
    references: Texts,
    match: WordMatch,
) -> Phrases:
    """Phrases of the table, either way round, found in a hypothesis and in its reference."""
    numbers = np.array([table.word(word) for word in words], dtype=np.int64)
    found, probabilities = _find(
        hypotheses,
        references,
        numbers,
        table.child_starts,
        table.child_words,
        table.entry_starts,
        table.entries,
        table.probabilities,
    )
    found, probabilities = _once(found, probabilities)
    edits = _distances(found, hypotheses, references, match)
    base, by_log, by_probability, by_edit = _WEIGHTS
    each = by_log * np.log10(probabilities) + by_probability * probabilities + by_edit
    starts = np.searchsorted(found[:, 0], np.arange(hypotheses.size + 1))
    return Phrases(starts, found[:, 1:], np.maximum(base + edits * each, 0.0))


def _once(found: IntArray, probabilities: FloatArray) -> tuple[IntArray, FloatArray]:
    """Each pair of phrases once, with its best probability, by segment and last word."""
    order = np.lexsort(
        (-probabilities, found[:, 4], found[:, 3], found[:, 1], found[:, 2], found[:, 0])
    )
    found, probabilities = found[order], probabilities[order]
    new = np.ones(len(found), dtype=np.bool_)
    new[1:] = (found[1:] != found[:-1]).any(axis=1)
    return found[new], probabilities[new]


@jit
def _spans(
    symbols: IntArray, numbers: IntArray, child_starts: Nodes, child_words: Nodes
) -> IntArray:
    """All phrases of the table in one text: node, first place, place after the last."""
    found = np.zeros((8 * len(symbols) + 1, 3), dtype=np.int64)
    count = 0
    for start in range(len(symbols)):
        node = 0
        for end in range(start, min(len(symbols), start + 8)):
            word = numbers[symbols[end]]
            low, high = child_starts[node], child_starts[node + 1]
            place = low + np.searchsorted(child_words[low:high], word)
            if word < 0 or place == high or child_words[place] != word:
                break
            node = place
            found[count, 0], found[count, 1], found[count, 2] = node, start, end + 1
            count += 1
    return found[:count]


@jit
def _find(
    hypotheses: Texts,
    references: Texts,
    numbers: IntArray,
    child_starts: Nodes,
    child_words: Nodes,
    entry_starts: Nodes,
    entries: Nodes,
    probabilities: npt.NDArray[np.float32],
) -> tuple[IntArray, FloatArray]:
    """Rows of segment, first and last hypothesis word, reference span; and probabilities."""
    found = np.zeros((1024, 5), dtype=np.int64)
    chances = np.zeros(1024)
    count = 0
    for s in range(len(hypotheses.starts) - 1):
        ours = _spans(nth(hypotheses, s), numbers, child_starts, child_words)
        theirs = _spans(nth(references, s), numbers, child_starts, child_words)
        for turned in range(2):
            sources, targets = (ours, theirs) if turned else (theirs, ours)
            places = np.argsort(targets[:, 0])
            nodes = targets[:, 0][places]
            for a in range(len(sources)):
                node = sources[a, 0]
                for e in range(entry_starts[node], entry_starts[node + 1]):
                    b = np.searchsorted(nodes, entries[e])
                    while b < len(nodes) and nodes[b] == entries[e]:
                        other = targets[places[b]]
                        b += 1
                        mine, its = (sources[a], other) if turned else (other, sources[a])
                        if count == len(found):
                            found = np.concatenate((found, np.zeros_like(found)))
                            chances = np.concatenate((chances, np.zeros_like(chances)))
                        found[count, 0] = s
                        found[count, 1], found[count, 2] = mine[1], mine[2] - 1
                        found[count, 3], found[count, 4] = its[1], its[2]
                        chances[count] = probabilities[e]
                        count += 1
    return found[:count], chances[:count]


@jit
def _distances(found: IntArray, hypotheses: Texts, references: Texts, match: WordMatch) -> IntArray:
    """How many words must be edited to turn each phrase into its partner."""
    edits = np.zeros(len(found), dtype=np.int64)
    for p in range(len(found)):
        s = found[p, 0]
        ours = nth(hypotheses, s)[found[p, 1] : found[p, 2] + 1]
        theirs = nth(references, s)[found[p, 3] : found[p, 4]]
        row = np.arange(len(theirs) + 1)
        for i in range(len(ours)):
            corner = row[0]
            row[0] = i + 1
            for j in range(len(theirs)):
                same = same_words(ours[i], theirs[j], match)
                cost = min(corner + (0 if same else 1), row[j] + 1, row[j + 1] + 1)
                corner = row[j + 1]
                row[j + 1] = cost
        edits[p] = row[len(theirs)]
    return edits
