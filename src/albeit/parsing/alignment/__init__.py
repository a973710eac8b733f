"""Align words: train on sentence pairs, align, save, and load.

The aligner needs only the pairs, and one test set is enough to be useful. More bitext makes it more
accurate: train on both together. It is IBM model 1 and an HMM in both directions, symmetrized by
grow-diag-final-and.

A pair of words that was seldom seen together is judged by its spelling, because numbers, names,
and cognates look alike in two languages: words are the same if all letters are, and kin if the
first four are (*nation* and *national*, not *house* and *home*).
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from albeit.errors import InputError
from albeit.parsing.alignment.files import (
    Lines,
    Link,
    check_links,
    eflomal_align,
    is_giza,
    read_alignment,
    read_giza,
    read_pharaoh,
)
from albeit.parsing.alignment.kernels import (
    FLOOR,
    JUMPS,
    Corpus,
    Floats,
    Ints,
    Longs,
    Parameters,
    align_all,
    expect,
    fill_table,
    look_up,
    normalize,
    number_pairs,
)

__all__ = [
    "Aligner",
    "Link",
    "Schedule",
    "check_links",
    "eflomal_align",
    "is_giza",
    "read_alignment",
    "read_giza",
    "read_pharaoh",
]

_FORMAT = 1
_LETTERS = 4
"""Number of common first letters that makes words kin."""
_CHUNKS = 2
"""Number of parts that are counted in parallel; fixed, so that sums don't depend on the machine."""
_DAMAGED = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)
"""Errors for a damaged file of arrays."""


@dataclass(frozen=True)
class Schedule:
    """How to train: iterations of each model, the null word, the sparse prior, and spelling."""

    ibm1: int = 5
    hmm: int = 5
    p_null: float = 0.2
    prior: float = 0.001
    agree: bool = True
    alike: float = 1.0
    """The number of links that similar spelling counts for."""


@dataclass
class PairIndex:
    """The word pairs with a parameter, in a hash table, and the words of each."""

    keys: Longs
    values: Ints
    target_size: int
    sources: Ints
    targets: Ints

    @classmethod
    def build(cls, sources: Ints, targets: Ints, target_size: int) -> PairIndex:
        """Return the index of these word pairs."""
        slots = 1024
        while slots < 2 * sources.size:
            slots *= 2
        keys, values = fill_table(sources, targets, target_size, slots)
        return cls(keys, values, target_size, sources, targets)


@dataclass(frozen=True)
class Aligner:
    """A trained aligner."""

    source: dict[str, int]
    target: dict[str, int]
    index: PairIndex
    parameters: Parameters

    @classmethod
    def fit(cls, source: Lines, target: Lines, schedule: Schedule | None = None) -> Aligner:
        """Train on sentence pairs, each line a sequence of words."""
        _check_lengths(source, target)
        vocabularies = _number_words(source), _number_words(target)
        if not all(vocabularies):
            raise InputError("the aligner has no words to train on: one side is empty.")
        first, second = (
            _encode(lines, ids) for lines, ids in zip((source, target), vocabularies, strict=True)
        )
        cells = np.empty(_count_cells(first, second), np.int32)
        pairs = number_pairs(first, second, len(vocabularies[1]), cells)
        p = _train(pairs, cells, first, second, vocabularies, schedule or Schedule())
        # nearly all word pairs have no weight: without them, an aligner is small to send
        kept = np.flatnonzero((p.forward > FLOOR) | (p.backward > FLOOR))
        index = PairIndex.build(pairs[0][kept], pairs[1][kept], len(vocabularies[1]))
        return cls(
            *vocabularies, index, p._replace(forward=p.forward[kept], backward=p.backward[kept])
        )

    def align(self, source: Lines, target: Lines) -> list[list[Link]]:
        """Return the links of each pair, in order of the source words."""
        _check_lengths(source, target)
        first, second = _encode(source, self.source), _encode(target, self.target)
        looks = _number_looks(
            (word for line in source for word in line), (word for line in target for word in line)
        )
        cells = np.empty(_count_cells(first, second), np.int32)
        index = self.index
        look_up(first, second, index.target_size, index.keys, index.values, *looks, cells)
        links, stops = align_all(cells, first, second, self.parameters)
        pairs = list(map(tuple, links.tolist()))
        starts = [0, *stops.tolist()]
        return [sorted(pairs[a:b]) for a, b in pairwise(starts)]

    @property
    def fingerprint(self) -> str:
        """A short hash of all parameters, for signatures."""
        digest = hashlib.sha256()
        for values in self.parameters:
            digest.update(np.asarray(values).tobytes())
        digest.update("\n".join([*self.source, *self.target]).encode())
        return digest.hexdigest()[:8]

    def save(self, path: str | Path) -> None:
        """Write the model to one file (NumPy's zip format, no pickles)."""
        with Path(path).open("wb") as file:
            np.savez_compressed(
                file,
                allow_pickle=False,
                format=np.int64(_FORMAT),
                source=np.frombuffer("\n".join(self.source).encode(), np.uint8),
                target=np.frombuffer("\n".join(self.target).encode(), np.uint8),
                pair_sources=self.index.sources,
                pair_targets=self.index.targets,
                **{name: np.asarray(value) for name, value in self.parameters._asdict().items()},
            )

    @classmethod
    def load(cls, path: str | Path) -> Aligner:
        """Read a saved model."""
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as data:
                if int(data["format"]) != _FORMAT:
                    raise InputError(
                        "this aligner model has another format.",
                        path=path,
                        hint="Train it again with this version.",
                    )
                words = [data[side].tobytes().decode().split("\n") for side in ("source", "target")]
                source, target = ({word: k for k, word in enumerate(side)} for side in words)
                index = PairIndex.build(data["pair_sources"], data["pair_targets"], len(target))
                values = {name: data[name] for name in Parameters._fields}
                values["p_null"] = float(values["p_null"])
        except _DAMAGED as error:
            raise InputError(
                f"not a saved aligner ({error}).", path=path, hint="Save one with Aligner.save."
            ) from None
        return cls(source, target, index, Parameters(**values))


def _train(
    pairs: tuple[Ints, Ints],
    cells: Ints,
    source: Corpus,
    target: Corpus,
    vocabularies: tuple[dict[str, int], dict[str, int]],
    schedule: Schedule,
) -> Parameters:
    """Train IBM model 1, then the HMM, by expectation maximization."""
    n_source, n_target = map(len, vocabularies)
    sources, targets = pairs
    alike = _spelling_counts(*_number_looks(*vocabularies), sources, targets, schedule.alike)
    jumps = np.exp(-0.5 * np.abs(np.arange(JUMPS) - JUMPS // 2 - 1.0))
    jumps /= jumps.sum()
    p = Parameters(
        np.full(sources.size, 1.0 / n_target, np.float32),
        np.full(sources.size, 1.0 / n_source, np.float32),
        np.full(n_target, 1.0 / n_target, np.float32),
        np.full(n_source, 1.0 / n_source, np.float32),
        jumps,
        jumps,
        schedule.p_null,
    )
    with ThreadPoolExecutor(_CHUNKS) as pool:
        for step in range(schedule.ibm1 + schedule.hmm):
            hmm = step >= schedule.ibm1
            agree = hmm and schedule.agree
            parts = [
                pool.submit(expect, cells, source, target, p, hmm, agree, chunk, _CHUNKS)
                for chunk in range(_CHUNKS)
            ]
            counts = zip(*(part.result() for part in parts), strict=True)
            forward, backward, *nulls, new_jumps, other_jumps = (
                np.sum(each, axis=0) for each in counts
            )
            p = p._replace(
                forward=normalize(forward + alike, sources, n_source, schedule.prior, n_target),
                backward=normalize(backward + alike, targets, n_target, schedule.prior, n_source),
                forward_null=_smooth_null(nulls[0]),
                backward_null=_smooth_null(nulls[1]),
            )
            if hmm:
                p = p._replace(
                    forward_jumps=_smooth(new_jumps), backward_jumps=_smooth(other_jumps)
                )
    return p


def _smooth_null(counts: npt.NDArray[np.float64]) -> Floats:
    smoothed = counts + 0.01
    return np.asarray(smoothed / smoothed.sum(), np.float32)


def _smooth(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return relative frequencies, with a small probability for every jump."""
    smoothed = counts + 1e-4 * counts.sum() + 1e-6
    return np.asarray(smoothed / smoothed.sum())


def _check_lengths(source: Lines, target: Lines) -> None:
    if len(source) != len(target):
        raise InputError(
            f"{len(source)} source lines cannot be aligned with {len(target)} target lines.",
            hint="Both sides need one line per sentence pair.",
        )


def _count_cells(source: Corpus, target: Corpus) -> int:
    return int((np.diff(source.starts) * np.diff(target.starts)).sum())


def _number_words(lines: Lines) -> dict[str, int]:
    """Return the words and their numbers, in order of first appearance."""
    words = dict.fromkeys(word for line in lines for word in line)
    return {word: number for number, word in enumerate(words)}


def _encode(lines: Lines, ids: dict[str, int]) -> Corpus:
    """Return lines as numbers; -1 for an unknown word."""
    starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    words = (ids.get(word, -1) for line in lines for word in line)
    return Corpus(np.fromiter(words, np.int32, int(starts[-1])), starts)


def _number_looks(source: Iterable[str], target: Iterable[str]) -> tuple[Ints, Ints]:
    """Return two numbers per word: of the word, and of its first letters (-1: too short).

    Equal words of both sides have equal numbers.
    """
    wholes: dict[str, int] = {}
    starts: dict[str, int] = {}

    def number(words: list[str]) -> Ints:
        whole = [wholes.setdefault(word, len(wholes)) for word in words]
        start = [
            starts.setdefault(word[:_LETTERS], len(starts)) if len(word) >= _LETTERS else -1
            for word in words
        ]
        return np.array([whole, start], np.int32)

    return number(list(source)), number(list(target))


def _spelling_counts(
    source: Ints, target: Ints, sources: Ints, targets: Ints, weight: float
) -> Floats:
    """Return the weight of each pair of words with similar spelling, and 0 for others."""
    same, kin = source[:, sources] == target[:, targets]
    kin &= source[1, sources] >= 0
    return np.where(same | kin, weight, 0.0).astype(np.float32)
