"""Show why segments or documents scored as they did: what matched, and what was lost where.

albeit explain ref.txt -i a.txt b.txt --segment 12
albeit explain ref.txt -i a.txt --segment 12 15 -m 'dr-lex(lambda=.1)' -f html > why.html
albeit explain ref.txt -i a.txt --docs docids.txt --document news-17 -m cohesion
albeit explain ref.txt -i a.txt --segment 12 --scores COMET.seg.score
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError

if TYPE_CHECKING:
    from albeit.corpus.evalset import EvalSet
    from albeit.metrics.table import Column
    from albeit.metrics.view import View

__all__ = ["configure", "run"]

FORMATS = ("text", "json", "html", "svg")
"""The names in ``albeit.report.views.VIEW_FORMATS`` (which a test compares), without importing it."""


def configure(parser: Parser) -> None:
    """Add the options of ``albeit explain``."""
    options.add_inputs(parser)
    options.add_annotations(parser)
    options.add_scores(parser.add_argument_group("scores of other tools"))
    parser.add_argument(
        "-n",
        "--segment",
        type=options.whole_number(1),
        nargs="+",
        default=[],
        metavar="N",
        help="which segments (line numbers, from 1)",
    )
    parser.add_argument(
        "-d",
        "--document",
        nargs="+",
        default=[],
        metavar="ID",
        help="which documents: as a whole, or segment by segment, as the metric scores them",
    )
    parser.add_argument(
        "-m",
        "--metric",
        default="dr",
        metavar="METRIC",
        help="any metric that explains itself; 'albeit metrics' says which (default: %(default)s)",
    )
    parser.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        default="text",
        help="(default: %(default)s); SVG draws trees",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no warnings")


def run(args: Namespace) -> None:
    """Read, explain, print."""
    from albeit.annotate.given import read_given
    from albeit.cli.inputs import load_evalset, require_readers
    from albeit.corpus.levels import Unit
    from albeit.engine import Evaluation, open_store
    from albeit.metrics.external import external_columns
    from albeit.metrics.registry import metric
    from albeit.report.views import render_views

    if not args.segment and not args.document:
        raise UsageError("explain which? Try: --segment 1, or --document ID.")
    if args.scores and args.format == "svg":
        raise UsageError("--scores has no place in SVG, which draws trees; choose another format.")
    chosen = metric(args.metric)
    evalset = load_evalset(args)
    require_readers(args, [chosen])
    others = external_columns(evalset, args.scores, lower_is_better=args.lower_is_better)
    for column in others:
        column.at("segment" if chosen.unit is Unit.SEGMENT else "document")
    evaluation = Evaluation(evalset, read_given(args.annotations, evalset), store=open_store())
    views = evaluation.explain(chosen, segments=args.segment, documents=args.document)
    views = [_beside(view, evalset, others) for view in views]
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    sys.stdout.write(render_views(views, args.format, colour=colour))


def _beside(view: View, evalset: EvalSet, others: Sequence[Column]) -> View:
    """A view whose notes say what other tools gave to the same place."""
    from albeit.metrics.external import READ, scores_at

    found = scores_at(evalset, others, view.system, view.place)
    return replace(
        view,
        notes=(*view.notes, *(f"{name}: {score:.4f} ({READ})" for name, score in found.items())),
    )
