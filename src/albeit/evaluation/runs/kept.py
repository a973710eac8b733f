"""A run that is whole: its parts put together, written from a table, opened with all its rows, or with
its texts too.

Where parts are merged, all rows are added up in document order, one part in memory at a time. The
sums do not depend on how the set was cut into parts (:mod:`albeit.stats.sums`), so the scores are
those of one process, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from albeit.arrays import FloatArray
from albeit.data.corpus import Corpus
from albeit.data.evalset import Document, EvalSet
from albeit.errors import InputError, MetricError
from albeit.evaluation.identity import part_digest, require_one
from albeit.evaluation.runs import MANIFEST, Run, RunFolder, stem
from albeit.evaluation.runs.parts import Part, joined
from albeit.evaluation.scoring import warn_of_skipped
from albeit.metrics.base import Metric
from albeit.metrics.grammar import parse
from albeit.metrics.registry import check_safe, is_saved
from albeit.metrics.registry import metric as metric_of
from albeit.metrics.table import Column, ScoreTable, standard_errors
from albeit.stats.sums import running_sums

__all__ = ["Kept", "merge", "read_run", "reopened", "write_run"]


@dataclass(frozen=True)
class Kept:
    """A run that is whole, as its manifest says."""

    folder: RunFolder
    run: Run
    parts: dict[str, str]

    def table(self, metrics: Sequence[Metric] | None = None, *, trust: bool = False) -> ScoreTable:
        """The scores; ``metrics``, if known, save finding them by their names.

        With ``trust``, saved models may have any features.

        All statistics are read into memory, so that scores can be resampled and compared.
        """
        found = {stem(name): name for name in self.folder.names()}
        read = []
        for name, digest in self.parts.items():
            if name not in found:
                raise InputError("a part is missing.", path=self.folder.parts.path(name))
            read.append(self.folder.read(found[name]))
            if read[-1].digest() != digest:
                path = self.folder.parts.path(found[name])
                raise InputError("is cut short, or of another run.", path=path)
        whole = joined(read)
        known = metrics or [metric_of(name, trust=trust) for name in self.run.metrics]
        try:
            columns = {
                name: Column.from_statistics(metric, rows, whole.documents, signature)
                for name, metric, rows, signature in zip(
                    self.run.metrics, known, whole.statistics, self.run.signatures, strict=True
                )
            }
        except ValueError as error:
            what = f"does not fit its statistics ({error})."
            raise InputError(what, path=self.folder.folder.path(MANIFEST)) from None
        return self.run.table(whole.documents, columns)


def write_run(folder: str | Path, table: ScoreTable, warned: Sequence[str] = ()) -> None:
    """Keep a table's statistics as a run of one part."""
    run, files = Run.of(table, warned), RunFolder(folder)
    rows = tuple(c.statistics for c in table.columns.values() if c.statistics is not None)
    documents = tuple(Document(d.id, d.start, d.stop) for d in table.documents)
    part = Part("", 0, 0, len(table), documents, rows, last=True)
    files.add_plain(part)
    files.finish(run, {f"{0:08}-{part.digest()}": part.digest()}, {})


def read_run(folder: str | Path) -> Kept:
    """Open a run; a folder that is none, or is not whole, is an error."""
    files = RunFolder(folder)
    content = files.content(MANIFEST)
    try:
        return Kept(files, Run.from_json(content), dict(content["parts"]))
    except (KeyError, TypeError, ValueError) as error:
        path = files.folder.path(MANIFEST)
        raise InputError(f"is a damaged manifest: {error!r}.", path=path) from None


def reopened(
    folder: str | Path, stream: Corpus | None, *, trust: bool = False
) -> tuple[ScoreTable, EvalSet | None]:
    """The scores of a run that is whole, and the set, where its texts are given.

    Other texts than those that were scored are an error: parts are named by a digest of theirs.
    With texts, metrics can work again: without ``trust``, only those on the allow-list may.
    """
    kept = read_run(folder)
    if stream is not None and not trust:
        _check_metrics(kept)
    table = kept.table(trust=trust)
    if stream is None:
        return table, None
    found = [
        f"{batch.number:08}-{part_digest(kept.run.key, batch.evalset)}"
        for batch in stream.partitions(kept.run.batch)
    ]
    if found != [stem(name) for name in kept.folder.names()]:
        raise InputError(
            "was made from other texts than those given.",
            path=folder,
            hint="Give all files that 'albeit score --out' was given, in the same languages.",
        )
    (whole,) = stream.partitions(1 << 62)
    if len(whole.evalset) != len(table):
        raise InputError(
            f"holds {len(table):,} of {len(whole.evalset):,} segments: some were left out.",
            path=folder,
            hint="Show its scores without the texts.",
        )
    return table, whole.evalset


def _check_metrics(kept: Kept) -> None:
    """Raise unless all metrics of a run are on the allow-list; saved models check their features."""
    for name in kept.run.metrics:
        if is_saved(parse(name).name):
            continue
        try:
            check_safe(name)
        except MetricError as error:
            raise InputError(
                f"has the metric {name}: {error}",
                path=kept.folder.folder.path(MANIFEST),
                hint="If you trust this run, add --trust, or show its scores without the texts.",
            ) from None


def merge(folder: str | Path, *, allow_mixed: bool = False) -> ScoreTable:
    """The scores of the systems from all parts of a run, which must be whole.

    Its manifest is written. The table has scores of systems only, whatever the length of the
    set; :func:`read_run` opens the run with all its rows.
    """
    files = RunFolder(folder)
    run = files.run()
    found = _Merging(run)
    for name in files.names():
        found.add(name, files.parts.path(name), files.read(name))
    found.check(str(files.parts))
    require_one(found.environments.items(), allow_mixed=allow_mixed)
    if found.left_out:
        warn_of_skipped(found.left_out)
    files.finish(run, found.parts, found.to_json())
    return found.table()


class _Merging:
    """What is known after some of the parts."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.parts: dict[str, str] = {}
        self.environments: dict[str, Any] = {}
        self.left_out: list[Document] = []
        self._metrics = [metric_of(name) for name in run.metrics]
        self._sums: list[FloatArray | None] = [None] * len(run.metrics)
        self._segments = self._documents = 0
        self._next = 0
        self._missing: list[int] = []
        self._last = False

    def add(self, name: str, path: str, part: Part) -> None:
        """The next part that is there."""
        if part.run != self.run.key:
            hint = "Move it away, or start in a folder of its own."
            raise InputError("belongs to another run.", path=path, hint=hint)
        if part.number < self._next:
            hint = "Did the texts change during the run? Start in a new folder."
            raise InputError(f"there are two parts {part.number}.", path=path, hint=hint)
        self._missing += range(self._next, part.number)
        self._next, self._last = part.number + 1, part.last
        self.parts[stem(name)] = part.digest()
        if part.environment is not None:
            unlike = part.environment not in self.environments.values()
            if unlike:
                self.environments[f"the maker of {name}"] = part.environment
        self.left_out += part.left_out
        self._segments += part.size - sum(map(len, part.left_out))
        self._documents += len(part.documents)
        for place, rows in enumerate(part.statistics):
            self._sums[place] = running_sums(rows, self._sums[place])

    def check(self, folder: str) -> None:
        """Raise unless all parts are there."""
        if self._last and not self._missing:
            if self._sums[0] is None:
                raise InputError("everything was left out of this run.", path=folder)
            return
        few = ", ".join(map(str, self._missing[:10])) + (" …" if len(self._missing) > 10 else "")
        missing = f"parts {few} are missing" if self._missing else "its last part is missing"
        hint = "Call 'albeit score --out' again without --only: it completes the run."
        what = f"the run is not whole: of its parts {len(self.parts)} are here, and {missing}."
        raise InputError(what, path=folder, hint=hint)

    def table(self) -> ScoreTable:
        """The scores of systems."""
        columns = {}
        gone = sum(map(len, self.left_out))
        for metric, sums, signature in zip(
            self._metrics, self._sums, self.run.signatures, strict=True
        ):
            assert sums is not None
            signed = signature.with_("left-out", str(gone)) if gone else signature
            columns[str(metric)] = Column(
                str(metric),
                signed,
                metric.higher_is_better,
                metric.score(sums),
                metric=metric,
                sums=sums,
                standard_errors=standard_errors(metric, {"system": sums}),
            )
        documents = _Counted(self._documents if self.run.has_documents else 1, self._segments)
        return self.run.table(documents, columns)

    def to_json(self) -> dict[str, Any]:
        """What the manifest says beyond the run and its parts."""
        return {
            "segments": self._segments,
            "documents": self._documents if self.run.has_documents else None,
            "left_out": [[d.id, d.start, d.stop] for d in self.left_out],
            "environments": [made.to_json() for made in self.environments.values()],
            "sums": [None if sums is None else sums.tolist() for sums in self._sums],
        }


class _Counted(Sequence[Document]):
    """The documents of a set that is too large to list them: how many, and where they end."""

    def __init__(self, count: int, segments: int) -> None:
        self._count, self._segments = count, segments

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Document: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Document]: ...
    def __getitem__(self, place: int | slice) -> Document | Sequence[Document]:
        if place in (-1, self._count - 1):
            return Document("", self._segments, self._segments)
        raise IndexError("documents of a merged run are not listed; read_run opens it with all")
