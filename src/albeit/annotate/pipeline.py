"""From raw texts to packed layers: words, sentences, encoder, heads, trees over sentences.

Texts are taken in chunks that bound the memory; within a chunk each distinct sentence is
encoded once, whatever the number of texts it stands in. Only the heads of the layers that
are asked for are run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.annotate import heads
from albeit.annotate.decode import rst
from albeit.annotate.encoder import Backend, encode
from albeit.annotate.layer import Numbered, Part
from albeit.annotate.layers import EDUS, RST, VECTORS, AnyLayer, Vectors
from albeit.annotate.records import pack
from albeit.annotate.sentences import split_sentences
from albeit.annotate.subwords import Encoded
from albeit.annotate.tokenize import tokenize

__all__ = ["CHUNK", "analyse"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

CHUNK = 4096
"""How many texts are analysed together."""
GROUP_EDUS = 4096
"""About how many EDUs are joined into trees together."""
SLICE = 1 << 15
"""The most candidates that the RST head scores at once."""


@dataclass(slots=True)
class _Sentences:
    """The distinct sentences of a chunk and what has been found out about them."""

    words: list[tuple[str, ...]] = field(default_factory=list)
    numbers: dict[Numbered[Any], list[list[int]]] = field(default_factory=dict)
    starts: list[Ints] = field(default_factory=list)
    edus: list[Floats] = field(default_factory=list)
    middle: list[Floats] = field(default_factory=list)


Places = list[tuple[int, int]]
"""The sentences of a text: (number of the distinct sentence, its first token in the text)."""


def analyse(
    texts: Sequence[str], layers: Collection[AnyLayer], backend: Backend
) -> Iterator[tuple[str, dict[AnyLayer, bytes]]]:
    """The packed layers of each text, chunk by chunk."""
    for start in range(0, len(texts), CHUNK):
        yield from _chunk(texts[start : start + CHUNK], layers, backend)


def _chunk(
    texts: Sequence[str], layers: Collection[AnyLayer], backend: Backend
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
    trees = _trees(found, places, backend) if RST in layers else []
    for i, (text, here) in enumerate(zip(texts, places, strict=True)):
        records: dict[AnyLayer, bytes] = {}
        for layer in layers:
            if layer is RST:
                records[layer] = pack(trees[i])
            elif layer is VECTORS:
                records[layer] = VECTORS.pack(_vectors(found, encoded, here, backend.width))
            elif isinstance(layer, Numbered):
                rows = found.numbers[layer]
                parts = [Part(rows[s], len(found.words[s]), at) for s, at in here]
                records[layer] = pack(rows[here[0][0]] if len(here) == 1 else layer.join(parts))
        yield text, records


def _run_heads(
    found: _Sentences, encoded: Encoded, layers: Collection[AnyLayer], backend: Backend
) -> None:
    """Encode every sentence and run the heads on it."""
    count = len(found.words)
    found.numbers = {layer: [[]] * count for layer in layers if isinstance(layer, Numbered)}
    none = np.zeros((0, 0), np.float32)
    found.starts = [np.zeros(0, np.int64)] * count
    found.edus, found.middle = [none] * count, [none] * count
    wanted = {layer: head for layer, head in heads.SENTENCE_HEADS.items() if layer in layers}
    discourse = EDUS in layers or RST in layers
    for batch in encode(encoded, backend):
        at = batch.sentences.tolist()
        for layer, head in wanted.items():
            numbers = found.numbers[layer]
            for i, row in zip(at, head(batch, backend), strict=True):
                numbers[i] = row
        if discourse:
            starts = heads.edu_starts(batch, backend)
            for i, begin in zip(at, starts, strict=True):
                found.starts[i] = begin
                if EDUS in layers:
                    found.numbers[EDUS][i] = begin.tolist()
        if RST in layers:
            for i, vectors in zip(at, heads.edu_vectors(batch, starts), strict=True):
                found.edus[i] = vectors
        if VECTORS in layers:
            for i, rows in zip(at, batch.middle, strict=True):
                found.middle[i] = rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _trees(found: _Sentences, places: Sequence[Places], backend: Backend) -> list[list[int]]:
    """Inner nodes of every text's tree, in groups of texts that bound the memory."""
    trees: list[list[int]] = []
    group: list[Places] = []
    edus = 0
    for here in places:
        group.append(here)
        edus += sum(len(found.starts[s]) for s, _ in here)
        if edus >= GROUP_EDUS:
            trees += _group_trees(found, group, backend)
            group, edus = [], 0
    return trees + _group_trees(found, group, backend)


def _group_trees(found: _Sentences, places: Sequence[Places], backend: Backend) -> list[list[int]]:
    """Inner nodes of some texts' trees: first EDU, last, last of the left part, label."""
    order = [s for here in places for s, _ in here]
    sizes = np.array([len(found.starts[s]) for s in order], np.int64)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    offsets = ends[np.cumsum([0, *(len(here) for here in places)])]
    sentences = np.repeat(np.arange(len(order)), sizes)
    planned = rst.plan(sentences.astype(np.int32), offsets.astype(np.int32))
    if not len(planned.candidates):
        return [[] for _ in places]
    edus = np.concatenate([found.edus[s] for s in order])
    candidates = planned.candidates.astype(np.int64)
    parts = [
        backend.head("rst", edus, candidates[a : a + SLICE], planned.features[a : a + SLICE])
        for a in range(0, len(candidates), SLICE)
    ]
    splits, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    nodes, _, bounds = rst.trees(planned, splits, labels, backend.label_weight)
    moved = nodes.astype(np.int64)
    moved[:, :3] -= np.repeat(offsets[:-1], np.diff(bounds))[:, None]
    cuts = bounds.tolist()
    return [moved[a:b].ravel().tolist() for a, b in pairwise(cuts)]


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
