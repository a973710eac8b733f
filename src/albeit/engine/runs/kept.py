"""A run that is whole: written from a table, opened with all its rows, or with its texts too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.streams import Stream
from albeit.engine.identity import part_digest
from albeit.engine.runs import MANIFEST, Run, RunFolder, stem
from albeit.engine.runs.parts import Part, joined
from albeit.errors import InputError
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric as metric_of
from albeit.metrics.table import Column, ScoreTable

__all__ = ["Kept", "read_run", "reopened", "write_run"]


@dataclass(frozen=True)
class Kept:
    """A run that is whole, as its manifest says."""

    folder: RunFolder
    run: Run
    parts: dict[str, str]

    def table(self, metrics: Sequence[Metric] | None = None) -> ScoreTable:
        """The scores; ``metrics``, if known, save finding them by their names.

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
        known = metrics or [metric_of(name) for name in self.run.metrics]
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


def write_run(folder: str | Path, table: ScoreTable, told: Sequence[str] = ()) -> None:
    """Keep a table's statistics as a run of one part."""
    run, files = Run.of(table, told), RunFolder(folder)
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


def reopened(folder: str | Path, stream: Stream | None) -> tuple[ScoreTable, EvalSet | None]:
    """The scores of a run that is whole, and the set, where its texts are given.

    Other texts than those that were scored are an error: parts are named by a digest of theirs.
    """
    kept = read_run(folder)
    table = kept.table()
    if stream is None:
        return table, None
    found = [
        f"{batch.number:08}-{part_digest(kept.run.key, batch.evalset)}"
        for batch in stream.batches(kept.run.batch)
    ]
    if found != [stem(name) for name in kept.folder.names()]:
        raise InputError(
            "was made from other texts than those given.",
            path=folder,
            hint="Give all files that 'albeit score --out' was given, in the same languages.",
        )
    (whole,) = stream.batches(1 << 62)
    if len(whole.evalset) != len(table):
        raise InputError(
            f"holds {len(table):,} of {len(whole.evalset):,} segments: some were left out.",
            path=folder,
            hint="Show its scores without the texts.",
        )
    return table, whole.evalset
