"""Run the model over texts: tokens, sentences, encoder, heads, and trees over sentences.

Texts are processed in chunks, which limits memory. In a chunk, each distinct sentence is encoded
once. Only the heads of the requested layers are run.

A head takes a batch and returns, for each sentence, the numbers that
:mod:`albeit.parsing.layers.base` packs, with token indices from the sentence's first word. RST
trees are made per text: the head scores all candidates, and each text is decoded
(:func:`build_trees`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.parsing.decode import (
    best_trees,
    nested_spans,
    plan_trees,
    rst_trees,
    tagged_spans,
    viterbi,
)
from albeit.parsing.encoder import Encoded, EncodedBatch, encode
from albeit.parsing.layers import (
    CONNECTIVES,
    CONSTITUENTS,
    DEPENDENCIES,
    EDUS,
    ENTITIES,
    ROLES,
    RST,
    VECTORS,
    AnyLayer,
    Vectors,
)
from albeit.parsing.layers.base import Numbered, Part, pack_numbers
from albeit.parsing.model import Model
from albeit.parsing.sentences import split_sentences
from albeit.parsing.tokenize import tokenize

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Numbers = list[list[int]]


def edu_starts(batch: EncodedBatch, backend: Model) -> list[Ints]:
    """Return the words that begin an EDU; the first word always does."""
    (logits,) = backend.head("edus", batch.flat)
    begins = logits > backend.threshold
    begins[batch.ends[:-1]] = True
    begins[0] = True
    return [np.flatnonzero(part) for part in np.split(begins, batch.ends[:-1])]


def edu_vectors(batch: EncodedBatch, starts: list[Ints]) -> list[Floats]:
    """Return the RST head's input for each sentence's EDUs: first word, last word, and mean."""
    vectors = []
    for row, begin in enumerate(starts):
        size = int(batch.lengths[row])
        words = batch.words[row, :size]
        stops = np.append(begin[1:], size)
        means = np.add.reduceat(words, begin, axis=0) / (stops - begin)[:, None].astype(np.float32)
        vectors.append(np.concatenate([words[begin], words[stops - 1], means], axis=1))
    return vectors


def tags(batch: EncodedBatch, backend: Model) -> tuple[Ints, Ints]:
    """Return universal and Penn parts of speech of all words, computed once per batch."""
    if "tags" not in batch.outputs:
        batch.outputs["tags"] = backend.head("tags", batch.flat)
    upos, xpos = batch.outputs["tags"]
    return upos.argmax(1), xpos.argmax(1)


def attachments(batch: EncodedBatch, backend: Model) -> Ints:
    """Return the head of each word (from 1 in its sentence; 0 is the root)."""
    (scores,) = backend.head("arcs", batch.words)
    heads = best_trees(np.ascontiguousarray(scores), batch.lengths)
    return heads[batch.present].astype(np.int64)


def dependencies(batch: EncodedBatch, backend: Model) -> Numbers:
    """Return parts of speech, then heads (from 1; 0 is the root), then relations."""
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


def constituents(batch: EncodedBatch, backend: Model) -> Numbers:
    """Return Penn tags, then (start, stop, label) per constituent, parents first."""
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
    """Return the word before each span, its first, its last, and the one after, in one row."""
    first = (batch.ends - batch.lengths)[row]
    places = np.column_stack([start - 1, start, stop - 1, stop])
    outside = (places < 0) | (places >= batch.lengths[row][:, None])
    around = batch.flat[np.where(outside, 0, places + first[:, None])]
    around[outside] = 0.0
    return around.reshape(len(row), 4 * batch.flat.shape[1])


def roles(batch: EncodedBatch, backend: Model) -> Numbers:
    """Return token, number of arguments, and (role, start, stop) each, per predicate."""
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


def connectives(batch: EncodedBatch, backend: Model) -> Numbers:
    """Return (start, stop, sense) of each connective."""
    logits, senses = backend.head("connectives", batch.flat)
    best = np.zeros(batch.present.shape, np.int64)
    best[batch.present] = senses.argmax(1)
    return [
        [n for start, stop, _ in spans for n in (start, stop, int(best[i, start]))]
        for i, spans in enumerate(_tagged(batch, logits))
    ]


def entities(batch: EncodedBatch, backend: Model) -> Numbers:
    """Return (start, stop, kind) of each entity."""
    (logits,) = backend.head("entities", batch.flat)
    return [[n for span in spans for n in span] for spans in _tagged(batch, logits)]


def _tagged(batch: EncodedBatch, logits: Floats) -> list[list[tuple[int, int, int]]]:
    """Return spans from B-I-O logits of all words."""
    scores = np.zeros((*batch.present.shape, logits.shape[1]), np.float32)
    scores[batch.present] = logits
    tags = viterbi(scores, batch.lengths)
    return [
        tagged_spans(line, size) if line.any() else []
        for line, size in zip(tags, batch.lengths.tolist(), strict=True)
    ]


SENTENCE_HEADS: dict[Numbered[Any], Callable[[EncodedBatch, Model], Numbers]] = {
    DEPENDENCIES: dependencies,
    CONSTITUENTS: constituents,
    ROLES: roles,
    CONNECTIVES: connectives,
    ENTITIES: entities,
}
"""The heads of layers that are made sentence by sentence."""

GROUP_EDUS = 4096
"""Approximate number of EDUs that are joined into trees together."""
SLICE = 1 << 15
"""Maximum number of candidates that the RST head scores at once."""


def build_trees(
    starts: Sequence[Ints], edus: Sequence[Floats], texts: Sequence[Sequence[int]], backend: Model
) -> list[list[int]]:
    """Return the inner nodes of every text's tree: first EDU, last, last of the left part, label.

    ``starts`` and ``edus`` have each sentence's EDUs and their vectors. A text is the indices of
    its sentences. Texts are processed in groups, which limits memory.
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
    starts: Sequence[Ints], edus: Sequence[Floats], texts: Sequence[Sequence[int]], backend: Model
) -> list[list[int]]:
    order = [s for text in texts for s in text]
    sizes = np.array([len(starts[s]) for s in order], np.int64)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    offsets = ends[np.cumsum([0, *map(len, texts)])]
    sentences = np.repeat(np.arange(len(order)), sizes)
    planned = plan_trees(sentences.astype(np.int32), offsets.astype(np.int32))
    if not len(planned.candidates):
        return [[] for _ in texts]
    vectors = np.concatenate([edus[s] for s in order])
    candidates = planned.candidates.astype(np.int64)
    parts = [
        backend.head("rst", vectors, candidates[a : a + SLICE], planned.features[a : a + SLICE])
        for a in range(0, len(candidates), SLICE)
    ]
    splits, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    nodes, bounds = rst_trees(planned, splits, labels, backend.label_weight)
    moved = nodes.astype(np.int64)
    moved[:, :3] -= np.repeat(offsets[:-1], np.diff(bounds))[:, None]
    return [moved[a:b].ravel().tolist() for a, b in pairwise(bounds.tolist())]


CHUNK = 4096
"""Number of texts that are annotated together."""


@dataclass(slots=True)
class _Sentences:
    """The distinct sentences of a chunk and the output of the heads."""

    words: list[tuple[str, ...]] = field(default_factory=list)
    numbers: dict[Numbered[Any], list[list[int]]] = field(default_factory=dict)
    starts: list[Ints] = field(default_factory=list)
    edus: list[Floats] = field(default_factory=list)
    middle: list[Floats] = field(default_factory=list)


Places = list[tuple[int, int]]
"""The sentences of a text: (index of the distinct sentence, its first token in the text)."""


def analyse(
    texts: Sequence[str], layers: Collection[AnyLayer], backend: Model
) -> Iterator[tuple[str, dict[AnyLayer, bytes]]]:
    """Yield the packed layers of each text, chunk by chunk."""
    for start in range(0, len(texts), CHUNK):
        yield from _chunk(texts[start : start + CHUNK], layers, backend)


def _chunk(
    texts: Sequence[str], layers: Collection[AnyLayer], backend: Model
) -> Iterator[tuple[str, dict[AnyLayer, bytes]]]:
    found = _Sentences()
    known: dict[tuple[str, ...], int] = {}
    places: list[Places] = []
    for text in texts:
        tokens = tokenize(text)
        here: Places = []
        for first, stop in split_sentences(tokens.forms, tokens.offsets):
            words = tokens.forms[first:stop]
            here.append((known.setdefault(words, len(known)), first))
        places.append(here)
    found.words = list(known)
    encoded = backend.subwords(found.words)
    _run_heads(found, encoded, layers, backend)
    order = [[s for s, _ in here] for here in places]
    nodes = build_trees(found.starts, found.edus, order, backend) if RST in layers else []
    for i, (text, here) in enumerate(zip(texts, places, strict=True)):
        records: dict[AnyLayer, bytes] = {}
        for layer in layers:
            if layer is RST:
                records[layer] = pack_numbers(nodes[i])
            elif layer is VECTORS:
                records[layer] = VECTORS.pack(_vectors(found, encoded, here, backend.width))
            elif isinstance(layer, Numbered):
                rows = found.numbers[layer]
                parts = [Part(rows[s], len(found.words[s]), at) for s, at in here]
                records[layer] = pack_numbers(
                    rows[here[0][0]] if len(here) == 1 else layer.join(parts)
                )
        yield text, records


def _run_heads(
    found: _Sentences, encoded: Encoded, layers: Collection[AnyLayer], backend: Model
) -> None:
    """Encode every sentence and run the heads on it."""
    count = len(found.words)
    found.numbers = {layer: [[]] * count for layer in layers if isinstance(layer, Numbered)}
    none = np.zeros((0, 0), np.float32)
    found.starts = [np.zeros(0, np.int64)] * count
    found.edus, found.middle = [none] * count, [none] * count
    wanted = {layer: head for layer, head in SENTENCE_HEADS.items() if layer in layers}
    for batch in encode(encoded, backend):
        backend.recent.keep(found.words, batch)
        at = batch.sentences.tolist()
        for layer, head in wanted.items():
            numbers = found.numbers[layer]
            for i, row in zip(at, head(batch, backend), strict=True):
                numbers[i] = row
        if EDUS in layers or RST in layers:
            _find_edus(found, batch, layers, backend)
        if VECTORS in layers:
            for i, rows in zip(at, batch.middle, strict=True):
                found.middle[i] = rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _find_edus(
    found: _Sentences, batch: EncodedBatch, layers: Collection[AnyLayer], backend: Model
) -> None:
    starts = edu_starts(batch, backend)
    vectors = edu_vectors(batch, starts) if RST in layers else found.edus
    for i, begin, rows in zip(batch.sentences.tolist(), starts, vectors, strict=False):
        found.starts[i] = begin
        if EDUS in layers:
            found.numbers[EDUS][i] = begin.tolist()
        if RST in layers:
            found.edus[i] = rows


def _vectors(found: _Sentences, encoded: Encoded, here: Places, width: int) -> Vectors:
    rows = [found.middle[s] for s, _ in here]
    words = []
    for s, at in here:
        first = encoded.first[encoded.word_starts[s] : encoded.word_starts[s + 1]]
        sizes = np.diff(np.append(first, len(found.middle[s])))
        words.append(np.repeat(np.arange(len(first)) + at, sizes))
    if not rows:
        return Vectors(np.zeros((0, width), np.float32), np.zeros(0, np.int32))
    return Vectors(np.concatenate(rows), np.concatenate(words).astype(np.int32))
