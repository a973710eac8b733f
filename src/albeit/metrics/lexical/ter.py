"""TER, the translation edit rate (Snover et al. 2006), with sacreBLEU's scores.

An explanation lists the edits one by one: shifts, substitutions, extra and missing words.
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
from albeit.metrics import (
    Batch,
    Context,
    FloatArray,
    Link,
    Loss,
    Metric,
    Place,
    View,
    check_lengths,
    compare_pair,
    locate,
    ratio,
)
from albeit.metrics.lexical.edits import MAX_SHIFT_SIZE, Bools, Matrix, count_edits
from albeit.metrics.lexical.ngrams import Texts, encode, nth
from albeit.metrics.lexical.tokenizers import is_unspaced, tokenizer

__all__ = ["EditRate", "Ter", "tercom_words"]


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
        edits = [_script(hypothesis, reference) for reference in references]
        best = min(range(len(edits)), key=lambda number: len(edits[number][1]))
        links, labels = edits[best]
        cost = float(self.segment_score(row)) / max(1, len(labels))
        losses = [Loss(label, cost, places) for label, places in labels]
        lines = batch.hypotheses[0], batch.references[best][0]
        texts = compare_pair(
            (lines[0], locate(lines[0], hypothesis)),
            (lines[1], locate(lines[1], references[best])),
            best,
        )
        return self.view(row, texts, links, losses)


def tercom_words(
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> Callable[[str], list[str]]:
    """Return tercom's tokenization of a line into words, by its options."""
    tokenize = _tokenizer(normalized, no_punct, asian_support, case_sensitive)
    return lambda line: str(tokenize(line.rstrip())).split()


@lru_cache(maxsize=4)
def _tokenizer(*options: bool) -> Any:
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    return TercomTokenizer(*options)


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


def _script(
    hypothesis: Sequence[str], reference: Sequence[str]
) -> tuple[list[Link], list[tuple[str, tuple[Place, ...]]]]:
    """Return links between words that match, and the edits with their places."""
    n, m = len(hypothesis), len(reference)
    same = np.zeros((n, m), dtype=np.bool_)
    order, matrix = np.arange(n), np.zeros((1, 1), dtype=np.int32)
    blocks = np.full((n + m, MAX_SHIFT_SIZE), -1, dtype=np.int64)  # each shift saves an edit
    if n and m:
        same = np.equal.outer(np.array(hypothesis, dtype=object), np.array(reference, dtype=object))
        _, order, matrix = count_edits(same.astype(np.bool_), blocks)
    moved = [tuple(block[block >= 0].tolist()) for block in blocks if block[0] >= 0]
    edits: list[tuple[str, tuple[Place, ...]]] = [
        (f"shift: {' '.join(hypothesis[place] for place in block)}", (Place(0, block),))
        for block in moved
    ]
    shifted = {word for block in moved for word in block}
    links: list[Link] = []
    for ours, theirs in _path(same, order, matrix):
        if ours is None:
            edits.append((f"missing: {reference[theirs]}", (Place(1, (theirs,)),)))
        elif theirs is None:
            edits.append((f"too much: {hypothesis[ours]}", (Place(0, (ours,)),)))
        elif same[ours, theirs]:
            kind = "shifted" if ours in shifted else "same"
            links.append(Link(Place(0, (ours,)), Place(1, (theirs,)), kind=kind))
        else:
            label = f"instead: {hypothesis[ours]} for {reference[theirs]}"
            edits.append((label, (Place(0, (ours,)), Place(1, (theirs,)))))
    return links, edits


def _path(same: Bools, order: IntArray, matrix: Matrix) -> Iterator[tuple[Any, Any]]:
    """Return aligned words in the reference's order; ``None`` if one side has no word.

    Of equal paths, substitution comes before deletion, deletion before insertion.
    """
    i, j = same.shape
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
