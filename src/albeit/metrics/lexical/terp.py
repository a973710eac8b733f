"""TERp-A (Snover et al. 2009): TER with stems, synonyms, paraphrases, and tuned costs."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from string import punctuation
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from albeit.arrays import IntArray
from albeit.data.evalset import EvalSet
from albeit.errors import MissingExtraError
from albeit.jit import jit
from albeit.metrics import Batch, Context, FloatArray
from albeit.metrics.lexical.edits import Bools, Costs, Phrases, weigh_edits
from albeit.metrics.lexical.meteor_align import ParaphraseTree, find_phrases, match_phrases
from albeit.metrics.lexical.ngrams import Texts, encode, nth
from albeit.metrics.lexical.ter import EditRate, tercom_words
from albeit.metrics.lexical.tokenizers import word_versions
from albeit.resources import ParaphraseTable, function_words, paraphrases, stemmer, wordnet
from albeit.resources.paraphrase import find_paraphrases

__all__ = ["COSTS", "TerpA"]

COSTS = Costs(
    insert=0.2588527567630183,
    delete=1.4269364675533365,
    substitute=1.5565478292505814,
    shift=0.5620538767397316,
)
"""Tuned for adequacy on NIST MT06, as published with TERp; stems and synonyms cost nothing."""
_WEIGHTS = (-0.2306579294476191, -0.1469465037633749, -0.07843705907022736, 0.17708577297831574)
"""TERp-A's weights of a phrase: a base, and per saved edit weights of log10 p, of p, and of 1."""
_LONGEST_PHRASE = 8


class WordMatch(NamedTuple):
    """Stem and senses of each word: senses of ``w`` are ``senses[starts[w]:starts[w+1]]``."""

    stems: IntArray
    starts: IntArray
    senses: IntArray


@dataclass(frozen=True)
class TerpA(EditRate):
    """The cost of edits per 100 reference words, with TERp-A's tuned costs.

    Words match exactly, by stem, or by a shared WordNet sense, at no cost; phrases stand for
    phrases as in METEOR's paraphrase table. ``table`` is that file's path, ``none``, or ``auto``:
    the file if it is installed, which the signature shows. The cost to a reference is at most its
    length.
    """

    name: ClassVar[str] = "terp-a"
    summary: ClassVar[str] = "TER with stems, synonyms and costs tuned for adequacy (English)"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    """The language of WordNet."""

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
        """Return the path and version of the paraphrase table, if there is one."""
        return next(((path, paraphrases(path).version) for path in self.files), None)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return versions of stemmer, WordNet, paraphrase table (if any), and tokenizer."""
        table = context[1] if context else "none"
        return {**word_versions(), "paraphrases": table, "sacrebleu": version("sacrebleu")}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return the cost of the edits and reference length of each segment."""
        words = tercom_words(normalized=True)
        numbers: dict[str, int] = {}
        hypotheses = encode(numbers, map(words, batch.hypotheses))
        references = [encode(numbers, map(words, lines)) for lines in batch.references]
        match = match_words(list(numbers), batch.target_lang)
        light = function_words(batch.target_lang) | set(punctuation)
        heavy = np.array([word not in light for word in numbers], dtype=np.bool_)
        table = paraphrases(context[0]) if context else None
        costs = []
        for texts in references:
            starts = np.zeros(len(batch) + 1, dtype=np.int64)
            phrases = Phrases(np.zeros((0, 4), dtype=np.int64), np.zeros(0))
            if table is not None:
                starts, phrases = weigh_phrases(table, list(numbers), hypotheses, texts, match)
            cost = weigh_all(hypotheses, texts, match, heavy, COSTS, starts, phrases)
            costs.append(np.where(texts.lengths > 0, np.minimum(cost, texts.lengths), cost))
        lengths = np.stack([texts.lengths for texts in references])
        return np.column_stack([np.min(costs, axis=0), lengths.mean(axis=0)])


def match_words(words: list[str], language: str) -> WordMatch:
    """Look up the stems and senses of words."""
    numbers: dict[str, int] = {}
    stems = [numbers.setdefault(stem, len(numbers)) for stem in map(stemmer(language), words)]
    senses = [sorted(wordnet().synsets(word)) for word in words]
    return WordMatch(
        np.array(stems, dtype=np.int64),
        np.cumsum([0, *map(len, senses)], dtype=np.int64),
        np.array([sense for own in senses for sense in own], dtype=np.int64),
    )


@jit
def _match(ours: IntArray, theirs: IntArray, match: WordMatch) -> Bools:
    """Return which words of two texts are equal, or share a stem or sense."""
    same = np.zeros((len(ours), len(theirs)), dtype=np.bool_)
    starts, senses = match.starts, match.senses
    for i in range(len(ours)):
        for j in range(len(theirs)):
            same[i, j] = match.stems[ours[i]] == match.stems[theirs[j]]
            a, b = starts[ours[i]], starts[theirs[j]]
            while not same[i, j] and a < starts[ours[i] + 1] and b < starts[theirs[j] + 1]:
                same[i, j] = senses[a] == senses[b]
                if senses[a] < senses[b]:
                    a += 1
                else:
                    b += 1
    return same


@jit
def weigh_all(
    hypotheses: Texts,
    references: Texts,
    match: WordMatch,
    heavy: Bools,
    costs: Costs,
    starts: IntArray,
    phrases: Phrases,
) -> FloatArray:
    """Return the cost of the edits of every segment; ``starts`` are its first phrases."""
    edits = np.zeros(len(hypotheses.starts) - 1)
    for s in range(len(edits)):
        hypothesis, reference = nth(hypotheses, s), nth(references, s)
        if len(hypothesis) == 0 or len(reference) == 0:
            edits[s] = len(hypothesis) * costs.insert + len(reference) * costs.delete
            continue
        same = _match(hypothesis, reference, match)
        first, last = starts[s], starts[s + 1]
        own = Phrases(phrases.places[first:last], phrases.costs[first:last])
        edits[s] = weigh_edits(same, heavy[hypothesis], costs, own)
    return edits


def weigh_phrases(
    table: ParaphraseTable,
    words: list[str],
    hypotheses: Texts,
    references: Texts,
    match: WordMatch,
) -> tuple[IntArray, Phrases]:
    """Find phrases of a hypothesis whose paraphrase is in the reference, and weigh them.

    Return the first phrase of each segment, and all phrases.
    """
    numbers = np.array([table.word(word) for word in words], dtype=np.int64)
    tree = ParaphraseTree.of(table)
    found, ends = _find_all(hypotheses, references, numbers, tree)
    first, start = found[:, 0], found[:, 4]
    segments = np.repeat(np.arange(hypotheses.size), np.diff(ends, prepend=0))
    rows = np.column_stack(
        [segments, first, first + found[:, 1] - 1, start, start + found[:, 2]]
    ).astype(np.int64)
    chances = table.probabilities[found[:, 5]].astype(np.float64)
    keep = (found[:, 1:3] <= _LONGEST_PHRASE).all(axis=1)
    rows, chances = _select_best(rows[keep], chances[keep])
    edits = _count_phrase_edits(rows, hypotheses, references, match)
    base, by_log, by_probability, by_edit = _WEIGHTS
    each = by_log * np.log10(chances) + by_probability * chances + by_edit
    starts = np.searchsorted(rows[:, 0], np.arange(hypotheses.size + 1))
    return starts, Phrases(np.ascontiguousarray(rows[:, 1:]), np.maximum(base + edits * each, 0.0))


def _select_best(rows: IntArray, chances: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return each pair of phrases once, with its best probability, by segment and last word."""
    order = np.lexsort((-chances, rows[:, 4], rows[:, 3], rows[:, 1], rows[:, 2], rows[:, 0]))
    rows, chances = rows[order], chances[order]
    new = np.ones(len(rows), dtype=np.bool_)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[new], chances[new]


@jit
def _find_all(hypotheses, references, numbers, tree):  # type: ignore[no-untyped-def]
    """Find the paraphrases of all segments, and where those of each segment end."""
    heads = np.zeros(len(tree.child_words), dtype=np.int32)
    found = np.zeros((256, 6), dtype=np.int32)
    ends = np.zeros(len(hypotheses.starts) - 1, dtype=np.int64)
    total = 0
    for s in range(len(ends)):
        in_hypothesis = find_phrases(nth(hypotheses, s), numbers, tree)
        in_reference = find_phrases(nth(references, s), numbers, tree)
        found, total = match_phrases(in_hypothesis, in_reference, tree, heads, found, total)
        ends[s] = total
    return found[:total], ends


@jit
def _count_phrase_edits(
    rows: IntArray, hypotheses: Texts, references: Texts, match: WordMatch
) -> IntArray:
    """Count the word edits that turn each phrase into its paraphrase."""
    edits = np.zeros(len(rows), dtype=np.int64)
    for p in range(len(rows)):
        s = rows[p, 0]
        ours = nth(hypotheses, s)[rows[p, 1] : rows[p, 2] + 1]
        theirs = nth(references, s)[rows[p, 3] : rows[p, 4]]
        same = _match(ours, theirs, match)
        row = np.arange(len(theirs) + 1)
        for i in range(len(ours)):
            corner = row[0]
            row[0] = i + 1
            for j in range(len(theirs)):
                cost = min(corner + (0 if same[i, j] else 1), row[j] + 1, row[j + 1] + 1)
                corner = row[j + 1]
                row[j + 1] = cost
        edits[p] = row[len(theirs)]
    return edits
