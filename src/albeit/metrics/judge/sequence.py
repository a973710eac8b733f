"""The network of ``judge-many``: source, reference, and translation as one sequence.

It reads ``<bos> source \\n reference \\n translation <eos>``, without the texts that are missing.
The layers are those of Gemma with LoRA weights, which are merged once and cached. Every product
treats each row alike, so a score doesn't depend on its batch. Vectors of subwords are read from
Gemma's file as needed.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from albeit.arrays import Bytes, Floats32, IntArray
from albeit.metrics.judge import ADAPTER, FILES, gemma
from albeit.metrics.judge.chunking import Encoding, Line, Reading, number_texts
from albeit.metrics.judge.network import LearnedNetwork, read_weights
from albeit.parsing.model import load_network
from albeit.parsing.sentences import splitter
from albeit.store import stored_bytes

END, BEGIN = 1, 2
NOTHING, REFERENCE, TRANSLATION, SOURCE = range(4)
"""Sides, as the network numbers them."""
SCALE = 2.0
"""Factor of the LoRA products."""
PRODUCTS = {
    "enter": ("attn_q", "attn_k", "attn_v"),
    "leave": ("attn_output",),
    "gate": ("ffn_gate",),
    "up": ("ffn_up",),
    "narrow": ("ffn_down",),
}
NORMS = {
    "before_attention": "attn_norm",
    "of_query": "attn_q_norm",
    "of_key": "attn_k_norm",
    "after_attention": "post_attention_norm",
    "before_inner": "ffn_norm",
    "after_inner": "post_ffw_norm",
}
"""Names of the layers' weights, in the graph and in Gemma's file."""
Languages = tuple[str, str | None]
"""Of translation and source."""


class Texts(NamedTuple):
    """What is read together; reference or source may be missing."""

    translation: str
    reference: str | None
    source: str | None

    def by_side(self) -> dict[int, str]:
        """Return the texts by side, in the order in which they are read."""
        texts = {SOURCE: self.source, REFERENCE: self.reference, TRANSLATION: self.translation}
        return {side: text for side, text in texts.items() if text is not None}


class SequenceInputs(NamedTuple):
    """One batch: subwords and sides [rows, width], the last positions, character statistics."""

    ids: IntArray
    sides: IntArray
    last: IntArray
    facts: Floats32


class Sequences(LearnedNetwork):
    """Scores translations against a reference, a source, or both.

    :param folder: the graph, the learned weights, and ``meta.json``
    :param base: where Gemma's file is (:func:`albeit.metrics.judge.gemma.open_base`)
    """

    def __init__(self, folder: Path, base: str = gemma.INSTALLED) -> None:
        super().__init__(folder, "layers", "base")
        slope, offset = self.meta.get("alone", (1.0, 0.0))
        self.alone: Line = float(slope), float(offset)
        """Slope and offset from raw scores without a reference to the scale of the others."""
        self.base: str = self.meta["base"]
        """The SHA-256 of Gemma's file."""
        self._where = base

    @cached_property
    def file(self) -> gemma.Gguf:
        """Gemma's file, checked."""
        return gemma.open_base(self._where, self.base)

    @cached_property
    def tokenizer(self) -> Any:
        """Gemma's SentencePiece model."""
        from sentencepiece import SentencePieceProcessor

        name = f"networks/pieces-{self.base[:16]}.model"
        model = stored_bytes(name, lambda: [self.file.vocabulary])
        return SentencePieceProcessor(model_proto=model.tobytes())

    @cached_property
    def _session(self) -> Any:
        graph = self.folder / FILES[0]
        _, adapter = read_weights(self.version, graph, self.folder / ADAPTER)
        stored = dict(np.load(io.BytesIO(adapter)))
        learned = {}
        for name, value in stored.items():
            if not name.endswith(".scale"):
                scale = stored.get(f"{name}.scale")
                whole = value.astype(np.float32)
                learned[name] = whole if scale is None else whole * scale[:, None]
        name = f"networks/layers-{self.base[:16]}-{self.version}"
        layers = _unpack(stored_bytes(name, lambda: _pack(self._merge(learned))))
        own = {n: w for n, w in learned.items() if not n.startswith("layers.")}
        return load_network(graph, {**own, **layers})

    def _merge(self, learned: dict[str, Floats32]) -> Iterator[tuple[str, Floats32]]:
        """Yield the layers' weights: Gemma's with the LoRA products added."""
        for n in range(int(self.meta["layers"])):
            own = f"layers.{n}."
            ups = {part: learned[f"{own}{part}.up"] for part in ("enter", "leave", "narrow")}
            ups["gate"], ups["up"] = np.split(learned[f"{own}wide.up"], 2)
            for name, parts in PRODUCTS.items():
                down = learned[f"{own}{'wide' if name in ('gate', 'up') else name}.down"]
                whole = np.concatenate([self.file.weight(f"blk.{n}.{part}") for part in parts])
                yield f"{own}{name}", (whole + SCALE * (ups[name] @ down)).T
            for name, part in NORMS.items():
                yield f"{own}{name}", self.file.weight(f"blk.{n}.{part}")

    def read(self, items: Sequence[Texts], languages: Languages = ("", None)) -> Reading:
        """Return raw scores, higher is better.

        :param languages: of translation and source, to split long texts into sentences
        """
        scores, covered, spreads = np.zeros((3, len(items)))
        chunks = np.zeros(len(items), np.int64)
        groups: dict[tuple[int, ...], list[int]] = {}
        for k, item in enumerate(items):
            groups.setdefault(tuple(item.by_side()), []).append(k)
        for sides, own in groups.items():
            encoding = _Sequences([items[k] for k in own], self, languages)
            found, variances = np.zeros((2, len(encoding.rows.item)))
            for chosen, inputs in encoding.batches():
                found[chosen], spread = self.run(inputs)
                variances[chosen] = np.exp(2 * spread.astype(np.float64))
            line = (1.0, 0.0) if REFERENCE in sides else self.alone
            part = encoding.combine(found, variances, line)
            scores[own], chunks[own], covered[own] = part.scores, part.chunks, part.covered
            spreads[own] = part.spreads
        return Reading(scores, chunks, covered, spreads)

    def inputs(self, items: Sequence[Texts]) -> Iterator[SequenceInputs]:
        """Yield what the network reads of items with the same sides, batch by batch."""
        for _, inputs in _Sequences(items, self, ("", None)).batches():
            yield inputs

    def run(self, batch: SequenceInputs) -> tuple[Floats32, Floats32]:
        """Return scores [rows], and logarithms of their standard errors [rows]."""
        given = {**batch._asdict(), "words": self.file.words(batch.ids)}
        del given["ids"]
        score, spread = self._session.run(["score", "spread"], given)
        return score, spread


class _Sequences(Encoding[SequenceInputs]):
    """Items with the same sides as subwords."""

    def __init__(self, items: Sequence[Texts], network: Sequences, languages: Languages) -> None:
        self._sides = tuple(items[0].by_side())
        self._languages, self._tokenizer = languages, network.tokenizer
        by_side = (item.by_side().items() for item in items)
        texts = [[(" ".join(t.split()), side) for side, t in own] for own in by_side]
        self._texts, numbers = number_texts(texts)
        encoded = self._tokenizer.encode([text for text, _ in self._texts])
        self._ids = np.array([k for ids in encoded for k in ids], np.int64)
        starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        super().__init__(starts, numbers, network.longest)

    def inputs(self, rows: IntArray, width: int) -> SequenceInputs:
        """Return what the network reads of rows."""
        (newline,) = self._tokenizer.encode("\n")
        text, subword = self.rows.positions(rows, width)
        last = self.rows.lengths[rows] - 1
        breaks = newline * (np.arange(width) < last[:, None])
        ids = np.where(text < 0, breaks, self._ids[subword])
        ids[:, 0], ids[np.arange(len(rows)), last] = BEGIN, END
        facts = np.zeros((len(rows), 3), np.float32)
        if REFERENCE in self._sides:
            facts = self.facts(rows, *map(self._sides.index, (TRANSLATION, REFERENCE)))
        return SequenceInputs(ids, np.append(self._sides, NOTHING)[text], last, facts)

    def chunk(self, text: int, start: int, size: int) -> str:
        """Return a part of a text."""
        first, end = self.starts[text : text + 2]
        if size == end - first:
            return self._texts[text][0]
        ids = self._ids[first + start : first + start + size]
        return str(self._tokenizer.decode(ids.tolist()))

    def sentence_ends(self, text: int) -> IntArray:
        """Return the numbers of subwords after which a sentence ends, without the last."""
        line, side = self._texts[text]
        ids = self._ids[slice(*self.starts[text : text + 2])].tolist()
        sizes = [
            1 if self._tokenizer.is_byte(own) else len(piece.replace("▁", " ").encode())
            for own, piece in zip(ids, self._tokenizer.id_to_piece(ids), strict=True)
        ]
        begins = np.cumsum([0, *sizes])[:-1]
        stops, stop = [], 0
        for sentence in splitter(self._languages[side == SOURCE] or "")(line):
            stop = line.index(sentence, stop) + len(sentence)
            stops.append(len(line[:stop].encode()))
        found = np.unique(np.searchsorted(begins, stops))
        return np.asarray(found[(found > 0) & (found < len(ids))], np.int64)


def _pack(arrays: Iterable[tuple[str, Floats32]]) -> Iterator[bytes]:
    """Yield arrays as they are stored: numbers, then names and shapes, then the length of these."""
    shapes = {}
    for name, array in arrays:
        shapes[name] = array.shape
        yield np.ascontiguousarray(array, np.float32).tobytes()
    text = json.dumps(shapes).encode()
    yield text + struct.pack("<Q", len(text))


def _unpack(data: Bytes) -> dict[str, Floats32]:
    """Return stored arrays without copying them."""
    (size,) = struct.unpack("<Q", data[-8:].tobytes())
    shapes = json.loads(data[-8 - size : -8].tobytes())
    found, start = {}, 0
    for name, shape in shapes.items():
        stop = start + 4 * int(np.prod(shape))
        found[name] = data[start:stop].view(np.float32).reshape(shape)
        start = stop
    return found


@lru_cache(maxsize=2)
def load_sequences(folder: Path, base: str = gemma.INSTALLED) -> Sequences:
    """Load the network of a folder once per process."""
    return Sequences(folder, base)
