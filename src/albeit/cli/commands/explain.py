"""Show why segments or documents scored as they did: what matched, and what was lost where.

albeit explain ref.txt -i a.txt b.txt --segment 12
albeit explain ref.txt -i a.txt --segment 12 15 -m 'dr-lex(lambda=.1)' -f html > why.html
albeit explain ref.txt -i a.txt --docs docids.txt --document news-17 -m cohesion
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError

__all__ = ["configure", "run"]

FORMATS = ("text", "json", "html", "svg")
"""The names in ``albeit.report.views.VIEW_FORMATS`` (which a test compares), without importing it."""


def configure(parser: Parser) -> None:
    """Add the options of ``albeit explain``."""
    options.add_inputs(parser)
    options.add_annotations(parser)
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
    from albeit.engine import Evaluation, open_store
    from albeit.metrics.registry import metric
    from albeit.report.views import render_views

    if not args.segment and not args.document:
        raise UsageError("explain which? Try: --segment 1, or --document ID.")
    chosen = metric(args.metric)
    evalset = load_evalset(args)
    require_readers(args, [chosen])
    evaluation = Evaluation(evalset, read_given(args.annotations, evalset), store=open_store())
    views = evaluation.explain(chosen, segments=args.segment, documents=args.document)
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    sys.stdout.write(render_views(views, args.format, colour=colour))
