"""How well each token of one side finds a counterpart in each EDU of the other side.

Vectors of a whole campaign are too big to keep, so they live for one block of documents.
What stays of a pair of texts is small: for every subword of the translation its best
similarity within each EDU of the reference, and the other way round; the similarity of the
EDUs' mean vectors; and which subword was nearest. Similarity over the whole text, inside
aligned EDUs, or weighted by the place of EDUs in the tree, all follow from these. They are
kept under ``work-data/edus`` by set and model version.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from albeit.annotate import version
from albeit.annotate.annotators.english import English
from albeit.annotate.cache import Cache
from albeit.annotate.cache.folder import cache_folder
from albeit.annotate.layers import CONNECTIVES, EDUS, RST, VECTORS
from albeit.corpus import EvalSet

__all__ = ["Matches", "Pair", "matches"]

Floats = npt.NDArray[np.float32]
_KEPT = (EDUS, RST, CONNECTIVES)
_Kept = tuple[npt.NDArray[np.int32], npt.NDArray[np.float16], npt.NDArray[np.int16]]
_BLOCK = 60
"""Segments whose vectors are in memory together, with all systems."""


@dataclass(frozen=True)
class Side:
    """One text: its vectors, and how many of them each EDU holds."""

    rows: Floats
    sizes: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Pair:
    """What is known of a translation and its reference.

    ``to_ref``: translation subwords × reference EDUs; ``to_hyp``: reference subwords ×
    translation EDUs; ``means``: translation EDUs × reference EDUs; ``nearest``: for each
    subword of the translation the nearest one of the reference, then the other way round;
    ``hyp`` and ``ref``: subwords an EDU.
    """

    to_ref: Floats
    to_hyp: Floats
    means: Floats
    nearest: npt.NDArray[np.int16]
    hyp: npt.NDArray[np.int32]
    ref: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Matches:
    """All pairs of a set, system by system and segment by segment, in long arrays."""

    hyp: Sequence[npt.NDArray[np.int32]]
    ref: Sequence[npt.NDArray[np.int32]]
    starts: npt.NDArray[np.int64]
    values: npt.NDArray[np.float16]
    near_starts: npt.NDArray[np.int64]
    nearest: npt.NDArray[np.int16]

    def pair(self, system: int, segment: int) -> Pair:
        """A system's translation of a segment with the reference."""
        p = system * len(self.ref) + segment
        hyp, ref = self.hyp[p], self.ref[segment]
        values = self.values[self.starts[p] : self.starts[p + 1]].astype(np.float32)
        if not len(values):
            none = np.zeros((0, 0), np.float32)
            return Pair(none, none, none, np.zeros(0, np.int16), hyp, ref)
        first = int(hyp.sum()) * len(ref)
        second = first + int(ref.sum()) * len(hyp)
        return Pair(
            values[:first].reshape(-1, len(ref)),
            values[first:second].reshape(-1, len(hyp)),
            values[second:].reshape(len(hyp), len(ref)),
            self.nearest[self.near_starts[p] : self.near_starts[p + 1]],
            hyp,
            ref,
        )


def matches(evalset: EvalSet, folder: Path) -> Matches:
    """Similarities of every translation with its (first) reference, from disk if kept."""
    path = folder / f"{_key(evalset)}.npz"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _compute(evalset, path)
    with np.load(path) as kept:
        return Matches(
            np.split(kept["hyp"], kept["hyp_cuts"]),
            np.split(kept["ref"], kept["ref_cuts"]),
            kept["starts"],
            kept["values"],
            kept["near_starts"],
            kept["nearest"],
        )


def _key(evalset: EvalSet) -> str:
    text = hashlib.sha256(f"2\n{version()}".encode())
    for name, lines in (*evalset.references.items(), *evalset.systems.items()):
        text.update("\n".join((name, *lines)).encode())
    return f"{evalset.name}.{evalset.source_lang}.{text.hexdigest()[:16]}"


def _compute(evalset: EvalSet, path: Path) -> None:
    reference = next(iter(evalset.references.values()))
    systems = list(evalset.systems.values())
    found: list[list[_Kept]] = [[] for _ in systems]
    refs: list[npt.NDArray[np.int32]] = []
    for start in range(0, len(evalset), _BLOCK):
        block = range(start, min(start + _BLOCK, len(evalset)))
        texts = dict.fromkeys(lines[n] for lines in (reference, *systems) for n in block)
        sides = dict(_sides(list(texts)))
        for n in block:
            ref = sides[reference[n]]
            refs.append(ref.sizes)
            for system, lines in enumerate(systems):
                hyp = sides[lines[n]]
                found[system].append((hyp.sizes, *_best(hyp, ref)))
        print(f"{path.stem}: {block.stop}/{len(evalset)}", file=sys.stderr)
    pairs = [pair for rows in found for pair in rows]
    sizes, values, nearest = ([p[k] for p in pairs] for k in range(3))
    np.savez(
        path,
        hyp=np.concatenate(sizes),
        hyp_cuts=np.cumsum([len(s) for s in sizes])[:-1],
        ref=np.concatenate(refs),
        ref_cuts=np.cumsum([len(s) for s in refs])[:-1],
        starts=np.cumsum([0, *map(len, values)]),
        values=np.concatenate(values),
        near_starts=np.cumsum([0, *map(len, nearest)]),
        nearest=np.concatenate(nearest),
    )


def _sides(texts: Sequence[str]) -> Iterator[tuple[str, Side]]:
    """Vectors and EDUs of texts; the small layers go to the cache."""
    english = English()
    folder = cache_folder()
    found = list(english.records(texts, (*_KEPT, VECTORS), "en"))
    if folder is not None:
        cache = Cache(folder, english.version)
        cache.put((text, {layer: made[layer] for layer in _KEPT}) for text, made in found)
    for text, made in found:
        analysis = english.unpack(text, {layer: made[layer] for layer in (EDUS, VECTORS)})
        vectors, edus = analysis[VECTORS], analysis[EDUS]
        cuts = np.searchsorted(vectors.words, [stop for _, stop in edus])
        yield text, Side(vectors.rows, np.diff(cuts, prepend=0).astype(np.int32))


def _best(hyp: Side, ref: Side) -> tuple[npt.NDArray[np.float16], npt.NDArray[np.int16]]:
    """Best similarities of each subword within each EDU of the other side, and nearest ones."""
    if not len(hyp.rows) or not len(ref.rows):
        return np.zeros(0, np.float16), np.zeros(0, np.int16)
    alike = hyp.rows @ ref.rows.T
    to_ref = np.maximum.reduceat(alike, _firsts(ref), axis=1)
    to_hyp = np.maximum.reduceat(alike, _firsts(hyp), axis=0).T
    means = _means(hyp) @ _means(ref).T
    nearest = np.concatenate([alike.argmax(axis=1), alike.argmax(axis=0)])
    values = np.concatenate([to_ref.ravel(), to_hyp.ravel(), means.ravel()])
    return values.astype(np.float16), nearest.astype(np.int16)


def _means(side: Side) -> Floats:
    """The mean vector of each EDU, unit length."""
    sums = np.add.reduceat(side.rows, _firsts(side), axis=0)
    return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True))


def _firsts(side: Side) -> npt.NDArray[np.int64]:
    return (np.cumsum(side.sizes) - side.sizes).astype(np.int64)
