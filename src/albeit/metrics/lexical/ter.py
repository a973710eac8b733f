"""TER (Snover et al. 2006) with sacreBLEU's scores, and TERp-A (Snover et al. 2009).

An explanation of TER lists the edits one by one: shifts, substitutions, extra and missing words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from string import punctuation
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from albeit.arrays import FloatArray, IntArray
from albeit.data.evalset import EvalSet
from albeit.jit import jit
from albeit.metrics.base import Batch, Context, Metric, check_lengths, ratio
from albeit.metrics.lexical.edits import (
    MAX_SHIFT_SIZE,
    Bools,
    Costs,
    count_edits,
    weigh_edits,
)
from albeit.metrics.lexical.ngrams import Texts, encode, intersect, nth
from albeit.metrics.lexical.tokenizers import is_unspaced, tercom_words, tokenizer, word_versions
from albeit.metrics.view import Link, Loss, Place, View, compare_words
from albeit.parsing.needs import Side
from albeit.resources import function_words, stemmer, wordnet

COSTS = Costs(
    insert=0.2588527567630183,
    delete=1.4269364675533365,
    substitute=1.5565478292505814,
    shift=0.5620538767397316,
)
"""Tuned for adequacy on NIST MT06, as published with TERp; stems and synonyms cost nothing."""


class EditRate(Metric):
    """A metric of edits (or their costs) per 100 reference words.

    A row of statistics is the fewest edits to any reference and the mean length of the references.
    """

    higher_is_better: ClassVar[bool] = False
    scale: ClassVar[float] = 100.0
    whole_set: ClassVar[bool] = False
    """What it prepares depends on the language only."""

    def score(self, sums: FloatArray) -> FloatArray:
        """Return edits per 100 words; with an empty reference 100, or 0 without edits."""
        edits, length = sums[..., 0], sums[..., 1]
        rate = np.where(length > 0, ratio(edits, length), np.where(edits > 0, 1.0, 0.0))
        return np.asarray(100.0 * rate)


@dataclass(frozen=True)
class Ter(EditRate):
    """Edits (insert, delete, substitute, shift a block) per 100 reference words.

    Unless ``asian_support`` is given, Chinese and Japanese are split as sacreBLEU does with it and
    ``normalized``, and other languages written without spaces into characters.
    """

    name: ClassVar[str] = "ter"
    summary: ClassVar[str] = "edits and block shifts per reference word (sacreBLEU's scores)"

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool | None = None
    case_sensitive: bool = False

    def check(self, evalset: EvalSet) -> None:
        """Also check the lengths of lines."""
        super().check(evalset)
        check_lengths(self, evalset)

    def prepare(self, evalset: EvalSet) -> Context:
        """Return how lines are split, which the language decides."""
        return self._split(evalset.target_lang)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return how lines are split, and sacreBLEU's version, for its tokenizer and definition."""
        split = {"tok": str(context)} if context in ("asian", "char") else {}
        return split | {"sacrebleu": version("sacrebleu")}

    def _split(self, language: str) -> Literal["spaces", "asian", "char"]:
        if self.asian_support is not None or not is_unspaced(language):
            return "spaces"
        return "asian" if language in ("zh", "ja") else "char"

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return edits and reference length of each segment."""
        words, reference_words = self._words(batch.target_lang)
        numbers: dict[str, int] = {}
        hypotheses = encode(numbers, map(words, batch.hypotheses))
        references = [encode(numbers, map(reference_words, lines)) for lines in batch.references]
        edits = np.stack([_count_all(hypotheses, texts) for texts in references])
        lengths = np.stack([texts.lengths for texts in references])
        return np.column_stack([edits.min(axis=0), lengths.sum(axis=0) / len(lengths)])

    def _words(self, language: str) -> tuple[Callable[[str], list[str]], ...]:
        """Return how translations, and how references are split.

        sacreBLEU tokenizes references twice; if normalized, that can change a few words.
        """
        split = self._split(language)
        asian = split == "asian"
        by_spaces = tercom_words(
            self.normalized or asian,
            self.no_punct,
            self.asian_support or asian,
            self.case_sensitive,
        )

        def words(line: str) -> list[str]:
            return by_spaces(tokenizer("char")(line) if split == "char" else line)

        return words, lambda line: words(" ".join(words(line)))

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """List the edits to the reference with the fewest, the first of equals."""
        words, reference_words = self._words(batch.target_lang)
        hypothesis = words(batch.hypotheses[0])
        references = [reference_words(lines[0]) for lines in batch.references]
        edits = [_list_edits(hypothesis, reference) for reference in references]
        best = min(range(len(edits)), key=lambda number: len(edits[number][1]))
        links, labels = edits[best]
        cost = float(self.segment_score(row)) / max(1, len(labels))
        losses = [Loss(label, cost, places) for label, places in labels]
        texts = (
            compare_words(Side.HYPOTHESIS, batch.hypotheses[0], hypothesis),
            compare_words(Side.REFERENCE, batch.references[best][0], references[best], best),
        )
        return self.view(row, texts, links, losses)


@jit
def _count_all(hypotheses: Texts, references: Texts) -> IntArray:
    """Count the edits of every segment."""
    edits = np.diff(hypotheses.starts) + np.diff(references.starts)
    blocks = np.zeros((0, MAX_SHIFT_SIZE), dtype=np.int64)
    for s in range(len(edits)):
        hypothesis, reference = nth(hypotheses, s), nth(references, s)
        if len(hypothesis) and len(reference):
            same = hypothesis.reshape(-1, 1) == reference.reshape(1, -1)
            edits[s] = count_edits(same, blocks)[0]
    return edits


def _list_edits(
    hypothesis: Sequence[str], reference: Sequence[str]
) -> tuple[list[Link], list[tuple[str, tuple[Place, ...]]]]:
    """Return links between words that match, and the edits with their places."""
    n, m = len(hypothesis), len(reference)
    same = np.array([[ours == theirs for theirs in reference] for ours in hypothesis], dtype=bool)
    order, aligned = np.arange(n), np.full(m, -1)
    blocks = np.full((n + m, MAX_SHIFT_SIZE), -1, dtype=np.int64)  # each shift saves an edit
    if n and m:
        _, order, aligned = count_edits(same, blocks)
    moved = [tuple(block[block >= 0].tolist()) for block in blocks if block[0] >= 0]
    shifted = {word for block in moved for word in block}
    links: list[Link] = []
    edits: list[tuple[str, tuple[Place, ...]]] = [
        (f"shift: {' '.join(hypothesis[word] for word in block)}", (Place(0, block),))
        for block in moved
    ]
    before = -1
    for theirs, at in enumerate([*aligned.tolist(), n]):
        for extra in range(before + 1, at):
            word = int(order[extra])
            edits.append((f"too much: {hypothesis[word]}", (Place(0, (word,)),)))
        if theirs == m:
            break
        places = (Place(1, (theirs,)),)
        if at == before:
            edits.append((f"missing: {reference[theirs]}", places))
            continue
        ours, before = int(order[at]), at
        if same[ours, theirs]:
            kind = "shifted" if ours in shifted else "same"
            links.append(Link(Place(0, (ours,)), *places, kind=kind))
        else:
            label = f"instead: {hypothesis[ours]} for {reference[theirs]}"
            edits.append((label, (Place(0, (ours,)), *places)))
    return links, edits


class WordMatch(NamedTuple):
    """The stem of each word, by number, and its sorted WordNet senses."""

    stems: IntArray
    senses: Texts

    @classmethod
    def of(cls, words: Sequence[str], language: str) -> WordMatch:
        """Look up the stems and senses of words."""
        stems = encode({}, [list(map(stemmer(language), words))]).symbols
        return cls(stems, Texts.of([sorted(wordnet().synsets(word)) for word in words]))


@dataclass(frozen=True)
class TerpA(EditRate):
    """The cost of edits per 100 reference words, with TERp-A's tuned costs.

    Words match exactly, by stem, or by a shared WordNet sense, at no cost. The cost to a reference
    is at most its length. TERp's database of paraphrases isn't used.
    """

    name: ClassVar[str] = "terp-a"
    summary: ClassVar[str] = "TER with stems, synonyms and costs tuned for adequacy (English)"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    """The language of WordNet."""

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return versions of stemmer, WordNet, and tokenizer."""
        return {**word_versions(), "sacrebleu": version("sacrebleu")}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return the cost of the edits and reference length of each segment."""
        words = tercom_words(normalized=True)
        numbers: dict[str, int] = {}
        hypotheses = encode(numbers, map(words, batch.hypotheses))
        references = [encode(numbers, map(words, lines)) for lines in batch.references]
        match = WordMatch.of(list(numbers), batch.target_lang)
        light = function_words(batch.target_lang) | set(punctuation)
        heavy = np.array([word not in light for word in numbers], dtype=np.bool_)
        costs = []
        for texts in references:
            cost = _weigh_all(hypotheses, texts, match, heavy)
            costs.append(np.where(texts.lengths > 0, np.minimum(cost, texts.lengths), cost))
        lengths = np.stack([texts.lengths for texts in references])
        return np.column_stack([np.min(costs, axis=0), lengths.mean(axis=0)])


@jit
def _match(ours: IntArray, theirs: IntArray, match: WordMatch) -> Bools:
    """Return which words of two texts are equal, or share a stem or sense."""
    same = np.zeros((len(ours), len(theirs)), dtype=np.bool_)
    for i in range(len(ours)):
        for j in range(len(theirs)):
            same[i, j] = match.stems[ours[i]] == match.stems[theirs[j]]
            same[i, j] = same[i, j] or intersect(match.senses, ours[i], theirs[j])
    return same


@jit
def _weigh_all(hypotheses: Texts, references: Texts, match: WordMatch, heavy: Bools) -> FloatArray:
    """Return the cost of the edits of every segment."""
    edits = np.zeros(len(hypotheses.starts) - 1)
    for s in range(len(edits)):
        hypothesis, reference = nth(hypotheses, s), nth(references, s)
        if len(hypothesis) and len(reference):
            same = _match(hypothesis, reference, match)
            edits[s] = weigh_edits(same, heavy[hypothesis], COSTS)
        else:
            edits[s] = len(hypothesis) * COSTS.insert + len(reference) * COSTS.delete
    return edits
