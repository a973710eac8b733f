"""Write a report: one HTML file with scores, tests, segments, documents and explanations."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from albeit.cli import inputs
from albeit.cli.parser import UsageError
from albeit.cli.scoring_options import ReportOptions
from albeit.data.files import is_address
from albeit.data.plausible import warn_of_empty_lines
from albeit.data.textio import write_text
from albeit.evaluation import Evaluation, ProgressLine
from albeit.evaluation.partitions import reopen
from albeit.metrics import EvalSet, Metric
from albeit.metrics.table import ScoreTable
from albeit.report.formats import read_results
from albeit.report.page import render_page
from albeit.report.page.build import make_report, report_data
from albeit.report.profile import profile_metrics

if TYPE_CHECKING:
    from albeit.metaeval import JudgedSet

_SCORED = ("metrics", "scores", "judgments", "resegment", "annotations")
"""Options that change what is scored, which cannot be combined with results."""


def report(args: ReportOptions) -> None:
    """Run ``albeit report``."""
    page = _show_results(args) if args.results else _score_texts(args)
    write_text(page, args.output)
    size = Path(args.output).stat().st_size / 1e6
    logging.getLogger("albeit").info("wrote %s (%.1f MB)", args.output, size)


def _score_texts(args: ReportOptions) -> str:
    """Score texts, and build the page."""
    named = inputs.load_metrics(args)
    judged, files = _load_judged(args)
    if args.metrics is None and files:
        args.metrics = []
    evalset = judged.evalset if judged else inputs.load_evalset(args)
    if args.baseline is not None:
        evalset.select([args.baseline])  # raises for an unknown name, before scoring
    evaluation = inputs.open_evaluation(args, evalset)
    profile = profile_metrics(evaluation, args.profile)
    metrics = inputs.or_recommended(args, named, evalset, profile)
    metrics = inputs.usable(args, evaluation, metrics, profile)
    inputs.check_annotations(args, [*metrics, *profile])
    how = {"lower_is_better": args.lower_is_better}
    columns = judged.columns(files, **how) if judged else inputs.load_external(args, evalset)
    more = {"columns": columns, "judged": judged, "margin": args.margin}
    return _build_page(args, evaluation, metrics, **more)


def _show_results(args: ReportOptions) -> str:
    """Build the page from the scores of an earlier run, with texts if they are given."""
    table, evalset = _read_results(args)
    if evalset is None:
        data = report_data(None, table, **args.pick("title", "baseline", "seed"))
        data["command"] = args.command_line
        return render_page(data, warnings=args.warnings)
    warn_of_empty_lines(evalset)
    evaluation = inputs.open_evaluation(args, evalset)
    evaluation.adopt(table)
    return _build_page(args, evaluation, [c.metric for c in table.columns.values() if c.metric])


def _read_results(args: ReportOptions) -> tuple[ScoreTable, EvalSet | None]:
    """Read a run, with its texts if they are named, or JSON output."""
    for name in _SCORED:
        if getattr(args, name):
            raise UsageError(f"--{name} can't change --results, which are already scored.")
    path = args.results or ""
    texts = args.references or args.input
    if is_address(path) or Path(path).is_dir():
        return reopen(path, inputs.load_stream(args) if texts else None, trust=args.trust)
    if texts:
        what = "results in JSON have no scores of segments to show with texts."
        raise UsageError(f"{what} Omit --results: cached statistics are used again.")
    return read_results(path), None


def _build_page(
    args: ReportOptions, evaluation: Evaluation, metrics: Sequence[Metric], **more: Any
) -> str:
    """Build the page, with progress on stderr."""
    more |= args.pick("title", "baseline", "profile", "explain", "seed")
    more["command"] = args.command_line
    with (
        ProgressLine(quiet=args.quiet) as scoring,
        ProgressLine("explanations", quiet=args.quiet) as explaining,
    ):
        report = make_report(evaluation, metrics, scoring=scoring, explaining=explaining, **more)
        return report.page(warnings=args.warnings)


def _load_judged(args: ReportOptions) -> tuple[JudgedSet | None, Sequence[str]]:
    """Read the set with its judgments, if they are given or are in its folder or tree.

    Also return the files of scores. A user's own translations (``-i``) have no judgments; they
    are compared with a tree's systems.
    """
    if len(args.judgments) > 1:
        raise UsageError("a report is of one test set: give one file of judgments.")
    first = args.references[0] if args.references else ""
    if not args.judgments and (not first or Path(first).is_file()):
        return None, args.scores
    from albeit.cli import metaeval

    if not args.judgments:
        tree = None if args.input else metaeval.open_tree(args, args.references)
        if not metaeval.has_judgments(first) and not (tree and tree.kinds):
            return None, args.scores
    judged = metaeval.load_judged(args, args.references, *args.judgments)
    return judged, metaeval.score_files(args, args.references)
