"""Find mentions of entities in documents, link them, and list the antecedents of pronouns.

A mention is found by its head word. Its antecedent is one of the ``BACK`` mentions before it: a
fast score of all of them selects the ``LOOKED`` likeliest, which are then scored with features
of the words (:mod:`albeit.parsing.traits`).

The model reads the sentences first. A *tower* of transformer layers then reads its output for
each word, in blocks. In each layer, a block attends to itself and its two neighbors. A long
document is read in slices with enough blocks on either side that the result is the same as for
the whole document. Each document is computed alone, so no result depends on other input.

Documents are processed in chunks, which limits memory. In a chunk, each distinct sentence is read
once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from albeit.arrays import Floats32, IntArray
from albeit.parsing import layers, pipeline, traits
from albeit.parsing.encoder import encode_again
from albeit.parsing.model import Model, Networks
from albeit.parsing.sentences import document_words
from albeit.parsing.traits import THIRD_PERSON, Evidence, Votes, Words, evidence

T = TypeVar("T", bound=np.generic)

BLOCK = 64
APART = 1000
"""Sentences whose indices differ by this or more don't attend to each other. Positions without a
word have the index ``-APART``."""


@dataclass(slots=True)
class Sentence:
    """One sentence; EDUs index its words.

    ``hidden`` is the encoder's output, one row per word. ``heads`` count from 1; 0 is the root.
    """

    words: tuple[str, ...]
    hidden: Floats32
    edus: IntArray
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)


def read_sentences(
    sentences: Sequence[tuple[str, ...]], model: Model, *, tagged: bool
) -> list[Sentence]:
    """Encode sentences with their EDUs; ``tagged`` adds parts of speech and heads."""
    found: dict[int, Sentence] = {}
    upos, xpos = model.labels["upos"], model.labels["xpos"]
    for batch in encode_again(sentences, model):
        starts = pipeline.edu_starts(batch, model)
        universal, penn = pipeline.tags(batch, model) if tagged else (None, None)
        hung = pipeline.attachments(batch, model) if tagged else None
        for row, number in enumerate(batch.sentences.tolist()):
            size = int(batch.lengths[row])
            one = Sentence(sentences[number], batch.words[row, :size], starts[row])
            found[number] = one
            if universal is not None and penn is not None and hung is not None:
                here = slice(int(batch.ends[row]) - size, int(batch.ends[row]))
                one.upos = [upos[k] for k in universal[here].tolist()]
                one.xpos = [xpos[k] for k in penn[here].tolist()]
                one.heads = hung[here].tolist()
    return [found[number] for number in range(len(sentences))]


def in_blocks(rows: npt.NDArray[T], filler: float = 0, size: int = BLOCK) -> npt.NDArray[T]:
    """Return rows as blocks, [blocks, size, …]; the last one is padded."""
    count = -(-len(rows) // size)
    out = np.full((count * size, *rows.shape[1:]), filler, rows.dtype)
    out[: len(rows)] = rows
    return out.reshape(count, size, *rows.shape[1:])


def in_sight(numbers: IntArray) -> IntArray:
    """Return the sentences of each block and its neighbors, [blocks, sentences].

    ``numbers`` has the sentence of each word, [blocks, size]. A sentence is in the same column in
    all rows. Documents can follow each other, with an empty block between them.
    """
    first, last = numbers[:, 0], numbers.max(1)
    before, after = np.append(first[:1], first[:-1]), np.append(last[1:], last[-1:])
    begin = np.where(first - before < APART, before, first)
    end = np.where(after - last < APART, np.maximum(after, last), last)
    columns = np.arange((end - begin).max() + 1)
    found: IntArray = begin[:, None] + (columns - begin[:, None]) % len(columns)
    return found


LAYERS = 2
"""Number of layers of the tower: the distance in blocks at which a word can matter."""
SLICE = 48
"""Maximum number of blocks that are computed at once."""


@dataclass(slots=True)
class Document:
    """The sentences of a document in order, and the vectors of its words."""

    sentences: Sequence[Sentence]
    starts: IntArray
    """The first word of each sentence, then the number of words."""
    words: Floats32


def read_document(sentences: Sequence[Sentence], networks: Networks) -> Document:
    """Read a document of one sentence or more."""
    sizes = [len(s.words) for s in sentences]
    hidden = np.concatenate([s.hidden for s in sentences])
    tower = _tower(hidden, np.repeat(np.arange(len(sizes)), sizes), networks)
    (words,) = networks.head("words", tower, hidden)
    return Document(sentences, np.cumsum([0, *sizes]), words)


def _tower(hidden: Floats32, numbers: IntArray, networks: Networks) -> Floats32:
    """Return the tower's vectors of all words, from the indices of their sentences."""
    rows, where = in_blocks(hidden), in_blocks(numbers, -APART)
    sight = in_sight(where)
    found = np.zeros_like(rows)
    count = len(rows)
    for begin in range(0, count, SLICE):
        end = min(begin + SLICE, count)
        low, high = max(0, begin - LAYERS), min(count, end + LAYERS)
        (vectors,) = networks.head("tower", *(part[low:high] for part in (rows, where, sight)))
        found[begin:end] = vectors[begin - low : end - low]
    return found.reshape(-1, hidden.shape[1])[: len(hidden)]


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

    heads: IntArray
    spans: IntArray
    """First word and the one after the last."""
    entities: IntArray
    """The row of the first mention of the same entity."""
    kinds: Floats32
    """The probability of each kind of entity."""
    offered: IntArray
    """The rows of the likeliest antecedents, best first, then the mention's own row."""
    scores: Floats32
    """Their log odds against no antecedent, then minus infinity."""


def find_mentions(document: Document, networks: Networks) -> Mentions:
    """Return all mentions of a document, linked to entities."""
    words = document.words
    scores, kinds = networks.head("mentions", words)
    at = np.flatnonzero(scores > 0)
    if not len(at):
        none = np.zeros(0, np.int64)
        few = none.reshape(0, OFFERED)
        return Mentions(none, none.reshape(0, 2), none, kinds[:0], few, few.astype(np.float32))
    seen = evidence(*zip(*((s.words, s.upos, s.heads) for s in document.sentences), strict=True))
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
    at: IntArray,
    vectors: Floats32,
    queries: Floats32,
    likely: Floats32,
    seen: Evidence,
    networks: Networks,
) -> tuple[IntArray, Floats32]:
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
        traits.pair_codes(seen, at, one, other),
        traits.pair_features(seen, at[one], at[other]),
    )
    scores = np.full(best.shape, -np.inf, np.float32)
    scores[row, column] = careful + looked[row, column]
    top = np.argsort(-scores, axis=1, kind="stable")[:, :OFFERED]
    odds[:, : top.shape[1]] = np.take_along_axis(scores, top, 1)
    found = theirs[np.take_along_axis(best, top, 1)]
    offered[:, : top.shape[1]] = np.where(odds[:, : top.shape[1]] > -np.inf, found, mine[:, None])
    return offered, odds


def _spans(document: Document, at: IntArray, networks: Networks) -> IntArray:
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
    found: IntArray = at[:, None] + scores.argmax(2) - REACH + [0, 1]
    return found


_FORMS = frozenset(form for forms in THIRD_PERSON.values() for form in forms)


def resolve(
    document: Document, found: Mentions, labels: layers.Labels
) -> tuple[tuple[layers.Cluster, ...], tuple[layers.Pronoun, ...]]:
    """Return the clusters in the order of first mentions, and pronouns with their antecedents.

    The traits of an antecedent come from its entity's mentions before the pronoun, so mentions
    vote in order.
    """
    words = document_forms(document)
    mentions = [
        layers.Mention(*row) for row in np.column_stack([found.spans, found.heads]).tolist()
    ]
    entities = found.entities.tolist()
    votes: dict[int, Votes] = {}
    members: dict[int, list[layers.Mention]] = {}
    chances = np.zeros_like(found.kinds)

    def describe(entity: int) -> tuple[str, layers.Number, layers.Animacy, layers.Gender]:
        kind = labels["kind"][int(chances[entity].argmax())]
        return kind, *votes[entity].traits(kind)

    pronouns = []
    for row, (mention, entity) in enumerate(zip(mentions, entities, strict=True)):
        if words.forms[mention.head] in _FORMS:
            offers = zip(found.offered[row].tolist(), found.scores[row].tolist(), strict=True)
            antecedents = [
                layers.Antecedent(
                    m.start, m.stop, m.head, round(score, 3), *describe(entities[other])
                )
                for other, score in offers
                if (m := mentions[other]) is not mention
            ]
            pronouns.append(layers.Pronoun(mention.head, tuple(antecedents)))
        votes.setdefault(entity, Votes(words)).add(mention)
        members.setdefault(entity, []).append(mention)
        chances[entity] += found.kinds[row]
    clusters = [layers.Cluster(*describe(entity), tuple(each)) for entity, each in members.items()]
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


def analyse(
    documents: Sequence[layers.Lines],
    wanted: Collection[layers.AnyLayer],
    model: Model,
    networks: Networks,
) -> Iterator[tuple[layers.Lines, dict[layers.AnyLayer, bytes]]]:
    """Yield the packed layers of each document, chunk by chunk."""
    linked = layers.COREFERENCE in wanted or layers.ANTECEDENTS in wanted
    chunk: list[tuple[layers.Lines, list[int]]] = []
    known: dict[tuple[str, ...], int] = {}
    for number, lines in enumerate(documents, 1):
        tokens, spans = document_words(lines)
        words = (tokens.forms[first:stop] for first, stop in spans)
        chunk.append((lines, [known.setdefault(each, len(known)) for each in words]))
        if len(known) >= CHUNK or number == len(documents):
            read = read_sentences(list(known), model, tagged=linked)
            for each, sentences in chunk:
                yield each, _records([read[k] for k in sentences], wanted, linked, networks)
            chunk, known = [], {}


def _records(
    sentences: Sequence[Sentence],
    wanted: Collection[layers.AnyLayer],
    linked: bool,
    networks: Networks,
) -> dict[layers.AnyLayer, bytes]:
    """Return the packed layers of one document."""
    records: dict[layers.AnyLayer, bytes] = {}
    if layers.EDUS in wanted:
        parts, at = [], 0
        for sentence in sentences:
            parts.append(layers.Part(sentence.edus.tolist(), len(sentence.words), at))
            at += len(sentence.words)
        records[layers.EDUS] = layers.pack_numbers(layers.EDUS.join(parts))
    clusters: tuple[layers.Cluster, ...] = ()
    pronouns: tuple[layers.Pronoun, ...] = ()
    if linked and sentences:
        document = read_document(sentences, networks)
        clusters, pronouns = resolve(document, find_mentions(document, networks), networks.labels)
    if layers.COREFERENCE in wanted:
        records[layers.COREFERENCE] = layers.COREFERENCE.pack(clusters)
    if layers.ANTECEDENTS in wanted:
        records[layers.ANTECEDENTS] = layers.ANTECEDENTS.pack(pronouns)
    return records
