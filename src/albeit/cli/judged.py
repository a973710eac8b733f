"""Options and loading for commands that set metrics beside human judgments."""

from __future__ import annotations

import warnings
from argparse import Namespace
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError

if TYPE_CHECKING:
    from albeit.corpus.evalset import EvalSet
    from albeit.judged.task import Task
    from albeit.metrics.base import Metric

__all__ = ["add_judged", "load_tasks"]

FOUND = ("judgments.csv", "judgments.tsv", "pairwise.tsv", "human_seg*.tsv")
"""Files of a test set's folder that are taken for its judgments, in this order."""


def add_judged(parser: Parser) -> None:
    """What is scored, what people said of it, and the metrics and scores set beside that."""
    options.add_inputs(parser)
    options.add_annotations(parser)
    group = parser.add_argument_group("judgments")
    options.file_argument(
        group, "--judgments", nargs="+",
        help="what people said: WMT rankings (CSV), pairs (TSV: segment, better, worse), ratings"
        " (TSV: system, segment or line0, a score; or .seg.score); one file a test set. Without"
        f" it a test set's folder is searched for {', '.join(FOUND)}",
    )  # fmt: skip
    group.add_argument(
        "--human-column", metavar="NAME", help="score column of ratings (raw, z, mqm …)"
    )
    group.add_argument(
        "--penalties", action="store_true", help="ratings count errors: lower is better"
    )
    group.add_argument(
        "--margin", type=float, default=0.0, metavar="X",
        help="ratings that differ by no more than this are ties (default: %(default)s)",
    )  # fmt: skip
    options.file_argument(
        group, "--scores", nargs="+", metavar="[NAME=]FILE", default=[],
        help="scores of other tools: NAME.seg.score, NAME.sys.score, a table, a WMT submission",
    )  # fmt: skip
    group.add_argument(
        "--lower-is-better", nargs="+", metavar="NAME", default=[],
        help="metrics of --scores that count errors",
    )  # fmt: skip
    options.add_metrics(parser)


def load_tasks(args: Namespace, metrics: Sequence[Metric]) -> list[Task]:
    """Read the test sets, score them with the metrics, and put judgments beside the scores.

    Several folders are several test sets. Systems that nobody judged are not scored.
    """
    from albeit.cli.inputs import load_evalset

    folders = [Path(p) for p in args.references if Path(p).is_dir()]
    if len(folders) > 1 and len(folders) == len(args.references) and not args.input:
        each: list[tuple[EvalSet, Path | None]] = []
        for folder in folders:
            own = copy(args)
            own.references = [str(folder)]
            each.append((load_evalset(own), folder))
    else:
        each = [(load_evalset(args), folders[0] if folders else None)]
    files = args.judgments or [_find(folder) for _, folder in each]
    if len(files) != len(each):
        raise UsageError(
            f"{len(files)} files of judgments are given for {len(each)} test sets; give one each."
        )
    tasks = [
        _task(args, metrics, evalset, str(path))
        for (evalset, _), path in zip(each, files, strict=True)
    ]
    for place, task in enumerate(tasks):
        if any(task.name == other.name for other in tasks[:place]):
            raise UsageError(f"two test sets are called {task.name!r}; rename a folder.")
    return tasks


def _find(folder: Path | None) -> Path:
    if folder is None:
        raise UsageError("no judgments given. Give them with --judgments FILE.")
    for pattern in FOUND:
        found = sorted(folder.glob(pattern))
        if found:
            return found[0]
    raise UsageError(
        f"{folder} holds none of {', '.join(FOUND)}. Give its judgments with --judgments FILE."
    )


def _task(args: Namespace, metrics: Sequence[Metric], evalset: EvalSet, path: str) -> Task:
    from albeit.cli.inputs import scored
    from albeit.corpus.judgments import read_judgments
    from albeit.errors import AlbeitWarning
    from albeit.judged.task import Task
    from albeit.metrics.external import external_columns
    from albeit.metrics.table import ScoreTable

    judgments = read_judgments(path, column=args.human_column, penalties=args.penalties)
    judged = set(judgments.judged_systems())
    unjudged = [name for name in evalset.systems if name not in judged]
    if unjudged and len(unjudged) < len(evalset.systems):
        what = f"nobody judged {', '.join(unjudged)}; left out."
        warnings.warn(AlbeitWarning(what, path=path), stacklevel=2)
        evalset = evalset.select([name for name in evalset.systems if name in judged])
    table = scored(args, evalset, metrics) if metrics else ScoreTable.build(evalset, ())
    table = table.with_columns(
        external_columns(evalset, args.scores, lower_is_better=args.lower_is_better)
    )
    lengths = None
    if evalset.references:
        lengths = [len(line.split()) for line in next(iter(evalset.references.values()))]
    return Task(table, judgments, lengths, args.margin)
