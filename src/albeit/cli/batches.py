"""``albeit score --out RUN/``: a set read in batches, its statistics kept in parts."""

from __future__ import annotations

import logging
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from albeit.cli.parser import UsageError
from albeit.errors import InputError

if TYPE_CHECKING:
    from albeit.data.corpus import Corpus
    from albeit.metrics.base import Metric
    from albeit.metrics.table import ScoreTable

_NEEDS_ALL = {
    "annotations": "--annotations",
    "resegment": "--resegment",
    "confidence": "--confidence",
    "document_scores": "--document-scores",
    "scores": "--scores",
}
"""Options that need the whole set in memory."""
_NEEDS_OUT = {"only": "--only", "batch_size": "--batch-size"}
_NEEDS_TABLE = {"segment_scores": "--segment-scores", "fail_under": "--fail-under"}


def check_arguments(args: Namespace) -> None:
    """Raise where options do not go with reading in batches, or not without."""
    from albeit.cli.outputs import form_of
    from albeit.report.segments import ending_of

    if args.out is None:
        for name, option in _NEEDS_OUT.items():
            if getattr(args, name):
                raise UsageError(f"{option} goes with --out RUN/, where parts are kept.")
        for path in (args.segment_scores, args.document_scores):
            if path:
                form_of(path)
        return
    for name, option in _NEEDS_ALL.items():
        if getattr(args, name):
            raise UsageError(f"{option} needs the whole set at once; --out reads it in batches.")
    if args.level != "system":
        raise UsageError("with --out, scores of segments go to a file: --segment-scores FILE.")
    if args.segment_scores:
        ending_of(args.segment_scores)
    if args.only:
        parse_range(args.only)
        for name, option in _NEEDS_TABLE.items():
            if getattr(args, name):
                raise UsageError(
                    f"{option} needs all batches: use it in the last call, without --only."
                )
    _check_folder(args.out)


def _check_folder(out: str) -> None:
    """Raise where something else than a run is."""
    from albeit.data.files import Folder
    from albeit.evaluation.parts import RUN

    hint = "Name another folder after --out."
    try:
        names = Folder(out).names()
    except NotADirectoryError:
        raise InputError("is a file.", path=out, hint=hint) from None
    except OSError as error:
        raise InputError(f"cannot be reached: {error.strerror}.", path=out, hint=hint) from None
    if RUN not in names and not all(name.startswith(f".{RUN}") for name in names):
        raise InputError("is there already, and holds no run.", path=out, hint=hint)


def parse_range(text: str) -> range:
    """Parse ``--only``: ``3``, or ``1-8``; the range counts from 0.

    >>> parse_range("1-8")
    range(0, 8)
    """
    first, dash, last = text.partition("-")
    last = last if dash else first
    if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last)):
        raise UsageError(f"--only takes a batch, or a first and a last batch: 1-8, not {text!r}.")
    return range(int(first) - 1, int(last))


def scored_in_batches(
    args: Namespace, stream: Corpus, metrics: Sequence[Metric]
) -> ScoreTable | None:
    """Score a set in batches; with ``--only`` there is no table."""
    from albeit.evaluation import ProgressLine
    from albeit.evaluation.partitions import score_partitions

    with ProgressLine(quiet=args.quiet) as progress:
        table = score_partitions(
            stream,
            metrics,
            args.out,
            only=parse_range(args.only) if args.only else None,
            batch=args.batch_size,
            workers=args.workers,
            progress=progress,
            on_error=args.on_error,
            batch_timeout=args.batch_timeout,
            allow_mixed=args.allow_mixed,
            executor=args.engine,
        )
    if table is None:
        logging.getLogger("albeit").info(
            "--only %s is done; a last call without --only completes %s", args.only, args.out
        )
    elif args.segment_scores:
        _write_segments(args.out, args.segment_scores, stream)
    return table


def _write_segments(folder: str, path: str, stream: Corpus) -> None:
    """Write the scores of all segments with their texts."""
    from albeit.evaluation.parts import RunFolder
    from albeit.metrics.registry import metric
    from albeit.report.segments import ending_of, segment_rows, write_rows

    files = RunFolder(folder)
    run = files.run()
    metrics = [metric(name) for name in run.metrics]
    texts = (batch.evalset for batch in stream.partitions(run.batch))
    rows = segment_rows(
        zip(files.read_all(), texts, strict=True),
        run.systems,
        metrics,
        documents=run.has_documents,
        nested=ending_of(path) == ".jsonl",
    )
    write_rows(path, rows)
