"""TER, the translation edit rate (Snover et al. 2006), with sacreBLEU's scores.

An explanation shows the edits one by one: shifts, substitutions, words too many and too few. The
search is that of :mod:`albeit.metrics.lexical.edits`; here its shifts are done again, and the way
through its matrix is read off word by word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any, ClassVar, Literal

import numpy as np

from albeit.arrays import IntArray
from albeit.data.evalset import EvalSet
from albeit.jit import jit
from albeit.metrics.base import Batch, Context, FloatArray, Metric, check_lengths, ratio
from albeit.metrics.lexical.edits import (
    FAR,
    Matrix,
    beam,
    count_edits,
    fill_forward,
    shift,
    translation_edits,
)
from albeit.metrics.lexical.ngrams import Texts, Vocabulary
from albeit.metrics.lexical.tokenizers import is_unspaced, tokenizer
from albeit.metrics.lexical.wordmatch import (
    Bools,
    MatchBy,
    WordMatch,
    check_language,
    match_matrix,
    match_versions,
    word_match,
)
from albeit.metrics.view import Link, Loss, Place, View, compare_pair, locate

__all__ = ["Ter", "edit_rate", "edit_script", "tercom_words"]


@dataclass(frozen=True)
class Ter(Metric):
    """Edits (insert, delete, substitute, shift a block) for each 100 reference words.

    A row of statistics is the fewest edits to any reference and the mean length of the
    references. ``match`` says which words are the same: ``exact``; ``stem``, also words of
    one stem; ``synonym``, also words that share a WordNet sense (English).

    Unless ``asian_support`` is given, Chinese and Japanese are cut as sacreBLEU does with it
    and ``normalized``, and other languages written without spaces into characters.
    """

    name: ClassVar[str] = "ter"
    summary: ClassVar[str] = "edits and block shifts per reference word (sacreBLEU's scores)"
    higher_is_better: ClassVar[bool] = False
    scale: ClassVar[float] = 100.0
    whole_set: ClassVar[bool] = False
    """How lines are cut hangs on the language alone."""

    match: MatchBy = "exact"
    normalized: bool = False
    no_punct: bool = False
    asian_support: bool | None = None
    case_sensitive: bool = False

    def check(self, evalset: EvalSet) -> None:
        """Also see that the language has what ``match`` needs."""
        super().check(evalset)
        check_lengths(self, evalset)
        check_language(self.match, evalset.target_lang)

    def prepare(self, evalset: EvalSet) -> Context:
        """How lines are cut, which the language decides."""
        return self._cut(evalset.target_lang)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Versions of what matches words, and of sacreBLEU, for its tokeniser and definition."""
        cut = {"tok": str(context)} if context in ("asian", "char") else {}
        return match_versions(self.match) | cut | {"sacrebleu": version("sacrebleu")}

    def _cut(self, language: str) -> Literal["spaces", "asian", "char"]:
        if self.asian_support is not None or not is_unspaced(language):
            return "spaces"
        return "asian" if language in ("zh", "ja") else "char"

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Edits and reference length of each segment."""
        hypotheses, references, match = self._read(batch)
        edits = np.stack([count_edits(hypotheses, texts, match) for texts in references])
        lengths = np.stack([texts.lengths for texts in references])
        return np.column_stack([edits.min(axis=0), lengths.sum(axis=0) / len(lengths)])

    def _read(self, batch: Batch) -> tuple[Texts, list[Texts], WordMatch]:
        """The words of hypotheses and references as numbers, and which are the same."""
        vocabulary = Vocabulary()
        words, reference_words = self._words(batch.target_lang)
        hypotheses = vocabulary.encode(map(words, batch.hypotheses))
        references = [vocabulary.encode(map(reference_words, lines)) for lines in batch.references]
        return hypotheses, references, word_match(vocabulary.words(), self.match, batch.target_lang)

    def _words(self, language: str) -> tuple[Callable[[str], list[str]], ...]:
        """How translations, and how references are cut.

        sacreBLEU tokenises references twice; where normalised that can change a few words.
        """
        cut = self._cut(language)
        asian = cut == "asian"
        by_spaces = tercom_words(
            self.normalized or asian,
            self.no_punct,
            self.asian_support or asian,
            self.case_sensitive,
        )

        def words(line: str) -> list[str]:
            return by_spaces(tokenizer("char")(line) if cut == "char" else line)

        return words, lambda line: words(" ".join(words(line)))

    def score(self, sums: FloatArray) -> FloatArray:
        """Edits per 100 words; against an empty reference 100, or 0 without edits."""
        return edit_rate(sums)

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Every edit to the reference with the fewest, the first of equals."""
        hypothesis, references, match = self._read(batch)
        edits = [count_edits(hypothesis, texts, match)[0] for texts in references]
        best = int(np.argmin(edits))
        lines = batch.hypotheses[0], batch.references[best][0]
        cut, cut_reference = self._words(batch.target_lang)
        words = cut(lines[0]), cut_reference(lines[1])
        same = match_matrix(hypothesis.symbols, references[best].symbols, match)
        score = float(self.segment_score(row))
        links, losses = edit_script(same, *words, score / max(1, edits[best]))
        located = (lines[0], locate(lines[0], words[0])), (lines[1], locate(lines[1], words[1]))
        return self.view(row, compare_pair(*located, best), links, losses)


def edit_rate(sums: FloatArray) -> FloatArray:
    """Edits (or their cost) for each 100 words, from rows of edits and reference lengths."""
    edits, length = sums[..., 0], sums[..., 1]
    rate = np.where(length > 0, ratio(edits, length), np.where(edits > 0, 1.0, 0.0))
    return np.asarray(100.0 * rate)


def tercom_words(
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> Callable[[str], list[str]]:
    """tercom's tokenisation of a line into words, by its options."""
    tokenize = _tokenizer(normalized, no_punct, asian_support, case_sensitive)
    return lambda line: str(tokenize(line.rstrip())).split()


@lru_cache(maxsize=4)
def _tokenizer(*options: bool) -> Any:
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    return TercomTokenizer(*options)


def edit_script(
    same: Bools, hypothesis: Sequence[str], reference: Sequence[str], cost: float
) -> tuple[tuple[Link, ...], tuple[Loss, ...]]:
    """Words that met their like, and the edits, each at this cost.

    ``same[h, r]`` says which words match. Texts 0 and 1 of the view are hypothesis and reference.
    """
    moved, order = _shifted(same)
    losses = [
        Loss(f"shift: {_quoted(hypothesis, block)}", cost, (Place(0, block),)) for block in moved
    ]
    anywhere = {word for block in moved for word in block}
    links: list[Link] = []
    for ours, theirs in _way(same, order):
        if ours is not None and theirs is not None:
            places = Place(0, (ours,)), Place(1, (theirs,))
            if same[ours, theirs]:
                links.append(Link(*places, kind="shifted" if ours in anywhere else "same"))
            else:
                label = f"instead: {hypothesis[ours]} for {reference[theirs]}"
                losses.append(Loss(label, cost, places))
        elif ours is not None:
            losses.append(Loss(f"too much: {hypothesis[ours]}", cost, (Place(0, (ours,)),)))
        elif theirs is not None:
            losses.append(Loss(f"missing: {reference[theirs]}", cost, (Place(1, (theirs,)),)))
    return tuple(links), tuple(losses)


def _quoted(words: Sequence[str], places: Sequence[int]) -> str:
    return " ".join(words[place] for place in places)


def _shifted(same: Bools) -> tuple[list[tuple[int, ...]], IntArray]:
    """The blocks that were moved, by their places in the hypothesis, and the order after it."""
    n, m = same.shape
    order = np.arange(n)
    if not n or not m:
        return [], order
    moves = np.zeros((n + m, 3), dtype=np.int64)  # each shift saves an edit, so there is room
    shifts, _ = translation_edits(same, moves)
    blocks = []
    for start, length, target in moves[:shifts].tolist():
        blocks.append(tuple(order[start : start + length].tolist()))
        moved = np.empty_like(order)
        shift(order, moved, start, length, target)
        order = moved
    return blocks, order


def _way(same: Bools, order: IntArray) -> Iterator[tuple[int | None, int | None]]:
    """Words side by side in the reference's order; ``None`` where one side has none.

    Of equal ways, substitution comes before deletion, deletion before insertion, as in the search.
    """
    i, j = same.shape
    matrix = _distances(same, order) if i and j else np.zeros((1, 1), dtype=np.int32)
    steps: list[tuple[int | None, int | None]] = []
    while i and j:
        cost = 0 if same[order[i - 1], j - 1] else 1
        if matrix[i - 1, j - 1] + cost == matrix[i, j]:
            i, j = i - 1, j - 1
            steps.append((int(order[i]), j))
        elif matrix[i - 1, j] + 1 == matrix[i, j]:
            i -= 1
            steps.append((int(order[i]), None))
        else:
            j -= 1
            steps.append((None, j))
    steps += [(int(order[k]), None) for k in range(i - 1, -1, -1)]
    steps += [(None, k) for k in range(j - 1, -1, -1)]
    return reversed(steps)


@jit
def _distances(same: Bools, order: IntArray) -> Matrix:
    """The matrix of edit distances, with the words of the hypothesis in this order."""
    n, m = same.shape
    first, last = beam(n, m)
    matrix = np.full((n + 1, m + 1), FAR, dtype=np.int32)
    for j in range(m + 1):
        matrix[0, j] = j
    fill_forward(same, order, matrix, first, last, 1, n)
    return matrix
