"""Show why segments or documents scored as they did: what matched, and what was lost where.

albeit explain ref.txt -i a.txt b.txt --segment 12
albeit explain ref.txt -i a.txt --segment 12 15 -m 'dr-lex(lambda=.1)' chrf -f html > why.html
albeit explain ref.txt -i a.txt --docs docids.txt --document news-17 -m cohesion
albeit explain ref.txt -i a.txt --segment 12 --scores COMET.seg.score
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError, whole_number

if TYPE_CHECKING:
    from albeit.data.evalset import EvalSet
    from albeit.metrics.base import Metric
    from albeit.metrics.table import Column
    from albeit.metrics.view import View

FORMATS = ("text", "json", "html")
"""The names in ``albeit.report.views.VIEW_FORMATS`` (which a test compares), without importing it."""


def configure(parser: Parser) -> None:
    """Add the options of ``albeit explain``."""
    options.add_inputs(parser)
    options.add_annotations(parser)
    options.add_metrics(parser, "dr; 'albeit metrics' says which explain themselves", "--metric")
    options.add_scores(parser.group("scores of other tools"))
    parser.several(
        "-n",
        "--segment",
        type=whole_number(1),
        metavar="N",
        help="which segments (line numbers, from 1)",
    )
    parser.several(
        "-d",
        "--document",
        metavar="ID",
        help="which documents: as a whole, or segment by segment, as the metric scores them",
    )
    options.add_format(parser, FORMATS, "(default: %(default)s)")
    options.add_common(parser)


def run(args: Namespace) -> None:
    """Read, explain, print."""
    from albeit.cli.inputs import load_evalset
    from albeit.cli.scoring import (
        evaluation_of,
        load_external,
        load_metrics,
        require_readers,
        usable,
    )
    from albeit.data.levels import Unit
    from albeit.report.views import render_views

    if not args.segment and not args.document:
        raise UsageError("explain which? Try: --segment 1, or --document ID.")
    args.metrics = args.metrics or ["dr"]
    metrics: Sequence[Metric] = load_metrics(args)
    evalset = load_evalset(args)
    require_readers(args, metrics)
    others = load_external(args, evalset)
    for metric, column in product(metrics, others):
        column.at("segment" if metric.unit is Unit.SEGMENT else "document")
    evaluation = evaluation_of(args, evalset)
    if args.skip_unusable:
        metrics = usable(evaluation, metrics)
    for metric in metrics:
        evaluation.passages(metric, args.segment, args.document)
    evaluation.check(metrics)  # what cannot be explained is refused before anything is
    views = [
        _beside(view, evalset, others)
        for metric in metrics
        for view in evaluation.explain(metric, segments=args.segment, documents=args.document)
    ]
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    sys.stdout.write(render_views(_by_place(views), args.format, colour=colour))


def _by_place(views: Sequence[View]) -> list[View]:
    """What all metrics say of one text of one system, together."""
    places: dict[tuple[int | str, str], list[View]] = {}
    for view in views:
        places.setdefault((view.place, view.system), []).append(view)
    return [view for each in places.values() for view in each]


def _beside(view: View, evalset: EvalSet, others: Sequence[Column]) -> View:
    """A view whose notes say what other tools gave to the same place."""
    from albeit.metrics.external.scores import READ, scores_at

    found = scores_at(evalset, others, view.system, view.place)
    return replace(
        view,
        notes=(*view.notes, *(f"{name}: {score:.4f} ({READ})" for name, score in found.items())),
    )
