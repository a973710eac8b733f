"""Mentions of persons and things, and which of them mean the same.

A mention is found by its head word. Its antecedent is looked for among the ``BACK`` mentions
before it: a quick score of all of them names the ``LOOKED`` likeliest, and those are scored with
care, with what the words themselves say (:mod:`albeit.parsing.documents.evidence`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.parsing.documents.document import Document, Heads
from albeit.parsing.documents.evidence import Evidence, evidence, pair_codes, pair_features

__all__ = ["Mentions", "find_mentions"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

REACH = 24
"""How far from its head a mention may begin or end, in words."""
BACK = 300
LOOKED = 40
OFFERED = 8
"""How many of an entity's possible antecedents are kept with their scores."""
LEAST = -7.0
"""Of the others, one with a lower quick score is not scored with care: it would not be chosen."""
STEP = 256
"""How many mentions are looked at together."""


@dataclass(slots=True)
class Mentions:
    """The mentions of a document in the order of their heads, a row each."""

    heads: Ints
    spans: Ints
    """First word and the one after the last."""
    entities: Ints
    """The row of the first mention that means the same."""
    kinds: Floats
    """The chance of each kind of entity."""
    offered: Ints
    """The rows of the likeliest antecedents of each, best first; its own row where there are no more."""
    scores: Floats
    """Their log odds against no antecedent; minus infinity where there are no more."""


def find_mentions(document: Document, networks: Heads) -> Mentions:
    """All mentions of a document, with those that mean the same."""
    words = document.words
    scores, kinds = networks.head("mentions", words)
    at = np.flatnonzero(scores > 0)
    if not len(at):
        none = np.zeros(0, np.int64)
        few = none.reshape(0, OFFERED)
        return Mentions(none, none.reshape(0, 2), none, kinds[:0], few, few.astype(np.float32))
    seen = evidence(
        [s.words for s in document.sentences],
        [s.upos for s in document.sentences],
        [s.heads for s in document.sentences],
    )
    vectors, queries = networks.head("antecedents", words[at], kinds[at])
    likely = -np.logaddexp(0, -scores[at])
    steps = [
        _antecedents(rows, at, vectors, queries, likely, seen, networks) for rows in _steps(len(at))
    ]
    offered, odds = (np.concatenate(parts) for parts in zip(*steps, strict=True))
    entities = np.where(odds[:, 0] > 0, offered[:, 0], np.arange(len(at)))
    for row in range(len(at)):
        entities[row] = entities[entities[row]]
    spans = [_spans(document, at[rows], networks) for rows in _steps(len(at))]
    chances = np.exp(kinds[at] - kinds[at].max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    return Mentions(at, np.concatenate(spans), entities, chances, offered, odds)


def _steps(count: int) -> Iterator[slice]:
    return (slice(a, min(a + STEP, count)) for a in range(0, count, STEP))


def _antecedents(
    rows: slice,
    at: Ints,
    vectors: Floats,
    queries: Floats,
    likely: Floats,
    seen: Evidence,
    networks: Heads,
) -> tuple[Ints, Floats]:
    """The likeliest antecedents of each mention of ``rows``, and their scores."""
    low = max(0, rows.start - BACK)
    mine, theirs = np.arange(rows.start, rows.stop), np.arange(low, rows.stop)
    (quick,) = networks.head("quick", queries[rows], vectors[low : rows.stop])
    quick += likely[low : rows.stop]
    gap = mine[:, None] - theirs
    quick[(gap <= 0) | (gap > BACK)] = -np.inf
    best = np.argsort(-quick, axis=1, kind="stable")[:, :LOOKED]
    looked = np.take_along_axis(quick, best, 1)
    floor = np.where(np.arange(looked.shape[1]) < OFFERED, -np.finfo(np.float32).max, LEAST)
    row, column = np.nonzero(looked >= floor)
    offered = np.repeat(mine[:, None], OFFERED, axis=1)
    odds = np.full(offered.shape, -np.inf, np.float32)
    if not len(row):
        return offered, odds
    one, other = mine[row], theirs[best[row, column]]
    (careful,) = networks.head(
        "links",
        vectors[low : rows.stop],
        one - low,
        other - low,
        pair_codes(seen, at, one, other),
        pair_features(seen, at[one], at[other]),
    )
    scores = np.full(best.shape, -np.inf, np.float32)
    scores[row, column] = careful + looked[row, column]
    top = np.argsort(-scores, axis=1, kind="stable")[:, :OFFERED]
    odds[:, : top.shape[1]] = np.take_along_axis(scores, top, 1)
    found = theirs[np.take_along_axis(best, top, 1)]
    offered[:, : top.shape[1]] = np.where(odds[:, : top.shape[1]] > -np.inf, found, mine[:, None])
    return offered, odds


def _spans(document: Document, at: Ints, networks: Heads) -> Ints:
    """Where the mentions with these heads begin and end, inside their sentences."""
    sentence = np.searchsorted(document.starts, at, side="right") - 1
    begin, stop = document.starts[sentence], document.starts[sentence + 1]
    low, high = int(begin.min()), int(stop.max())
    around = at[:, None] + np.arange(-REACH, REACH + 1)
    inside = (around >= begin[:, None]) & (around < stop[:, None])
    places = np.clip(around, low, high - 1) - low
    (scores,) = networks.head("edges", document.words[low:high], at - low, places)
    scores = np.where(inside[:, None], scores, -np.inf)
    scores[:, 0, REACH + 1 :] = -np.inf
    scores[:, 1, :REACH] = -np.inf
    found: Ints = at[:, None] + scores.argmax(2) - REACH + [0, 1]
    return found
