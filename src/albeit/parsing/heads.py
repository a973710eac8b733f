"""Run the heads over encoded sentences and decode them into numbers, sentence by sentence.

Each function takes a batch and returns, for each of its sentences, the flat list of
numbers that :mod:`albeit.parsing.layer` packs, with token indices counted from the
sentence's first word. Trees are of texts: the RST head's scores of all candidates, decoded text by
text (:func:`trees`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.parsing.decode import dependency, rst
from albeit.parsing.decode.spans import nested_spans, tagged_spans, viterbi
from albeit.parsing.encoder import Backend, EncodedBatch
from albeit.parsing.layer import Numbered
from albeit.parsing.layers import CONNECTIVES, CONSTITUENTS, DEPENDENCIES, ENTITIES, ROLES

__all__ = ["SENTENCE_HEADS", "around", "attachments", "edu_starts", "edu_vectors", "tags", "trees"]


Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Numbers = list[list[int]]


def edu_starts(batch: EncodedBatch, backend: Backend) -> list[Ints]:
    """The words that begin an EDU; the first word always does."""
    (logits,) = backend.head("edus", batch.flat)
    begins = logits > backend.threshold
    begins[batch.ends[:-1]] = True
    begins[0] = True
    return [np.flatnonzero(part) for part in np.split(begins, batch.ends[:-1])]


def edu_vectors(batch: EncodedBatch, starts: list[Ints]) -> list[Floats]:
    """What the RST head reads of each sentence's EDUs: first word, last word and mean."""
    vectors = []
    for row, begin in enumerate(starts):
        size = int(batch.lengths[row])
        words = batch.words[row, :size]
        stops = np.append(begin[1:], size)
        means = np.add.reduceat(words, begin, axis=0) / (stops - begin)[:, None].astype(np.float32)
        vectors.append(np.concatenate([words[begin], words[stops - 1], means], axis=1))
    return vectors


def _tags(batch: EncodedBatch, backend: Backend) -> list[Floats]:
    """Logits of the universal and the Penn parts of speech, computed once a batch."""
    if "tags" not in batch.outputs:
        batch.outputs["tags"] = backend.head("tags", batch.flat)
    return batch.outputs["tags"]


def tags(batch: EncodedBatch, backend: Backend) -> tuple[Ints, Ints]:
    """Universal and Penn parts of speech of the words that are there."""
    upos, xpos = _tags(batch, backend)
    return upos.argmax(1), xpos.argmax(1)


def attachments(batch: EncodedBatch, backend: Backend) -> Ints:
    """The word that each word that is there hangs on (from 1 in its sentence; 0 the root)."""
    (scores,) = backend.head("arcs", batch.words)
    heads = dependency.trees(np.ascontiguousarray(scores), batch.lengths)
    return heads[batch.present].astype(np.int64)


def dependencies(batch: EncodedBatch, backend: Backend) -> Numbers:
    """Part of speech a word, then head a word (from 1; 0 the root), then relation a word."""
    upos, _ = tags(batch, backend)
    heads = attachments(batch, backend)
    hung = np.flatnonzero(heads)
    relations = np.full(len(heads), backend.labels["rel"].index("root"), np.int64)
    if len(hung):
        on = (np.repeat(batch.ends - batch.lengths, batch.lengths) + heads - 1)[hung]
        (labels,) = backend.head("relations", batch.flat[hung], batch.flat[on])
        relations[hung] = labels.argmax(1)
    return [
        [n for part in (upos, heads, relations) for n in part[end - size : end].tolist()]
        for end, size in zip(batch.ends.tolist(), batch.lengths.tolist(), strict=True)
    ]


def constituents(batch: EncodedBatch, backend: Backend) -> Numbers:
    """Penn tag a word, then (start, stop, label) a constituent, parents before children."""
    _, xpos = tags(batch, backend)
    (scores,) = backend.head("spans", batch.words)
    row, start, stop = nested_spans(np.ascontiguousarray(scores), batch.lengths).T
    (logits,) = backend.head("span_labels", around(batch, row, start, stop))
    found = np.column_stack([start, stop, logits.argmax(1)])
    bounds = np.searchsorted(row, np.arange(len(batch.lengths) + 1))
    out: Numbers = []
    for i, (end, size) in enumerate(zip(batch.ends.tolist(), batch.lengths.tolist(), strict=True)):
        brackets = found[bounds[i] : bounds[i + 1]].ravel().tolist()
        out.append(xpos[end - size : end].tolist() + brackets)
    return out


def around(
    batch: EncodedBatch,
    row: npt.NDArray[np.int32],
    start: npt.NDArray[np.int32],
    stop: npt.NDArray[np.int32],
) -> Floats:
    """The word before each span, its first, its last and the one after, side by side."""
    first = (batch.ends - batch.lengths)[row]
    places = np.column_stack([start - 1, start, stop - 1, stop])
    outside = (places < 0) | (places >= batch.lengths[row][:, None])
    around = batch.flat[np.where(outside, 0, places + first[:, None])]
    around[outside] = 0.0
    return around.reshape(len(row), 4 * batch.flat.shape[1])


def roles(batch: EncodedBatch, backend: Backend) -> Numbers:
    """Token, number of arguments and (role, start, stop) each, predicate after predicate."""
    (logits,) = backend.head("predicates", batch.flat)
    chosen = np.zeros(batch.present.shape, np.bool_)
    chosen[batch.present] = logits > 0
    row, token = np.nonzero(chosen)
    out: Numbers = [[] for _ in batch.lengths]
    if not len(row):
        return out
    (scores,) = backend.head("roles", batch.words, row, token)
    sizes = batch.lengths[row]
    tags = viterbi(np.ascontiguousarray(scores), sizes)
    places = zip(row.tolist(), token.tolist(), tags, sizes.tolist(), strict=True)
    for i, word, line, size in places:
        spans = tagged_spans(line, size)
        out[i] += [word, len(spans)]
        for start, stop, role in spans:
            out[i] += [role, start, stop]
    return out


def connectives(batch: EncodedBatch, backend: Backend) -> Numbers:
    """(start, stop, sense) of each connective."""
    logits, senses = backend.head("connectives", batch.flat)
    best = np.zeros(batch.present.shape, np.int64)
    best[batch.present] = senses.argmax(1)
    return [
        [n for start, stop, _ in spans for n in (start, stop, int(best[i, start]))]
        for i, spans in enumerate(_tagged(batch, logits))
    ]


def entities(batch: EncodedBatch, backend: Backend) -> Numbers:
    """(start, stop, kind) of each entity."""
    (logits,) = backend.head("entities", batch.flat)
    return [[n for span in spans for n in span] for spans in _tagged(batch, logits)]


def _tagged(batch: EncodedBatch, logits: Floats) -> list[list[tuple[int, int, int]]]:
    """Spans from B-I-O logits of the words that are there."""
    scores = np.zeros((*batch.present.shape, logits.shape[1]), np.float32)
    scores[batch.present] = logits
    tags = viterbi(scores, batch.lengths)
    return [
        tagged_spans(line, size) if line.any() else []
        for line, size in zip(tags, batch.lengths.tolist(), strict=True)
    ]


SENTENCE_HEADS: dict[Numbered[Any], Callable[[EncodedBatch, Backend], Numbers]] = {
    DEPENDENCIES: dependencies,
    CONSTITUENTS: constituents,
    ROLES: roles,
    CONNECTIVES: connectives,
    ENTITIES: entities,
}
"""The layers that are made sentence by sentence."""

GROUP_EDUS = 4096
"""About how many EDUs are joined into trees together."""
SLICE = 1 << 15
"""The most candidates that the RST head scores at once."""


def trees(
    starts: Sequence[Ints], edus: Sequence[Floats], texts: Sequence[Sequence[int]], backend: Backend
) -> list[list[int]]:
    """Inner nodes of every text's tree: first EDU, last, last of the left part, label.

    ``starts`` and ``edus`` hold each sentence's EDUs and their vectors; a text is the numbers of
    its sentences. Texts are taken in groups that bound the memory.
    """
    found: list[list[int]] = []
    group: list[Sequence[int]] = []
    count = 0
    for text in texts:
        group.append(text)
        count += sum(len(starts[s]) for s in text)
        if count >= GROUP_EDUS:
            found += _group(starts, edus, group, backend)
            group, count = [], 0
    return found + _group(starts, edus, group, backend)


def _group(
    starts: Sequence[Ints], edus: Sequence[Floats], texts: Sequence[Sequence[int]], backend: Backend
) -> list[list[int]]:
    order = [s for text in texts for s in text]
    sizes = np.array([len(starts[s]) for s in order], np.int64)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    offsets = ends[np.cumsum([0, *map(len, texts)])]
    sentences = np.repeat(np.arange(len(order)), sizes)
    planned = rst.plan(sentences.astype(np.int32), offsets.astype(np.int32))
    if not len(planned.candidates):
        return [[] for _ in texts]
    vectors = np.concatenate([edus[s] for s in order])
    candidates = planned.candidates.astype(np.int64)
    parts = [
        backend.head("rst", vectors, candidates[a : a + SLICE], planned.features[a : a + SLICE])
        for a in range(0, len(candidates), SLICE)
    ]
    splits, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    nodes, _, bounds = rst.trees(planned, splits, labels, backend.label_weight)
    moved = nodes.astype(np.int64)
    moved[:, :3] -= np.repeat(offsets[:-1], np.diff(bounds))[:, None]
    return [moved[a:b].ravel().tolist() for a, b in pairwise(bounds.tolist())]
