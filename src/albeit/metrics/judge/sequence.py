"""The network of ``judge-many``: source, reference and translation as one sequence, in any language.

It reads ``<bos> source \\n reference \\n translation <eos>``; a text that is not there is left out with its
line break. The layers are Gemma's, to which the learnt parts are added when both are loaded; that
sum is kept in the cache. Only sequences whose length rounds up to the same multiple of ``STEP``
share a batch, and every product treats each row alike, so that a score never depends on what is
read beside it. Vectors of pieces are looked up in the file as they are needed: no vocabulary is cut.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from albeit.arrays import Bytes, FloatArray
from albeit.metrics.judge import ADAPTER, FILES, gemma
from albeit.metrics.judge.network import Calibration, Reading, calibration_of
from albeit.metrics.judge.pairs import STEP, Ints, Rows, covered, cut, facts
from albeit.parsing.model import REPAIR, ModelError, load_network, read_meta
from albeit.parsing.sentences import splitter

__all__ = ["Inputs", "Sequences", "Texts", "load_sequences"]

Floats = npt.NDArray[np.float32]
END, BEGIN = 1, 2
BREAK, SPACE = "\n", "▁"
NOTHING, REFERENCE, TRANSLATION, SOURCE = range(4)
"""Sides, as the network numbers them."""
RISE = 2.0
"""What the products of the learnt parts are multiplied by."""
JOINED = {
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
"""Names of the layers' weights, here and in Gemma's file."""


class Texts(NamedTuple):
    """What is read together; without a reference, or without a source, there is ``None``."""

    translation: str
    reference: str | None
    source: str | None

    def sides(self) -> tuple[int, ...]:
        """Those that are there, in the order in which they are read."""
        given = (SOURCE, self.source), (REFERENCE, self.reference), (TRANSLATION, self.translation)
        return tuple(side for side, text in given if text is not None)

    def side(self, side: int) -> str:
        """One of them."""
        return {SOURCE: self.source, REFERENCE: self.reference}.get(side, self.translation) or ""


class Inputs(NamedTuple):
    """One batch: pieces and sides [rows, width], the place of each end, facts about characters."""

    ids: Ints
    sides: Ints
    last: Ints
    facts: Floats


class Sequences:
    """Scores translations beside a reference, a source, or both.

    :param folder: the graph, the learnt parts and ``meta.json``
    :param base: where Gemma's file is (:func:`albeit.metrics.judge.gemma.open_base`)
    """

    def __init__(self, folder: Path, base: str = gemma.INSTALLED) -> None:
        meta = read_meta(folder, {"version", "longest", "layers", "base", "calibration"})
        self.folder = folder
        self.version: str = meta["version"]
        self.calibration: Calibration = calibration_of(meta, folder)
        slope, offset = meta.get("alone", (1.0, 0.0))
        self.alone: tuple[float, float] = float(slope), float(offset)
        """Slope and offset that bring raw scores beside a source alone to the scale of the others."""
        self.longest = int(meta["longest"])
        """The most pieces that are read at once, marks included."""
        self.base: str = meta["base"]
        """The SHA-256 of Gemma's file."""
        self._layers = int(meta["layers"])
        self._where = base

    @cached_property
    def file(self) -> gemma.Gguf:
        """Gemma's file, checked."""
        return gemma.open_base(self._where, self.base)

    @cached_property
    def pieces(self) -> Any:
        """Cuts texts into pieces."""
        from sentencepiece import SentencePieceProcessor

        model = gemma.kept(f"pieces-{self.base[:16]}.model", lambda: [self.file.pieces])
        return SentencePieceProcessor(model_proto=model.tobytes())

    @cached_property
    def _session(self) -> Any:
        learnt = self._learnt()
        name = f"layers-{self.base[:16]}-{self.version}"
        layers = _opened(gemma.kept(name, lambda: _parts(self._merged(learnt))))
        own = {n: w for n, w in learnt.items() if not n.startswith("layers.")}
        return load_network(self.folder / FILES[0], {**own, **layers})

    def _learnt(self) -> dict[str, Floats]:
        """The learnt parts, of the version that ``meta.json`` names."""
        digest = hashlib.sha256()
        parts = []
        for name in (FILES[0], ADAPTER):
            path = self.folder / name
            try:
                parts.append(path.read_bytes())
            except OSError as error:
                raise ModelError(f"{path}: cannot be read ({error.strerror}). {REPAIR}") from None
            digest.update(parts[-1])
        if digest.hexdigest()[:16] != self.version:
            raise ModelError(f"{self.folder}: damaged, it is not version {self.version}. {REPAIR}")
        found = _arrays(parts[1])
        return {
            name: _whole(value, found.get(f"{name}.scale"))
            for name, value in found.items()
            if not name.endswith(".scale")
        }

    def _merged(self, learnt: dict[str, Floats]) -> Iterator[tuple[str, Floats]]:
        """The layers' weights: the base's products and what was learnt beside each of them."""
        for n in range(self._layers):
            own = f"layers.{n}."
            ups = {part: learnt[f"{own}{part}.up"] for part in ("enter", "leave", "narrow")}
            ups["gate"], ups["up"] = np.split(learnt[f"{own}wide.up"], 2)
            for mine, theirs in JOINED.items():
                down = learnt[f"{own}{'wide' if mine in ('gate', 'up') else mine}.down"]
                whole = np.concatenate([self.file.weight(f"blk.{n}.{name}") for name in theirs])
                yield f"{own}{mine}", (whole + RISE * (ups[mine] @ down)).T
            for mine, name in NORMS.items():
                yield f"{own}{mine}", self.file.weight(f"blk.{n}.{name}")

    def read(
        self, items: Sequence[Texts], languages: tuple[str, str | None] = ("", None)
    ) -> Reading:
        """Raw scores, higher is better.

        :param languages: of translation and source, for where sentences of long texts end
        """
        scores, variances = np.zeros((2, len(items)))
        pieces, part = np.zeros(len(items), np.int64), np.ones(len(items))
        for sides in dict.fromkeys(item.sides() for item in items):
            own = np.flatnonzero([item.sides() == sides for item in items])
            texts = _Alike([items[k] for k in own.tolist()], sides, self, languages)
            rows = texts.rows
            found, variance = np.zeros((2, len(rows.pair)))
            for chosen, inputs in texts.batches():
                found[chosen], spread = self.run(inputs)
                variance[chosen] = np.exp(2 * spread.astype(np.float64))
            shares = rows.shares()
            slope, offset = (1.0, 0.0) if REFERENCE in sides else self.alone
            scores[own] = slope * np.bincount(rows.pair, shares * found, len(own)) + offset
            variances[own] = slope**2 * np.bincount(rows.pair, shares**2 * variance, len(own))
            pieces[own] = np.bincount(rows.pair, minlength=len(own))
            part[own] = texts.covered
        return Reading(scores, pieces, part, np.sqrt(variances), [])

    def inputs(self, items: Sequence[Texts]) -> Iterator[Inputs]:
        """What the network reads of texts of one kind, batch by batch."""
        for _, inputs in _Alike(items, items[0].sides(), self, ("", None)).batches():
            yield inputs

    def run(self, batch: Inputs) -> tuple[Floats, Floats]:
        """Scores [rows], and logarithms of their standard errors [rows]."""
        return self.session(self.given(batch))

    def given(self, batch: Inputs) -> dict[str, npt.NDArray[Any]]:
        """What the graph is given: a batch with the vectors of its pieces."""
        words = self.file.words(batch.ids)
        return {"words": words, "sides": batch.sides, "last": batch.last, "facts": batch.facts}

    def session(self, given: dict[str, npt.NDArray[Any]]) -> tuple[Floats, Floats]:
        """The bare network."""
        score, spread = self._session.run(["score", "spread"], given)
        return score, spread


class _Alike:
    """Texts of which the same sides are there, as pieces; each distinct one once."""

    def __init__(
        self,
        items: Sequence[Texts],
        sides: tuple[int, ...],
        network: Sequences,
        languages: tuple[str, str | None],
    ) -> None:
        number: dict[tuple[str, int], int] = {}
        for item in items:
            for side in sides:
                number.setdefault((" ".join(item.side(side).split()), side), len(number))
        self._texts = list(number)
        self._sides, self._network, self._languages = sides, network, languages
        self._pieces = network.pieces
        (self._break,) = self._pieces.encode(BREAK)
        cuts = self._pieces.encode([text for text, _ in self._texts])
        self._ids = np.concatenate([np.zeros(0, np.int64), *map(np.asarray, cuts)]).astype(np.int64)
        self._starts = np.concatenate(([0], np.cumsum([len(ids) for ids in cuts]))).astype(np.int64)
        self._items = np.array(
            [[number[" ".join(item.side(s).split()), s] for s in sides] for item in items], np.int64
        ).reshape(-1, len(sides))
        self.rows: Rows = cut(self._starts, self._items, network.longest, self._ends)

    def batches(self) -> Iterator[tuple[Ints, Inputs]]:
        """Numbers of rows, and what the network reads of them."""
        for chosen, width in self.rows.batches(STEP):
            yield chosen, self._inputs(chosen, width)

    @property
    def covered(self) -> FloatArray:
        """Which part of translation, or what it is compared with, has a counterpart."""
        sizes = np.diff(self._starts)[self._items.T]
        return covered(sizes[-1], sizes[-2])

    def _inputs(self, chosen: Ints, width: int) -> Inputs:
        text, piece = self.rows.places(chosen, width)
        last = self.rows.lengths[chosen] - 1
        places = np.arange(width)
        ids = np.where(text < 0, self._break * (places < last[:, None]), self._ids[piece])
        ids[:, 0], ids[np.arange(len(chosen)), last] = BEGIN, END
        sides = np.append(self._sides, NOTHING)[text]
        return Inputs(ids, sides, last, self._facts(chosen))

    def _facts(self, chosen: Ints) -> Floats:
        """About characters of translation and reference; without a reference there are none."""
        if REFERENCE not in self._sides:
            return np.zeros((len(chosen), 3), np.float32)
        lines = [
            [self._text(row, self._sides.index(side)) for row in chosen.tolist()]
            for side in (TRANSLATION, REFERENCE)
        ]
        return facts(*lines)

    def _text(self, row: int, side: int) -> str:
        """What stands in a row of a text: all of it, or a piece."""
        number = self._items[self.rows.pair[row], side]
        begin, size = self.rows.begin[side, row], self.rows.sizes[side, row]
        if size == self._starts[number + 1] - self._starts[number]:
            text: str = self._texts[number][0]
            return text
        return str(self._pieces.decode(self._ids[begin : begin + size].tolist()))

    def _ends(self, number: int) -> Ints:
        """After how many pieces of a text a sentence of it ends, the last one's end left out."""
        text, side = self._texts[number]
        language = self._languages[side == SOURCE] or ""
        ids = self._ids[self._starts[number] : self._starts[number + 1]].tolist()
        sizes = [
            1 if self._pieces.is_byte(own) else len(piece.replace(SPACE, " ").encode())
            for own, piece in zip(ids, self._pieces.id_to_piece(ids), strict=True)
        ]
        begins = np.cumsum([0, *sizes])[:-1]
        stops, at = [], 0
        for sentence in splitter(language)(text):
            at = text.index(sentence, at) + len(sentence)
            stops.append(len(text[:at].encode()))
        found = np.unique(np.searchsorted(begins, stops))
        return np.asarray(found[(found > 0) & (found < len(ids))], np.int64)


def _whole(value: npt.NDArray[Any], scale: npt.NDArray[Any] | None) -> Floats:
    """A matrix in bytes, whose rows have scales, in single precision; others as they are."""
    whole = value.astype(np.float32)
    return whole if scale is None else whole * scale[:, None]


def _parts(arrays: Iterable[tuple[str, Floats]]) -> Iterator[bytes]:
    """Arrays as they are kept: their numbers, then names and shapes, then how long these are."""
    shapes = {}
    for name, array in arrays:
        shapes[name] = array.shape
        yield np.ascontiguousarray(array, np.float32).tobytes()
    text = json.dumps(shapes).encode()
    yield text + struct.pack("<Q", len(text))


def _opened(data: Bytes) -> dict[str, Floats]:
    """Kept arrays; their numbers stay where they are."""
    (size,) = struct.unpack("<Q", data[-8:].tobytes())
    shapes = json.loads(data[-8 - size : -8].tobytes())
    found, at = {}, 0
    for name, shape in shapes.items():
        stop = at + 4 * int(np.prod(shape))
        found[name] = data[at:stop].view(np.float32).reshape(shape)
        at = stop
    return found


def _arrays(data: bytes) -> dict[str, npt.NDArray[Any]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@lru_cache(maxsize=2)
def load_sequences(folder: Path, base: str = gemma.INSTALLED) -> Sequences:
    """The network of a folder, loaded once per process, when it is first used."""
    return Sequences(folder, base)
