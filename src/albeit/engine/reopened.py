"""A kept run opened again, together with the texts that it was made from and does not keep."""

from __future__ import annotations

from pathlib import Path

from albeit.corpus.evalset import EvalSet
from albeit.corpus.streams import Stream
from albeit.engine.folder import stem
from albeit.engine.identity import part_digest
from albeit.engine.run import read_run
from albeit.errors import InputError
from albeit.metrics.table import ScoreTable

__all__ = ["reopened"]


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
