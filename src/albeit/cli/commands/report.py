"""Write a report: one HTML file with scores, tests, segments, documents and explanations.

albeit report ref.txt -i a.txt b.txt --docs docids.txt -m chrf dr-lex -o report.html
albeit report newstest.xml -m bleu chrf --explain all --title "Release 7"
albeit report wmt12/cs-en -m bleu meteor      (a folder with judgments: agreement too)
albeit report --results RUN/ ref.txt -i a.txt b.txt      (scored before)
albeit report --results scores.json           (what 'albeit score -f json' printed)

The file opens from disk, needs no network and can be mailed.
"""

from __future__ import annotations

import logging
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from albeit.cli import options
from albeit.cli.judged import add_judged
from albeit.cli.parser import Parser, UsageError

if TYPE_CHECKING:
    from albeit.data.evalset import EvalSet
    from albeit.evaluation import Evaluation
    from albeit.metaeval import JudgedSet
    from albeit.metrics.base import Metric
    from albeit.metrics.table import ScoreTable

EXTENTS = ("quick", "all", "none")
"""The names in ``albeit.report.profile.EXTENTS`` (which a test compares), without importing it."""

_SCORED = {
    "metrics": "-m",
    "scores": "--scores",
    "judgments": "--judgments",
    "resegment": "--resegment",
    "annotations": "--annotations",
}
"""Options that change what is scored, which results cannot follow."""


def configure(parser: Parser) -> None:
    """Add the options of ``albeit report``."""
    add_judged(parser)
    group = parser.group("report")
    group.output(
        "-o",
        "--output",
        default="report.html",
        ours=r'<!doctype html>(?s:.{0,80})<meta name="generator" content="albeit report ',
    )
    group.option("--title", default="", help="(default: the name of the set)")
    group.file(
        "--results",
        metavar="RUN|JSON",
        help="show these results of an earlier 'albeit score' (its folder --out, or what it"
        " printed as JSON) without scoring again; with the texts beside a folder, they are shown too,"
        " and --profile scores the profile",
    )
    group.option(
        "--explain",
        type=_how_many,
        default=200,
        metavar="N|all|none",
        help="how many segments are explained, those first on which systems differ most",
    )
    group.option(
        "--profile",
        choices=EXTENTS,
        default="none",
        help="also score the metrics of the discourse profile that the languages allow: 'quick'"
        " (pronouns, terms, cohesion, trees of sentences; coreference only for explained"
        " documents), 'all', 'none' (default: %(default)s)",
    )
    options.add_seed(group)
    options.add_common(parser)


def _how_many(text: str) -> int | None:
    if text in ("all", "none"):
        return None if text == "all" else 0
    if not text.isdecimal():
        raise ArgumentTypeError(f"must be a number, 'all' or 'none', not {text!r}")
    return int(text)


def run(args: Namespace) -> None:
    """Read, score, gather, write."""
    from albeit.data.textio import write_text

    page = _from_results(args) if args.results else _from_texts(args)
    write_text(page, args.output)
    size = Path(args.output).stat().st_size / 1e6
    logging.getLogger("albeit").info("wrote %s (%.1f MB)", args.output, size)


def _from_texts(args: Namespace) -> str:
    """Texts that are scored now, or were before: what the cache keeps is not computed again."""
    from albeit.cli.inputs import load_evalset
    from albeit.cli.judged import score_files
    from albeit.cli.scoring import (
        evaluation_of,
        load_metrics,
        or_recommended,
        require_readers,
        usable,
    )
    from albeit.metrics.external.scores import external_columns
    from albeit.report.profile import profile_metrics

    named = load_metrics(args)
    judged = _judged(args)
    files = args.scores if judged is None else score_files(args, args.references)
    if args.metrics is None and files:
        args.metrics = []
    evalset = load_evalset(args) if judged is None else judged.evalset
    evaluation = evaluation_of(args, evalset)
    profile = profile_metrics(evaluation, args.profile)
    metrics = or_recommended(args, named, evalset, beside=profile)
    if args.skip_unusable:
        metrics = usable(evaluation, metrics, profile)
    require_readers(args, [*metrics, *profile])
    lower = args.lower_is_better
    if judged is None:
        columns = external_columns(evalset, files, lower_is_better=lower)
    else:
        columns = judged.columns(files, lower_is_better=lower)
    return _made(args, evaluation, metrics, columns=columns, judged=judged, margin=args.margin)


def _from_results(args: Namespace) -> str:
    """Scores of an earlier run, with the texts where they are given."""
    from albeit.cli.scoring import evaluation_of
    from albeit.report.page import render_page
    from albeit.report.page.build import report_data

    table, evalset = _results(args)
    if evalset is None:
        data = report_data(None, table, title=args.title, seed=args.seed)
        return render_page(data | {"command": args.command_line})
    evaluation = evaluation_of(args, evalset)
    evaluation.adopt(table)
    return _made(args, evaluation, [c.metric for c in table.columns.values() if c.metric])


def _results(args: Namespace) -> tuple[ScoreTable, EvalSet | None]:
    """A kept run, with its texts if they are named; or what was printed as JSON."""
    from albeit.cli.inputs import load_stream
    from albeit.data.files import is_address
    from albeit.evaluation.partitions import reopen
    from albeit.report.formats import read_results

    for name, option in _SCORED.items():
        if getattr(args, name):
            raise UsageError(f"{option} does not go with --results: what was scored is settled.")
    texts = args.references or args.input
    if is_address(args.results) or Path(args.results).is_dir():
        stream = load_stream(args) if texts else None
        return reopen(args.results, stream, trust=args.trust)
    if texts:
        raise UsageError(
            "results in JSON have no scores of segments that texts could stand beside. Score again"
            " without --results: what the cache keeps is not computed again."
        )
    return read_results(args.results), None


def _made(args: Namespace, evaluation: Evaluation, metrics: Sequence[Metric], **more: Any) -> str:
    """The page, with progress on stderr."""
    from albeit.evaluation import ProgressLine
    from albeit.report.page.build import make_report

    with (
        ProgressLine(quiet=args.quiet) as scoring,
        ProgressLine("explanations", quiet=args.quiet) as explaining,
    ):
        return make_report(
            evaluation,
            metrics,
            title=args.title,
            command=args.command_line,
            profile=args.profile,
            explain=args.explain,
            scoring=scoring,
            explaining=explaining,
            seed=args.seed,
            **more,
        ).page()


def _judged(args: Namespace) -> JudgedSet | None:
    """The set with its judgments, where some are named or lie in its folder or tree.

    A user's own translations (``-i``), which nobody judged, are compared with a tree's systems.
    """
    from albeit.cli.judged import load_judged, own_tree
    from albeit.metaeval import FOUND

    files = args.judgments or []
    if len(files) > 1:
        raise UsageError("a report is of one test set: give one file of judgments.")
    folder = Path(args.references[0]) if args.references else None
    beside = folder is not None and any(any(folder.glob(pattern)) for pattern in FOUND)
    tree = None if args.input else own_tree(args, args.references)
    if not files and not beside and not (tree and tree.kinds):
        return None
    return load_judged(args, args.references, files[0] if files else None)
