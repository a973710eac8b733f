"""Find mentions of entities in documents, link them, and list the antecedents of pronouns.

A mention is found by its head word. Its antecedent is one of the ``BACK`` mentions before it: a
fast score of all of them selects the ``LOOKED`` likeliest, which are then scored with features
of the words (:mod:`albeit.parsing.traits`).

Documents are processed in chunks, which limits memory. In a chunk, each distinct sentence is read
once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.parsing.documents import Document, Sentence, read_document, read_sentences
from albeit.parsing.encoder import Backend, Heads
from albeit.parsing.layers import (
    ANTECEDENTS,
    COREFERENCE,
    EDUS,
    Antecedent,
    AnyLayer,
    Cluster,
    Mention,
    Pronoun,
)
from albeit.parsing.layers.base import Labels, Part, pack_numbers
from albeit.parsing.layers.documents import Animacy, Gender, Number
from albeit.parsing.pronouns import THIRD_PERSON
from albeit.parsing.sentences import document_words
from albeit.parsing.traits import (
    Evidence,
    Votes,
    Words,
    evidence,
    pair_codes,
    pair_features,
)

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

REACH = 24
"""Maximum distance between the head and the ends of a mention, in words."""
BACK = 300
LOOKED = 40
OFFERED = 8
"""Number of possible antecedents that are returned with their scores."""
LEAST = -7.0
"""Fast score below which other antecedents are skipped, because none would be chosen."""
STEP = 256
"""Number of mentions that are linked together."""


@dataclass(slots=True)
class Mentions:
    """The mentions of a document in the order of their heads, one row each."""

    heads: Ints
    spans: Ints
    """First word and the one after the last."""
    entities: Ints
    """The row of the first mention of the same entity."""
    kinds: Floats
    """The probability of each kind of entity."""
    offered: Ints
    """The rows of the likeliest antecedents, best first, then the mention's own row."""
    scores: Floats
    """Their log odds against no antecedent, then minus infinity."""


def find_mentions(document: Document, networks: Heads) -> Mentions:
    """Return all mentions of a document, linked to entities."""
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
    """Return the likeliest antecedents of each mention of ``rows``, and their scores."""
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
    """Return the ranges of the mentions with these heads, inside their sentences."""
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


_FORMS = frozenset(form for forms in THIRD_PERSON.values() for form in forms)


def resolve(
    document: Document, found: Mentions, labels: Labels
) -> tuple[tuple[Cluster, ...], tuple[Pronoun, ...]]:
    """Return the clusters in the order of first mentions, and pronouns with their antecedents.

    The traits of an antecedent come from its entity's mentions before the pronoun, so mentions
    vote in order.
    """
    words = document_forms(document)
    mentions = [Mention(*row) for row in np.column_stack([found.spans, found.heads]).tolist()]
    entities = found.entities.tolist()
    votes: dict[int, Votes] = {}
    members: dict[int, list[Mention]] = {}
    chances = np.zeros_like(found.kinds)

    def describe(entity: int) -> tuple[str, Number, Animacy, Gender]:
        kind = labels["kind"][int(chances[entity].argmax())]
        return kind, *votes[entity].traits(kind)

    pronouns = []
    for row, (mention, entity) in enumerate(zip(mentions, entities, strict=True)):
        if words.forms[mention.head] in _FORMS:
            offers = zip(found.offered[row].tolist(), found.scores[row].tolist(), strict=True)
            antecedents = []
            for other, score in offers:
                if other != row:
                    m = mentions[other]
                    traits = describe(entities[other])
                    antecedents.append(
                        Antecedent(m.start, m.stop, m.head, round(score, 3), *traits)
                    )
            pronouns.append(Pronoun(mention.head, tuple(antecedents)))
        votes.setdefault(entity, Votes(words)).add(mention)
        members.setdefault(entity, []).append(mention)
        chances[entity] += found.kinds[row]
    clusters = [Cluster(*describe(entity), tuple(each)) for entity, each in members.items()]
    return tuple(clusters), tuple(pronouns)


def document_forms(document: Document) -> Words:
    """Return the words of a document, with what determines their traits."""
    parents = [
        int(base) + head - 1 if head else -1
        for base, sentence in zip(document.starts, document.sentences, strict=False)
        for head in sentence.heads
    ]
    return Words(
        [form.lower() for sentence in document.sentences for form in sentence.words],
        [tag for sentence in document.sentences for tag in sentence.upos],
        [tag for sentence in document.sentences for tag in sentence.xpos],
        parents,
    )


CHUNK = 1024
"""Approximate number of sentences that are read together."""
Lines = tuple[str, ...]


def analyse(
    documents: Sequence[Lines], layers: Collection[AnyLayer], backend: Backend, networks: Heads
) -> Iterator[tuple[Lines, dict[AnyLayer, bytes]]]:
    """Yield the packed layers of each document, chunk by chunk."""
    linked = COREFERENCE in layers or ANTECEDENTS in layers
    chunk: list[tuple[Lines, list[int]]] = []
    known: dict[tuple[str, ...], int] = {}
    for number, lines in enumerate(documents, 1):
        tokens, spans = document_words(lines)
        words = (tokens.forms[first:stop] for first, stop in spans)
        chunk.append((lines, [known.setdefault(each, len(known)) for each in words]))
        if len(known) >= CHUNK or number == len(documents):
            read = read_sentences(list(known), backend, tagged=linked)
            for each, sentences in chunk:
                yield each, _records([read[k] for k in sentences], layers, linked, networks)
            chunk, known = [], {}


def _records(
    sentences: Sequence[Sentence], layers: Collection[AnyLayer], linked: bool, networks: Heads
) -> dict[AnyLayer, bytes]:
    """Return the packed layers of one document."""
    records: dict[AnyLayer, bytes] = {}
    if EDUS in layers:
        starts = np.cumsum([0, *(len(sentence.words) for sentence in sentences)]).tolist()
        parts = [
            Part(sentence.edus.tolist(), len(sentence.words), at)
            for sentence, at in zip(sentences, starts, strict=False)
        ]
        records[EDUS] = pack_numbers(EDUS.join(parts))
    clusters: tuple[Cluster, ...] = ()
    pronouns: tuple[Pronoun, ...] = ()
    if linked and sentences:
        document = read_document(sentences, networks)
        clusters, pronouns = resolve(document, find_mentions(document, networks), networks.labels)
    if COREFERENCE in layers:
        records[COREFERENCE] = COREFERENCE.pack(clusters)
    if ANTECEDENTS in layers:
        records[ANTECEDENTS] = ANTECEDENTS.pack(pronouns)
    return records
