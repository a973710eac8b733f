"""Test whether systems differ from a baseline: by default the first system.

  albeit compare ref.txt -i base.txt new.txt -m bleu ter
  albeit compare ref.txt -i a.txt b.txt c.txt --docs docids.txt --unit document --test bootstrap

The tests are paired: both systems are seen on the same segments. A star marks p < 0.05.
"""

from __future__ import annotations

import sys
from argparse import Namespace

from albeit.cli import options
from albeit.cli.parser import Parser

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit compare``."""
    options.add_inputs(parser)
    options.add_annotations(parser)
    options.add_metrics(parser)
    group = parser.add_argument_group("test")
    group.add_argument(
        "--baseline", metavar="NAME", help="the system the others are tested against"
    )
    group.add_argument(
        "--test", choices=("randomisation", "bootstrap"), default="randomisation",
        help="paired approximate randomisation (10,000 trials unless --resamples says otherwise)"
        " or paired bootstrap (1,000) (default: %(default)s)",
    )  # fmt: skip
    options.add_resampling(group)
    options.add_output(parser)
    options.add_common(parser)


def run(args: Namespace) -> None:
    """Read, score, test, print."""
    from albeit.cli.inputs import load_evalset, load_metrics, scored_with_confidence
    from albeit.errors import InputError
    from albeit.metrics.significance import compare
    from albeit.report import render
    from albeit.report.scores import comparison_table

    metrics = load_metrics(args)
    evalset = load_evalset(args)
    if len(evalset.systems) < 2:
        raise InputError("a comparison needs at least two systems.", hint="Give more with -i.")
    if args.baseline is not None:
        evalset.select([args.baseline])  # an unknown name is told before the work
    found = compare(
        scored_with_confidence(args, evalset, metrics), baseline=args.baseline, test=args.test,
        resamples=args.resamples, seed=args.seed, unit=args.unit,
    )  # fmt: skip
    sys.stdout.write(render(comparison_table(found, decimals=args.decimals), args.format))
