"""From raw texts to packed layers: words, sentences, encoder, heads, trees over sentences.

Texts are taken in chunks that bound the memory; within a chunk each distinct sentence is
encoded once, whatever the number of texts it stands in. Only the heads of the layers that
are asked for are run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from albeit.annotate import heads
from albeit.annotate.decode import rst
from albeit.annotate.encoder import Backend, encode
from albeit.annotate.layers import Layer
from albeit.annotate.records import pack, pack_vectors
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
    numbers: dict[Layer, list[list[int]]] = field(default_factory=dict)
    starts: list[Ints] = field(default_factory=list)
    edus: list[Floats] = field(default_factory=list)
    middle: list[Floats] = field(default_factory=list)


Places = list[tuple[int, int]]
"""The sentences of a text: (number of the distinct sentence, its first token in the text)."""


def analyse(
    texts: Sequence[str], layers: Collection[Layer], backend: Backend
) -> Iterator[tuple[str, dict[Layer, bytes]]]:
    """The packed layers of each text, chunk by chunk."""
    for start in range(0, len(texts), CHUNK):
        yield from _chunk(texts[start : start + CHUNK], layers, backend)


def _chunk(
    texts: Sequence[str], layers: Collection[Layer], backend: Backend
) -> Iterator[tuple[str, dict[Layer, bytes]]]:
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
    trees = _trees(found, places, backend) if Layer.RST in layers else []
    for i, (text, here) in enumerate(zip(texts, places, strict=True)):
        records: dict[Layer, bytes] = {}
        for layer in layers:
            if layer is Layer.RST:
                records[layer] = pack(trees[i])
            elif layer is Layer.EDUS:
                records[layer] = pack(n for s, at in here for n in (found.starts[s] + at).tolist())
            elif layer is Layer.VECTORS:
                records[layer] = _vectors(found, encoded, here, backend.width)
            elif len(here) == 1:
                records[layer] = pack(found.numbers[layer][here[0][0]])
            else:
                records[layer] = pack(_joined(layer, found, here))
        yield text, records


def _run_heads(
    found: _Sentences, encoded: Encoded, layers: Collection[Layer], backend: Backend
) -> None:
    """Encode every sentence and run the heads on it."""
    count = len(found.words)
    found.numbers = {layer: [[]] * count for layer in layers if layer in heads.SENTENCE_HEADS}
    none = np.zeros((0, 0), np.float32)
    found.starts = [np.zeros(0, np.int64)] * count
    found.edus, found.middle = [none] * count, [none] * count
    discourse = Layer.EDUS in layers or Layer.RST in layers
    for batch in encode(encoded, backend):
        at = batch.sentences.tolist()
        for layer, numbers in found.numbers.items():
            for i, row in zip(at, heads.SENTENCE_HEADS[layer](batch, backend), strict=True):
                numbers[i] = row
        if discourse:
            starts = heads.edu_starts(batch, backend)
            for i, begin in zip(at, starts, strict=True):
                found.starts[i] = begin
        if Layer.RST in layers:
            for i, vectors in zip(at, heads.edu_vectors(batch, starts), strict=True):
                found.edus[i] = vectors
        if Layer.VECTORS in layers:
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


def _joined(layer: Layer, found: _Sentences, here: Places) -> list[int]:
    """The numbers of several sentences as those of one text."""
    parts = [(found.numbers[layer][s], len(found.words[s]), at) for s, at in here]
    if layer is Layer.DEPENDENCIES:
        upos = [n for row, size, _ in parts for n in row[:size]]
        rels = [n for row, size, _ in parts for n in row[2 * size :]]
        moved = [n + at if n else 0 for row, size, at in parts for n in row[size : 2 * size]]
        return upos + moved + rels
    if layer is Layer.CONSTITUENTS:
        tags = [n for row, size, _ in parts for n in row[:size]]
        return tags + [n for row, size, at in parts for n in _moved(row[size:], (at, at, 0))]
    if layer is Layer.ROLES:
        return [n for row, _, at in parts for n in _moved_roles(row, at)]
    return [n for row, _, at in parts for n in _moved(row, (at, at, 0))]


def _moved(row: list[int], shift: tuple[int, int, int]) -> Iterator[int]:
    for i, n in enumerate(row):
        yield n + shift[i % 3]


def _moved_roles(row: list[int], at: int) -> Iterator[int]:
    i = 0
    while i < len(row):
        count = row[i + 1]
        yield row[i] + at
        yield count
        yield from _moved(row[i + 2 : i + 2 + 3 * count], (0, at, at))
        i += 2 + 3 * count


def _vectors(found: _Sentences, encoded: Encoded, here: Places, width: int) -> bytes:
    rows = [found.middle[s] for s, _ in here]
    words = []
    for s, at in here:
        first = encoded.first[encoded.word_starts[s] : encoded.word_starts[s + 1]]
        sizes = np.diff(np.append(first, len(found.middle[s])))
        words.append(np.repeat(np.arange(len(first)) + at, sizes))
    if not rows:
        return pack_vectors(np.zeros((0, width), np.float32), np.zeros(0, np.int32))
    return pack_vectors(np.concatenate(rows), np.concatenate(words).astype(np.int32))
