"""The embedded word aligner: train on sentence pairs, align, save and load.

It needs nothing beside the pairs themselves, and so little text as one test set is enough
to be of use. More bitext makes it better: train on both together.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from albeit.errors import InputError
from albeit.jit import jit
from albeit.parsing.alignment.em import Parameters, Schedule, posteriors, train
from albeit.parsing.alignment.kernels import FLOOR, grow_diag_final_and
from albeit.parsing.alignment.pairs import PairIndex, Vocabulary, encode, looks, weights

__all__ = ["Aligner", "Link", "Schedule"]

Link = tuple[int, int]
"""(source word, target word), both 0-based."""
Lines = Sequence[Sequence[str]]
_FORMAT = 1
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
"""What reading a zip of arrays raises where it is none, or not whole."""


@dataclass(frozen=True)
class Aligner:
    """A trained aligner: IBM 1 and HMM in both directions, joined by grow-diag-final-and."""

    source: Vocabulary
    target: Vocabulary
    index: PairIndex
    parameters: Parameters

    @classmethod
    def fit(cls, source: Lines, target: Lines, schedule: Schedule | None = None) -> Aligner:
        """Train on sentence pairs, each line a sequence of words."""
        _check(source, target)
        vocabularies = Vocabulary.of(source), Vocabulary.of(target)
        sizes = len(vocabularies[0]), len(vocabularies[1])
        if not all(sizes):
            raise InputError("the aligner has no words to train on: one side is empty.")
        first, second = encode(source, vocabularies[0]), encode(target, vocabularies[1])
        index, cells = PairIndex.build(first, second, sizes[1])
        how = schedule or Schedule()
        alike = weights(
            *looks(*(known.ids for known in vocabularies)), index.sources, index.targets, how.alike
        )
        parameters = train(index, cells, alike, first, second, sizes, how)
        return cls(*vocabularies, *_pruned(index, parameters))

    def align(self, source: Lines, target: Lines) -> list[list[Link]]:
        """The links of each pair, in order of the source words."""
        _check(source, target)
        first, second = encode(source, self.source), encode(target, self.target)
        alike = looks(
            (word for line in source for word in line), (word for line in target for word in line)
        )
        cells = self.index.cells(first, second, alike)
        p = self.parameters
        links, stops = _align_all(
            cells,
            first.words,
            first.starts,
            second.words,
            second.starts,
            p.forward,
            p.backward,
            p.forward_null,
            p.backward_null,
            p.forward_jumps,
            p.backward_jumps,
            p.p_null,
        )
        found: list[list[Link]] = []
        start = 0
        for stop in stops:
            found.append(sorted([(i, j) for i, j in links[start:stop].tolist()]))
            start = int(stop)
        return found

    @property
    def fingerprint(self) -> str:
        """A short hash of all parameters, for signatures."""
        digest = hashlib.sha256()
        for field in fields(Parameters):
            digest.update(np.asarray(getattr(self.parameters, field.name)).tobytes())
        digest.update("\n".join([*self.source.ids, *self.target.ids]).encode())
        return digest.hexdigest()[:8]

    def save(self, path: str | Path) -> None:
        """Write the model to one file (NumPy's zip format, no pickles)."""
        arrays = {f.name: getattr(self.parameters, f.name) for f in fields(Parameters)}
        with Path(path).open("wb") as file:
            np.savez_compressed(
                file,
                format=np.int64(_FORMAT),
                source=np.frombuffer("\n".join(self.source.ids).encode(), np.uint8),
                target=np.frombuffer("\n".join(self.target.ids).encode(), np.uint8),
                pair_sources=self.index.sources,
                pair_targets=self.index.targets,
                **arrays,
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
                source, target = (Vocabulary({w: k for k, w in enumerate(ws)}) for ws in words)
                index = PairIndex.of_parameters(
                    data["pair_sources"], data["pair_targets"], len(target)
                )
                values = {f.name: data[f.name] for f in fields(Parameters)}
                values["p_null"] = float(values["p_null"])
        except _DAMAGED as error:
            raise InputError(
                f"not a saved aligner ({error}).", path=path, hint="Save one with Aligner.save."
            ) from None
        return cls(source, target, index, Parameters(**values))


def _pruned(index: PairIndex, parameters: Parameters) -> tuple[PairIndex, Parameters]:
    """Without the word pairs of no account, which are nearly all: an aligner is small to send."""
    kept = np.flatnonzero((parameters.forward > FLOOR) | (parameters.backward > FLOOR))
    fewer = PairIndex.of_parameters(index.sources[kept], index.targets[kept], index.target_size)
    return fewer, replace(
        parameters, forward=parameters.forward[kept], backward=parameters.backward[kept]
    )


def _check(source: Lines, target: Lines) -> None:
    if len(source) != len(target):
        raise InputError(
            f"{len(source)} source lines cannot be aligned with {len(target)} target lines.",
            hint="Both sides need one line per sentence pair.",
        )


@jit
def _best(posterior, by_row):  # type: ignore[no-untyped-def]
    """For each row (or column) the likeliest cell, where it is likelier than no link."""
    height, width = posterior.shape
    said = np.zeros((height, width), np.bool_)
    for a in range(height if by_row else width):
        best, top, rest = 0, -1.0, 1.0
        for b in range(width if by_row else height):
            value = posterior[a, b] if by_row else posterior[b, a]
            rest -= value
            if value > top:
                best, top = b, value
        if top > rest:
            if by_row:
                said[a, best] = True
            else:
                said[best, a] = True
    return said


@jit
def _align_all(  # type: ignore[no-untyped-def]
    cells,
    s_flat,
    s_starts,
    t_flat,
    t_starts,
    forward,
    backward,
    forward_null,
    backward_null,
    forward_jumps,
    backward_jumps,
    p_null,
):
    lines = s_starts.size - 1
    links = np.empty((s_flat.size + 2 * t_flat.size + 16, 2), np.int32)
    stops = np.zeros(lines, np.int64)
    used = 0
    begin = 0
    for n in range(lines):
        s_words = s_flat[s_starts[n] : s_starts[n + 1]]
        t_words = t_flat[t_starts[n] : t_starts[n + 1]]
        width, height = s_words.size, t_words.size
        if width > 0 and height > 0:
            one, two = posteriors(
                cells[begin : begin + width * height],
                s_words,
                t_words,
                forward,
                backward,
                forward_null,
                backward_null,
                forward_jumps,
                backward_jumps,
                p_null,
            )
            joined = grow_diag_final_and(_best(one, True), _best(two, False))
            for j in range(height):
                for i in range(width):
                    if joined[j, i]:
                        links[used, 0] = i
                        links[used, 1] = j
                        used += 1
        begin += width * height
        stops[n] = used
    return links[:used], stops
