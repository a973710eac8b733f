"""Metrics so simple that their scores can be worked out by hand; importable by workers."""

from __future__ import annotations

import errno
import os
import signal
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from albeit.data.evalset import Document, EvalSet, Unit
from albeit.errors import AlbeitWarning, InputError
from albeit.evaluation import Store
from albeit.metrics.base import (
    Batch,
    Composite,
    Context,
    FloatArray,
    MeanMetric,
    Metric,
    mean_score,
    mean_statistics,
)
from albeit.metrics.view import Compared, Link, Loss, Place, View, locate
from albeit.parsing.layers import layer
from albeit.parsing.needs import Need, Side, read


def make_set(segments: int = 60, *, documents: bool = True) -> EvalSet:
    """Return a set of numbered lines; one system is right in every second, one in every third."""
    reference = tuple(f"line {i}" for i in range(segments))
    half = tuple(line if i % 2 else "no" for i, line in enumerate(reference))
    third = tuple(line if i % 3 == 0 else "no" for i, line in enumerate(reference))
    cuts = [0, 7, 8, 25, 40, segments] if documents else []
    spans = tuple(Document(f"d{i}", *cut) for i, cut in enumerate(pairwise(cuts)))
    return EvalSet({"ref": reference}, {"half": half, "third": third}, documents=spans)


def stored_sizes(store: Store) -> list[int]:
    """Return the sizes of the files in a store."""
    return [path.stat().st_size for path in store.folder.glob("*")]


def again(folder: Path, times: int) -> bool:
    """Return whether this call is one of the first, which files in a folder count."""
    folder.mkdir(exist_ok=True)
    before = len(list(folder.iterdir()))
    if before < times:
        (folder / str(before)).touch()
    return before < times


def spy(patch: pytest.MonkeyPatch, cls: type, name: str, note: Callable[..., object]) -> None:
    """Call a function with the arguments of each call of a method."""
    method = getattr(cls, name)

    def noted(*args: Any) -> Any:
        note(*args)
        return method(*args)

    patch.setattr(cls, name, noted)


class Told:
    """A progress callback that keeps what it is told."""

    def __init__(self) -> None:
        self.note = ""
        self.all: list[tuple[int, int, str]] = []

    def __call__(self, done: int, total: int) -> None:
        self.all.append((done, total, self.note))


@dataclass(frozen=True)
class Exact(MeanMetric):
    """The share of segments that equal a reference."""

    name: ClassVar[str] = "exact"
    summary: ClassVar[str] = "share of segments equal to a reference"

    lowercase: bool = False
    weight: float = 1.0

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        fold = str.lower if self.lowercase else str
        lines = zip(batch.hypotheses, *batch.references, strict=True)
        found = [fold(line) in map(fold, references) for line, *references in lines]
        return mean_statistics([self.weight * each for each in found])


@dataclass(frozen=True)
class Opening(Exact):
    """The share of documents whose first segment is right: a document-level metric."""

    name: ClassVar[str] = "opening"
    summary: ClassVar[str] = "share of documents with a right first segment"
    unit: ClassVar[Unit] = Unit.DOCUMENT

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        return super().statistics(batch, context)[[d.start for d in batch.documents]]


@dataclass(frozen=True)
class Wrong(Exact):
    """Errors per segment: lower is better."""

    name: ClassVar[str] = "wrong"
    summary: ClassVar[str] = "share of segments unlike the reference"
    higher_is_better: ClassVar[bool] = False

    def score(self, sums: FloatArray) -> FloatArray:
        return 1 - mean_score(sums)


@dataclass(frozen=True)
class Failing(Exact):
    """Fails as a user's file would, in whatever process it runs."""

    name: ClassVar[str] = "failing"

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        raise InputError("no good.", path="lexicon.txt", line=7, hint="Mend it.")


@dataclass(frozen=True)
class Slow(Exact):
    """Leaves its process id in a folder, then works for ever, or as long as is said."""

    name: ClassVar[str] = "slow"
    safe_for_untrusted: ClassVar[bool] = True

    folder: str = "."
    seconds: float = 3600

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        (Path(self.folder) / f"{os.getpid()}.pid").touch()
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            time.sleep(min(1, self.seconds))
        return super().statistics(batch, context)


@dataclass(frozen=True)
class Hasty(Slow):
    """Is not itself declared to be safe."""

    name: ClassVar[str] = "hasty"


@dataclass(frozen=True)
class Musing(Exact):
    """Never explains."""

    name: ClassVar[str] = "musing"
    safe_for_untrusted: ClassVar[bool] = True

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        while True:
            time.sleep(1)


@dataclass(frozen=True)
class Sloppy(Exact):
    """Loses a row."""

    name: ClassVar[str] = "sloppy"

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        return super().statistics(batch, context)[1:]


@dataclass(frozen=True)
class Counting(Exact):
    """Counts, in the process that it runs in, how often it is prepared and works."""

    name: ClassVar[str] = "counting"
    calls: ClassVar[list[str]] = []

    def prepare(self, evalset: EvalSet) -> Context:
        self.calls.append("prepare")

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        self.calls.append("statistics")
        return super().statistics(batch, context)


@dataclass(frozen=True)
class Twice(Composite):
    """Twice another metric's score."""

    name: ClassVar[str] = "twice"
    summary: ClassVar[str] = "twice the score of counting"

    of: Metric = Counting()

    @property
    def parts(self) -> tuple[Metric, ...]:
        return (self.of,)

    def combine(self, rows: Sequence[FloatArray], batch: Batch) -> FloatArray:
        return rows[0] * [2.0, 1.0]

    def score(self, sums: FloatArray) -> FloatArray:
        return mean_score(sums)


@dataclass(frozen=True)
class Telling(Exact):
    """Has something to say of every set."""

    name: ClassVar[str] = "telling"

    def prepare(self, evalset: EvalSet) -> Context:
        warnings.warn(AlbeitWarning("mind the gap."), stacklevel=1)


@dataclass(frozen=True)
class Shown(Exact):
    """Exact, with an explanation: all it takes is one method."""

    name: ClassVar[str] = "shown"

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        lines = batch.hypotheses[0], batch.references[0][0]
        ours, theirs = (locate(line, line.split()) for line in lines)
        score = float(self.segment_score(row))
        both = [
            (ours.forms.index(w), theirs.forms.index(w)) for w in ours.forms if w in theirs.forms
        ]
        return View(
            str(self),
            score,
            1.0,
            (Compared(Side.HYPOTHESIS, lines[0], ours), Compared(Side.REFERENCE, lines[1], theirs)),
            tuple(Link(Place(0, (i,)), Place(1, (j,))) for i, j in both),
            (Loss("not the same", 1 - score),) if score < 1 else (),
        )


@dataclass(frozen=True)
class Reader(MeanMetric):
    """Reads one layer of one side."""

    name: ClassVar[str] = "reader"
    summary: ClassVar[str] = "reads one layer"

    of: str = "tokens"
    side: str = "hypothesis"

    @property
    def needs(self) -> frozenset[Need]:
        return read(layer(self.of), side=Side(self.side))

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        return np.ones((len(batch), 2))


@dataclass(frozen=True)
class Deadly(Exact):
    """Fails at one line, or at all if it is empty, as often as files in a folder can count."""

    name: ClassVar[str] = "deadly"

    line: str = "line 17"
    folder: str = ""
    times: int = 1_000_000
    how: str = "kill"
    """``kill`` ends the process, ``hang`` waits, ``full`` raises as if the disk were full."""

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        here = not self.line or self.line in batch.hypotheses
        if here and (not self.folder or again(Path(self.folder), self.times)):
            if self.how == "full":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if self.how == "hang":
                time.sleep(60)
            os.kill(os.getpid(), signal.SIGKILL)
        return super().statistics(batch, context)
