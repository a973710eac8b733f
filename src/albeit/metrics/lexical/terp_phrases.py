"""Which phrases of a translation may stand for phrases of its reference, and at what cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from albeit.arrays import IntArray
from albeit.jit import jit
from albeit.metrics.base import FloatArray
from albeit.metrics.lexical.ngrams import Texts
from albeit.metrics.lexical.weighted_edits import Phrases
from albeit.metrics.lexical.wordmatch import WordMatch, same_words
from albeit.resources import ParaphraseTable

__all__ = ["find_phrases"]

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
        hypotheses.symbols,
        hypotheses.starts,
        references.symbols,
        references.starts,
        numbers,
        table.child_starts,
        table.child_words,
        table.entry_starts,
        table.entries,
        table.probabilities,
    )
    found, probabilities = _once(found, probabilities)
    edits = _distances(
        found,
        hypotheses.symbols,
        hypotheses.starts,
        references.symbols,
        references.starts,
        match.stems,
        match.starts,
        match.senses,
    )
    base, by_log, by_probability, by_edit = _WEIGHTS
    each = by_log * np.log10(probabilities) + by_probability * probabilities + by_edit
    starts = np.searchsorted(found[:, 0], np.arange(len(hypotheses) + 1))
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
    hypotheses: IntArray,
    hypothesis_starts: IntArray,
    references: IntArray,
    reference_starts: IntArray,
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
    for s in range(len(hypothesis_starts) - 1):
        ours = _spans(
            hypotheses[hypothesis_starts[s] : hypothesis_starts[s + 1]],
            numbers,
            child_starts,
            child_words,
        )
        theirs = _spans(
            references[reference_starts[s] : reference_starts[s + 1]],
            numbers,
            child_starts,
            child_words,
        )
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
def _distances(
    found: IntArray,
    hypotheses: IntArray,
    hypothesis_starts: IntArray,
    references: IntArray,
    reference_starts: IntArray,
    stems: IntArray,
    sense_starts: IntArray,
    senses: IntArray,
) -> IntArray:
    """How many words must be edited to turn each phrase into its partner."""
    edits = np.zeros(len(found), dtype=np.int64)
    for p in range(len(found)):
        s = found[p, 0]
        ours = hypotheses[
            hypothesis_starts[s] + found[p, 1] : hypothesis_starts[s] + found[p, 2] + 1
        ]
        theirs = references[reference_starts[s] + found[p, 3] : reference_starts[s] + found[p, 4]]
        row = np.arange(len(theirs) + 1)
        for i in range(len(ours)):
            corner = row[0]
            row[0] = i + 1
            for j in range(len(theirs)):
                same = same_words(ours[i], theirs[j], stems, sense_starts, senses)
                cost = min(corner + (0 if same else 1), row[j] + 1, row[j + 1] + 1)
                corner = row[j + 1]
                row[j + 1] = cost
        edits[p] = row[len(theirs)]
    return edits
