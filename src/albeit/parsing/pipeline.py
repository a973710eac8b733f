"""Run the model over texts: tokens, sentences, encoder, heads, and trees over sentences.

Texts are processed in chunks, which limits memory. In a chunk, each distinct sentence is encoded
once. Only the heads of the requested layers are run.

A function of :data:`HEADS` takes a batch and returns the output of each sentence: the numbers that
a layer packs, with token indices from the sentence's first word. RST trees are made per text: the
head scores all candidates, and each text is decoded (:func:`build_trees`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import albeit.parsing.decode as decode
import albeit.parsing.layers as layers
from albeit.arrays import Floats32, IntArray, Ints32
from albeit.parsing.encoder import Encoded, EncodedBatch, encode
from albeit.parsing.layers import AnyLayer, Numbered, Part, Records, Vectors, pack_numbers
from albeit.parsing.model import Model
from albeit.parsing.sentences import split_sentences
from albeit.parsing.tokenize import tokenize

Numbers = list[list[int]]


def edu_starts(batch: EncodedBatch, model: Model) -> list[IntArray]:
    """Return the words that begin an EDU, computed once per batch; the first word always does."""
    if "edus" not in batch.outputs:
        (logits,) = model.head("edus", batch.flat)
        begins = logits > model.threshold
        begins[batch.ends[:-1]] = True
        begins[0] = True
        parts = np.split(begins, batch.ends[:-1])
        batch.outputs["edus"] = [np.flatnonzero(part) for part in parts]
    starts: list[IntArray] = batch.outputs["edus"]
    return starts


def edus(batch: EncodedBatch, model: Model) -> Numbers:
    """Return the first word of each EDU."""
    return [begin.tolist() for begin in edu_starts(batch, model)]


def edu_vectors(batch: EncodedBatch, model: Model) -> list[Floats32]:
    """Return the RST head's input for each sentence's EDUs: first word, last word, and mean."""
    vectors = []
    for row, begin in enumerate(edu_starts(batch, model)):
        size = int(batch.lengths[row])
        words = batch.words[row, :size]
        stops = np.append(begin[1:], size)
        means = np.add.reduceat(words, begin, axis=0) / (stops - begin)[:, None].astype(np.float32)
        vectors.append(np.concatenate([words[begin], words[stops - 1], means], axis=1))
    return vectors


def subword_vectors(batch: EncodedBatch, model: Model) -> list[Floats32]:
    """Return the embeddings of each sentence's subwords, with unit length."""
    return [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in batch.middle]


def tags(batch: EncodedBatch, model: Model) -> tuple[IntArray, IntArray]:
    """Return universal and Penn parts of speech of all words, computed once per batch."""
    if "tags" not in batch.outputs:
        batch.outputs["tags"] = model.head("tags", batch.flat)
    upos, xpos = batch.outputs["tags"]
    return upos.argmax(1), xpos.argmax(1)


def attachments(batch: EncodedBatch, model: Model) -> IntArray:
    """Return the head of each word (from 1 in its sentence; 0 is the root)."""
    (scores,) = model.head("arcs", batch.words)
    heads = decode.best_trees(np.ascontiguousarray(scores), batch.lengths)
    return heads[batch.present].astype(np.int64)


def dependencies(batch: EncodedBatch, model: Model) -> Numbers:
    """Return parts of speech, then heads (from 1; 0 is the root), then relations."""
    upos, _ = tags(batch, model)
    heads = attachments(batch, model)
    hung = np.flatnonzero(heads)
    relations = np.full(len(heads), model.labels["rel"].index("root"), np.int64)
    if len(hung):
        on = (np.repeat(batch.ends - batch.lengths, batch.lengths) + heads - 1)[hung]
        (labels,) = model.head("relations", batch.flat[hung], batch.flat[on])
        relations[hung] = labels.argmax(1)
    return [
        [n for part in (upos, heads, relations) for n in part[end - size : end].tolist()]
        for end, size in zip(batch.ends.tolist(), batch.lengths.tolist(), strict=True)
    ]


def constituents(batch: EncodedBatch, model: Model) -> Numbers:
    """Return Penn tags, then (start, stop, label) per constituent, parents first."""
    _, xpos = tags(batch, model)
    (scores,) = model.head("spans", batch.words)
    row, start, stop = decode.nested_spans(np.ascontiguousarray(scores), batch.lengths).T
    (logits,) = model.head("span_labels", around(batch, row, start, stop))
    found = np.column_stack([start, stop, logits.argmax(1)])
    bounds = np.searchsorted(row, np.arange(len(batch.lengths) + 1))
    out: Numbers = []
    for i, (end, size) in enumerate(zip(batch.ends.tolist(), batch.lengths.tolist(), strict=True)):
        brackets = found[bounds[i] : bounds[i + 1]].ravel().tolist()
        out.append(xpos[end - size : end].tolist() + brackets)
    return out


def around(batch: EncodedBatch, row: Ints32, start: Ints32, stop: Ints32) -> Floats32:
    """Return the word before each span, its first, its last, and the one after, in one row."""
    first = (batch.ends - batch.lengths)[row]
    places = np.column_stack([start - 1, start, stop - 1, stop])
    outside = (places < 0) | (places >= batch.lengths[row][:, None])
    around = batch.flat[np.where(outside, 0, places + first[:, None])]
    around[outside] = 0.0
    return around.reshape(len(row), 4 * batch.flat.shape[1])


def roles(batch: EncodedBatch, model: Model) -> Numbers:
    """Return token, number of arguments, and (role, start, stop) each, per predicate."""
    (logits,) = model.head("predicates", batch.flat)
    chosen = np.zeros(batch.present.shape, np.bool_)
    chosen[batch.present] = logits > 0
    row, token = np.nonzero(chosen)
    out: Numbers = [[] for _ in batch.lengths]
    if not len(row):
        return out
    (scores,) = model.head("roles", batch.words, row, token)
    sizes = batch.lengths[row]
    tags = decode.viterbi(np.ascontiguousarray(scores), sizes)
    places = zip(row.tolist(), token.tolist(), tags, sizes.tolist(), strict=True)
    for i, word, line, size in places:
        spans = decode.tagged_spans(line, size)
        out[i] += [word, len(spans)]
        for start, stop, role in spans:
            out[i] += [role, start, stop]
    return out


def connectives(batch: EncodedBatch, model: Model) -> Numbers:
    """Return (start, stop, sense) of each connective."""
    logits, senses = model.head("connectives", batch.flat)
    best = np.zeros(batch.present.shape, np.int64)
    best[batch.present] = senses.argmax(1)
    return [
        [n for start, stop, _ in spans for n in (start, stop, int(best[i, start]))]
        for i, spans in enumerate(_tagged(batch, logits))
    ]


def entities(batch: EncodedBatch, model: Model) -> Numbers:
    """Return (start, stop, kind) of each entity."""
    (logits,) = model.head("entities", batch.flat)
    return [[n for span in spans for n in span] for spans in _tagged(batch, logits)]


def _tagged(batch: EncodedBatch, logits: Floats32) -> list[list[tuple[int, int, int]]]:
    """Return spans from B-I-O logits of all words."""
    scores = np.zeros((*batch.present.shape, logits.shape[1]), np.float32)
    scores[batch.present] = logits
    tags = decode.viterbi(scores, batch.lengths)
    return [
        decode.tagged_spans(line, size) if line.any() else []
        for line, size in zip(tags, batch.lengths.tolist(), strict=True)
    ]


HEADS: dict[AnyLayer, Callable[[EncodedBatch, Model], Sequence[Any]]] = {
    layers.EDUS: edus,
    layers.RST: edu_vectors,
    layers.DEPENDENCIES: dependencies,
    layers.CONSTITUENTS: constituents,
    layers.ROLES: roles,
    layers.CONNECTIVES: connectives,
    layers.ENTITIES: entities,
    layers.VECTORS: subword_vectors,
}
"""What is made of each sentence for a layer."""

GROUP_EDUS = 4096
"""Approximate number of EDUs that are joined into trees together."""
SLICE = 1 << 15
"""Maximum number of candidates that the RST head scores at once."""


def build_trees(edus: Sequence[Floats32], texts: Sequence[Sequence[int]], model: Model) -> Numbers:
    """Return the inner nodes of every text's tree: first EDU, last, last of the left part, label.

    ``edus`` has the vectors of each sentence's EDUs. A text is the indices of its sentences. Texts
    are processed in groups, which limits memory.
    """
    nodes: Numbers = []
    group: list[Sequence[int]] = []
    count = 0
    for text in texts:
        group.append(text)
        count += sum(len(edus[s]) for s in text)
        if count >= GROUP_EDUS:
            nodes += _build_group(edus, group, model)
            group, count = [], 0
    return nodes + _build_group(edus, group, model)


def _build_group(edus: Sequence[Floats32], texts: Sequence[Sequence[int]], model: Model) -> Numbers:
    order = [s for text in texts for s in text]
    sizes = np.array([len(edus[s]) for s in order], np.int64)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    offsets = ends[np.cumsum([0, *map(len, texts)])]
    plan = decode.plan_trees(np.repeat(np.arange(len(order)), sizes), offsets)
    if not len(plan.candidates):
        return [[] for _ in texts]
    vectors = np.concatenate([edus[s] for s in order])
    candidates = plan.candidates.astype(np.int64)
    parts = [
        model.head("rst", vectors, candidates[a : a + SLICE], plan.features[a : a + SLICE])
        for a in range(0, len(candidates), SLICE)
    ]
    splits, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    nodes, bounds = decode.rst_trees(plan, splits, labels, model.label_weight)
    moved = nodes.astype(np.int64)
    moved[:, :3] -= np.repeat(offsets[:-1], np.diff(bounds))[:, None]
    return [moved[a:b].ravel().tolist() for a, b in pairwise(bounds.tolist())]


CHUNK = 4096
"""Number of texts that are annotated together."""
Places = list[tuple[int, int]]
"""The sentences of a text: (index of the distinct sentence, its first token in the text)."""


def analyse(texts: Sequence[str], wanted: Collection[AnyLayer], model: Model) -> Records:
    """Yield the packed layers of each text, chunk by chunk."""
    for start in range(0, len(texts), CHUNK):
        yield from _analyse_chunk(texts[start : start + CHUNK], wanted, model)


def _analyse_chunk(texts: Sequence[str], wanted: Collection[AnyLayer], model: Model) -> Records:
    known: dict[tuple[str, ...], int] = {}
    places: list[Places] = []
    for text in texts:
        tokens = tokenize(text)
        spans = split_sentences(tokens.forms, tokens.offsets)
        words = ((tokens.forms[first:stop], first) for first, stop in spans)
        places.append([(known.setdefault(each, len(known)), first) for each, first in words])
    sentences = list(known)
    encoded = model.subwords(sentences)
    outputs = _run_heads(sentences, encoded, wanted, model)
    if layers.RST in outputs:
        order = [[s for s, _ in sentence] for sentence in places]
        trees = build_trees(outputs[layers.RST], order, model)
    for i, (text, own) in enumerate(zip(texts, places, strict=True)):
        records: dict[AnyLayer, bytes] = {}
        for layer, rows in outputs.items():
            if layer is layers.RST:
                records[layer] = pack_numbers(trees[i])
            elif isinstance(layer, Numbered):
                parts = [Part(rows[s], len(sentences[s]), at) for s, at in own]
                records[layer] = pack_numbers(layer.join(parts))
            else:
                records[layer] = layer.pack(_join_vectors(rows, encoded, own, model.width))
        yield text, records


def _run_heads(
    sentences: list[tuple[str, ...]], encoded: Encoded, wanted: Collection[AnyLayer], model: Model
) -> dict[AnyLayer, list[Any]]:
    """Encode every sentence and return the output of each layer's head for it."""
    outputs: dict[AnyLayer, list[Any]] = {layer: [None] * len(sentences) for layer in wanted}
    for batch in encode(encoded, model):
        model.recent.keep(sentences, batch)
        for layer, rows in outputs.items():
            made = HEADS[layer](batch, model)
            for i, row in zip(batch.sentences.tolist(), made, strict=True):
                rows[i] = row
    return outputs


def _join_vectors(rows: list[Floats32], encoded: Encoded, places: Places, width: int) -> Vectors:
    """Return the embeddings of a text's sentences."""
    vectors, words = [np.zeros((0, width), np.float32)], [np.zeros(0, np.int64)]
    for s, at in places:
        first = encoded.first[encoded.word_starts[s] : encoded.word_starts[s + 1]]
        sizes = np.diff(np.append(first, len(rows[s])))
        vectors.append(rows[s])
        words.append(np.repeat(np.arange(len(first)) + at, sizes))
    return Vectors(np.concatenate(vectors), np.concatenate(words).astype(np.int32))
