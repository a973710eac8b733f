"""Run the heads over encoded sentences and decode them into numbers, sentence by sentence.

Each function takes a batch and returns, for each of its sentences, the flat list of
numbers that :mod:`albeit.annotate.records` packs, with token indices counted from the
sentence's first word.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from albeit.annotate.decode import bio, constituency, dependency
from albeit.annotate.encoder import Backend, EncodedBatch
from albeit.annotate.layers import Layer

__all__ = ["SENTENCE_HEADS", "edu_starts", "edu_vectors"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Numbers = list[list[int]]


def edu_starts(batch: EncodedBatch, backend: Backend) -> list[Ints]:
    """The words that begin an EDU; the first word always does."""
    present = batch.present()
    (logits,) = backend.head("edus", batch.words[present])
    begins = logits > backend.threshold
    ends = np.cumsum(batch.lengths)
    begins[ends[:-1]] = True
    begins[0] = True
    return [np.flatnonzero(part) for part in np.split(begins, ends[:-1])]


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


def dependencies(batch: EncodedBatch, backend: Backend) -> Numbers:
    """Part of speech a word, then head a word (from 1; 0 the root), then relation a word."""
    present = batch.present()
    upos = backend.head("tags", batch.words[present])[0].argmax(1)
    (scores,) = backend.head("arcs", batch.words)
    heads = dependency.trees(np.ascontiguousarray(scores), batch.lengths)
    hung = present & (heads[:, : present.shape[1]] > 0)
    row, word = np.nonzero(hung)
    relations = np.full(present.shape, backend.labels["rel"].index("root"), np.int64)
    if len(row):
        on = heads[row, word] - 1
        (labels,) = backend.head("relations", batch.words[row, word], batch.words[row, on])
        relations[row, word] = labels.argmax(1)
    out: Numbers = []
    at = 0
    for i, size in enumerate(batch.lengths.tolist()):
        tags = upos[at : at + size].tolist()
        out.append(tags + heads[i, :size].tolist() + relations[i, :size].tolist())
        at += size
    return out


def constituents(batch: EncodedBatch, backend: Backend) -> Numbers:
    """Penn tag a word, then (start, stop, label) a constituent, parents before children."""
    xpos = backend.head("tags", batch.words[batch.present()])[1].argmax(1)
    (scores,) = backend.head("spans", batch.words)
    found = constituency.brackets(np.ascontiguousarray(scores), batch.lengths)
    edged = np.pad(batch.words, ((0, 0), (1, 1), (0, 0)))
    row, start, stop = found.T
    around = [edged[row, start], edged[row, start + 1], edged[row, stop], edged[row, stop + 1]]
    (logits,) = backend.head("span_labels", np.concatenate(around, axis=1))
    found = np.column_stack([found[:, 1:], logits.argmax(1)])
    bounds = np.searchsorted(row, np.arange(len(batch.lengths) + 1))
    out: Numbers = []
    at = 0
    for i, size in enumerate(batch.lengths.tolist()):
        brackets = found[bounds[i] : bounds[i + 1]].ravel().tolist()
        out.append(xpos[at : at + size].tolist() + brackets)
        at += size
    return out


def roles(batch: EncodedBatch, backend: Backend) -> Numbers:
    """Token, number of arguments and (role, start, stop) each, predicate after predicate."""
    present = batch.present()
    (logits,) = backend.head("predicates", batch.words[present])
    chosen = np.zeros(present.shape, np.bool_)
    chosen[present] = logits > 0
    row, token = np.nonzero(chosen)
    out: Numbers = [[] for _ in batch.lengths]
    if not len(row):
        return out
    (scores,) = backend.head("roles", batch.words, row, token)
    tags = bio.viterbi(np.ascontiguousarray(scores), batch.lengths[row])
    for i, word, line in zip(row.tolist(), token.tolist(), tags, strict=True):
        spans = bio.spans(line, int(batch.lengths[i]))
        out[i] += [word, len(spans)]
        for start, stop, role in spans:
            out[i] += [role, start, stop]
    return out


def connectives(batch: EncodedBatch, backend: Backend) -> Numbers:
    """(start, stop, sense) of each connective."""
    present = batch.present()
    logits, senses = backend.head("connectives", batch.words[present])
    best = np.zeros(present.shape, np.int64)
    best[present] = senses.argmax(1)
    return [
        [n for start, stop, _ in spans for n in (start, stop, int(best[i, start]))]
        for i, spans in enumerate(_tagged(batch, present, logits))
    ]


def entities(batch: EncodedBatch, backend: Backend) -> Numbers:
    """(start, stop, kind) of each entity."""
    present = batch.present()
    (logits,) = backend.head("entities", batch.words[present])
    return [[n for span in spans for n in span] for spans in _tagged(batch, present, logits)]


def _tagged(
    batch: EncodedBatch, present: npt.NDArray[np.bool_], logits: Floats
) -> list[list[tuple[int, int, int]]]:
    """Spans from B-I-O logits of the words that are there."""
    scores = np.zeros((*present.shape, logits.shape[1]), np.float32)
    scores[present] = logits
    tags = bio.viterbi(scores, batch.lengths)
    return [
        bio.spans(line, size) if line.any() else []
        for line, size in zip(tags, batch.lengths.tolist(), strict=True)
    ]


SENTENCE_HEADS: dict[Layer, Callable[[EncodedBatch, Backend], Numbers]] = {
    Layer.DEPENDENCIES: dependencies,
    Layer.CONSTITUENTS: constituents,
    Layer.ROLES: roles,
    Layer.CONNECTIVES: connectives,
    Layer.ENTITIES: entities,
}
"""The layers that are made sentence by sentence."""
