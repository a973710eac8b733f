"""From raw texts to packed layers: words, sentences, encoder, heads, trees over sentences.

Texts are taken in chunks that bound the memory; within a chunk each distinct sentence is
encoded once, whatever the number of texts it stands in. Only the heads of the layers that
are asked for are run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.parsing import heads
from albeit.parsing.encoder import Backend, encode
from albeit.parsing.heads import trees
from albeit.parsing.layer import Numbered, Part, pack_numbers
from albeit.parsing.layers import EDUS, RST, VECTORS, AnyLayer, Vectors
from albeit.parsing.sentences import split_sentences
from albeit.parsing.subwords import Encoded
from albeit.parsing.tokenize import tokenize

__all__ = ["CHUNK", "analyse"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

CHUNK = 4096
"""How many texts are analysed together."""


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
    order = [[s for s, _ in here] for here in places]
    nodes = trees(found.starts, found.edus, order, backend) if RST in layers else []
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
        backend.recent.keep(found.words, batch)
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
