"""Test whether systems differ from a baseline: by default the first system.

  albeit compare ref.txt -i base.txt new.txt -m bleu ter
  albeit compare ref.txt -i a.txt b.txt c.txt --docs docids.txt --unit document --test bootstrap

  albeit compare ref.txt -i a.txt b.txt c.txt -m chrf --all-pairs

The tests are paired: both systems are seen on the same segments. A star marks a system that is
better, a dagger one that is worse (p < 0.05, corrected for the number of tests).
"""

from __future__ import annotations

import sys
from argparse import Namespace

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit compare``."""
    options.add_inputs(parser)
    options.add_annotations(parser)
    options.add_metrics(parser)
    options.add_scores(parser.add_argument_group("scores of other tools"))
    parser.set_defaults(metrics=None)
    group = parser.add_argument_group("test")
    group.add_argument(
        "--baseline", metavar="NAME", help="the system the others are tested against"
    )
    group.add_argument(
        "--test",
        choices=("randomisation", "bootstrap"),
        default="randomisation",
        help="paired approximate randomisation (10,000 trials unless --resamples says otherwise)"
        " or paired bootstrap (1,000) (default: %(default)s)",
    )
    group.add_argument(
        "--all-pairs",
        action="store_true",
        help="test every system against every other, and put those together that cannot be told"
        " apart",
    )
    group.add_argument(
        "--power",
        action="store_true",
        help="also say how many more segments or documents it would take to see each difference",
    )
    options.add_resampling(group)
    options.add_output(parser)
    options.add_common(parser)


def run(args: Namespace) -> None:
    """Read, score, test, print."""
    from albeit.cli.inputs import load_evalset, load_metrics, scored_with_confidence
    from albeit.errors import InputError
    from albeit.metrics.pairs import compare_all, units_needed
    from albeit.metrics.significance import check_resampling, compare
    from albeit.report import render
    from albeit.report.scores import comparison_table, pairs_tables

    if args.all_pairs and (args.baseline is not None or args.power):
        raise UsageError("--all-pairs has no baseline: leave out --baseline and --power.")
    metrics = load_metrics(args)
    evalset = load_evalset(args)
    if len(evalset.systems) < 2:
        raise InputError("a comparison needs at least two systems.", hint="Give more with -i.")
    if args.baseline is not None:
        evalset.select([args.baseline])  # an unknown name is told before the work
    check_resampling(evalset, metrics, args.unit)
    table = scored_with_confidence(args, evalset, metrics)
    how = {"test": args.test, "resamples": args.resamples, "seed": args.seed, "unit": args.unit}
    if args.all_pairs:
        shown = pairs_tables(compare_all(table, **how), decimals=args.decimals)
    else:
        found = compare(table, baseline=args.baseline, **how)
        needed = units_needed(found, unit=args.unit) if args.power else None
        shown = [comparison_table(found, decimals=args.decimals, needed=needed)]
    sys.stdout.write(render(shown, args.format))
