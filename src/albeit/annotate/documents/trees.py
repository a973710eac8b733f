"""A tree over the sentences of a document, and the tree over all EDUs that it makes with theirs.

A candidate joins two neighbouring runs of sentences. A run of at most ``MAX_ATOMS`` sentences is
decoded exactly (:mod:`albeit.annotate.decode.rst`); a longer one is split where that scores best,
until its parts are short enough. Very long ones are split away from their ends only, so that
cost grows about linearly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from albeit.annotate.decode import rst
from albeit.annotate.documents.document import Document, Heads, Sentence

__all__ = ["document_tree", "tree_over_sentences"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

WINDOW = 256
"""The most sentences that see each other."""
LONG = 8 * rst.MAX_ATOMS
"""A run of more sentences is not split within the first or last eighth of it."""
SLICE = 1 << 14
"""The most candidates that are scored at once."""


def document_tree(document: Document, networks: Heads) -> list[int]:
    """Inner nodes over the document's EDUs: first, last, last of the left part, label; flat."""
    sizes = [len(s.edus) for s in document.sentences]
    first = np.cumsum([0, *sizes])
    found: list[int] = []
    for a, b, m, label in tree_over_sentences(document, networks).tolist():
        found += [int(first[a]), int(first[b + 1]) - 1, int(first[m + 1]) - 1, label]
    for base, sentence in zip(first.tolist(), document.sentences, strict=False):
        nodes = np.array(sentence.tree, np.int64).reshape(-1, 4)
        nodes[:, :3] += base
        found += nodes.ravel().tolist()
    return found


def tree_over_sentences(document: Document, networks: Heads) -> Ints:
    """Inner nodes as rows: first sentence, last, last of the left part, label."""
    count = len(document.sentences)
    if count < 2:
        return np.zeros((0, 4), np.int64)
    scores = _Scores(_units(document, networks.labels["rst"]), networks)
    nodes: list[tuple[int, int, int, int]] = []
    short: list[tuple[int, int]] = []
    level = [(0, count - 1)]
    while level:
        long = [span for span in level if span[1] - span[0] >= rst.MAX_ATOMS]
        short += [span for span in level if 0 < span[1] - span[0] < rst.MAX_ATOMS]
        level = []
        for a, b, m, label in scores.best_splits(long):
            nodes.append((a, b, m, label))
            level += [(a, m), (m + 1, b)]
    return np.concatenate([np.array(nodes, np.int64).reshape(-1, 4), scores.exact(short)])


def _units(document: Document, labels: Sequence[str]) -> Floats:
    """What is read of each sentence: first word, last, mean, mean of its most salient EDU."""
    words, begin, end = document.words, document.starts[:-1], document.starts[1:]
    chosen = np.array([_salient(s, labels) for s in document.sentences]) + begin[:, None]
    parts = (words[begin], words[end - 1], _means(words, begin, end), _means(words, *chosen.T))
    return np.concatenate(parts, axis=1)


def _means(words: Floats, begin: Ints, end: Ints) -> Floats:
    """The mean of the words of each of some stretches, which follow each other."""
    filled = np.concatenate([words, words[:1]])
    sums = np.add.reduceat(filled, np.column_stack([begin, end]).ravel(), axis=0)[::2]
    return np.asarray(sums / (end - begin)[:, None], np.float32)


def _salient(sentence: Sentence, labels: Sequence[str]) -> tuple[int, int]:
    """The words of the EDU that the nuclei of a sentence's tree lead to."""
    quads = zip(*[iter(sentence.tree)] * 4, strict=True)
    splits = {(a, b): (m, labels[label].startswith("SN")) for a, b, m, label in quads}
    a, b = 0, len(sentence.edus) - 1
    while a != b:
        m, right = splits[a, b]
        a, b = (m + 1, b) if right else (a, m)
    stops = [*sentence.edus[1:].tolist(), len(sentence.words)]
    return int(sentence.edus[a]), stops[a]


class _Scores:
    """Scores of candidates, from six projections of each sentence's vector."""

    def __init__(self, units: Floats, networks: Heads) -> None:
        self.networks = networks
        self.count = len(units)
        places = _places(units, networks).reshape(self.count, 6, -1)
        self.ends = places[:, :4]
        self.sums = np.zeros((self.count + 1, 2, places.shape[2]))
        np.cumsum(places[:, 4:], axis=0, dtype=np.float64, out=self.sums[1:])

    def __call__(self, first: Ints, middle: Ints, last: Ints) -> tuple[Floats, Floats]:
        """Of joining ``first`` to ``middle`` with what follows to ``last``: whether, and how."""
        parts = [
            self.networks.head("joins", *self._inputs(first[a:b], middle[a:b], last[a:b]))
            for a in range(0, len(first), SLICE)
            for b in [a + SLICE]
        ]
        splits, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
        return splits, labels

    def _inputs(self, first: Ints, middle: Ints, last: Ints) -> tuple[Floats, Floats]:
        left, right = middle - first + 1, last - middle
        joint = self._runs(first, middle, 0) + self._runs(middle + 1, last, 1)
        begins, closes = first == 0, last == self.count - 1
        features = [left == 1, right == 1, begins, closes, begins & closes]
        sizes = [np.log(left), np.log(right)]
        return joint, np.column_stack([*features, *sizes]).astype(np.float32)

    def _runs(self, first: Ints, last: Ints, side: int) -> Floats:
        """What runs say as the left (0) or right (1) part of a candidate; each is made once."""
        _, chosen, back = np.unique(
            first * self.count + last, return_index=True, return_inverse=True
        )
        a, b = first[chosen], last[chosen]
        means = (self.sums[b + 1, side] - self.sums[a, side]) / (b - a + 1)[:, None]
        found: Floats = (self.ends[a, 2 * side] + self.ends[b, 2 * side + 1] + means).astype(
            np.float32
        )
        return found[back]

    def best_splits(self, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
        """(first, last, last of the left part, label) of each run, split where it scores best."""
        if not spans:
            return []
        tried = [_inner(a, b) for a, b in spans]
        sizes = [len(middle) for middle in tried]
        first, last = (np.repeat([span[k] for span in spans], sizes) for k in (0, 1))
        middle = np.concatenate(tried)
        splits, labels = self(first, middle, last)
        bounds = np.cumsum([0, *sizes])
        chosen = [int(p + splits[p:q].argmax()) for p, q in pairwise(bounds)]
        return [
            (a, b, int(middle[k]), int(labels[k].argmax()))
            for (a, b), k in zip(spans, chosen, strict=True)
        ]

    def exact(self, spans: Sequence[tuple[int, int]]) -> Ints:
        """The nodes of the best tree over each short run."""
        if not spans:
            return np.zeros((0, 4), np.int64)
        sizes = [b - a + 1 for a, b in spans]
        where = np.concatenate([np.arange(a, b + 1) for a, b in spans])
        blocks = np.repeat(np.arange(len(sizes)), sizes).astype(np.int32)
        planned = rst.plan(blocks, np.cumsum([0, *sizes]).astype(np.int32))
        first, middle, _, last = where[planned.candidates].T
        nodes, _, _ = rst.trees(planned, *self(first, middle, last))
        found = nodes.astype(np.int64)
        found[:, :3] = where[found[:, :3]]
        return found


def _inner(first: int, last: int) -> Ints:
    """Where a run may be split: the last sentence of its left part."""
    size = last - first + 1
    away = size // 8 if size > LONG else 0
    return np.arange(first + away, last - away)


def _places(units: Floats, networks: Heads) -> Floats:
    """The projections of all sentences; where there are many, from overlapping windows, each
    sentence from the one in which it stands furthest from an edge."""
    count = len(units)
    if count <= WINDOW:
        return networks.head("units", units)[0]
    begins = [*range(0, count - WINDOW, WINDOW // 2), count - WINDOW]
    found = []
    done = 0
    for number, begin in enumerate(begins):
        last = number + 1 == len(begins)
        stop = count if last else (begins[number + 1] + begin + WINDOW) // 2
        (places,) = networks.head("units", units[begin : begin + WINDOW])
        found.append(places[done - begin : stop - begin])
        done = stop
    return np.concatenate(found)
