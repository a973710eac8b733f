"""Test whether systems differ from a baseline: by default the first system.

  albeit compare ref.txt -i base.txt new.txt -m bleu ter
  albeit compare ref.txt -i a.txt b.txt c.txt --docs docids.txt --unit document --test bootstrap

  albeit compare ref.txt -i a.txt b.txt c.txt -m chrf --all-pairs
  albeit compare ref.txt -i base.txt new.txt -m chrf --worst 20
  albeit compare ref.txt -i base.txt new.txt -m chrf --docs docids.txt --profile
  albeit compare ref.txt -i base.txt new.txt -m chrf ter --fail-if-worse chrf --margin 0.5

The tests are paired: both systems are seen on the same segments. A star marks a system that is
better, a dagger one that is worse (p < 0.05, corrected for the number of tests).
"""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.gate import add_fail_if_worse, check_names, status_if_worse
from albeit.cli.parser import Parser, UsageError

if TYPE_CHECKING:
    from albeit.data import EvalSet
    from albeit.report.table import Table


def configure(parser: Parser) -> None:
    """Add the options of ``albeit compare``."""
    options.add_scored(parser)
    group = parser.group("test")
    group.option("--baseline", metavar="NAME", help="the system the others are tested against")
    group.option(
        "--test",
        choices=("randomisation", "bootstrap"),
        default="randomisation",
        help="paired approximate randomisation (10,000 trials unless --resamples says otherwise)"
        " or paired bootstrap (1,000)",
    )
    group.flag(
        "--all-pairs",
        help="test every system against every other, and put those into one cluster that do not differ"
        " significantly",
    )
    group.flag(
        "--power",
        help="also say how many more segments or documents it would take to see each difference",
    )
    group.number(
        "--worst",
        help="also show the N segments and documents in which each system loses most to the baseline",
    )
    group.flag(
        "--profile",
        help="also show the likely faults of pronouns and terms that each system has"
        " and the baseline has not",
    )
    options.add_faults(group)
    options.add_resampling(group)
    add_fail_if_worse(parser.group("conditions"))
    options.add_output(parser)
    options.add_common(parser)


def run(args: Namespace) -> int:
    """Read, score, test, print; the status is 3 where ``--fail-if-worse`` says so."""
    from albeit.cli.scoring import load_asked, scored_with_confidence
    from albeit.errors import InputError
    from albeit.metrics.significance import check_resampling, compare, compare_all, units_needed
    from albeit.report import render
    from albeit.report.scores import comparison_table, losses_tables, pairs_tables

    gate = args.fail_if_worse is not None
    if args.all_pairs and (
        args.baseline is not None or args.power or args.worst or gate or args.profile
    ):
        raise UsageError(
            "--all-pairs has no baseline: leave out --baseline, --power, --worst, --profile and"
            " --fail-if-worse."
        )
    if args.faults and not args.profile:
        raise UsageError("--faults goes with --profile.")
    if args.margin is not None and not gate:
        raise UsageError("--margin goes with --fail-if-worse.")
    evalset, metrics = load_asked(args)
    if gate and not args.scores:
        check_names("--fail-if-worse", args.fail_if_worse, list(map(str, metrics)))
    if len(evalset.systems) < 2:
        raise InputError("a comparison needs at least two systems.", hint="Give more with -i.")
    if args.baseline is not None:
        evalset.select([args.baseline])  # an unknown name is refused before the work
    check_resampling(evalset, metrics, args.unit)
    table = scored_with_confidence(args, evalset, metrics)
    how = {"test": args.test, "resamples": args.resamples, "seed": args.seed, "unit": args.unit}
    if args.all_pairs:
        shown = pairs_tables(compare_all(table, **how), decimals=args.decimals)
        sys.stdout.write(render(shown, args.format))
        return 0
    found = compare(table, baseline=args.baseline, **how)
    needed = units_needed(found, unit=args.unit) if args.power else None
    shown = [comparison_table(found, decimals=args.decimals, needed=needed)]
    if args.worst:
        shown += losses_tables(found, evalset, args.worst, decimals=args.decimals)
    if args.profile:
        shown += _faults(args, evalset, found.baseline)
    sys.stdout.write(render(shown, args.format))
    return status_if_worse(found, args.fail_if_worse, args.margin) if gate else 0


def _faults(args: Namespace, evalset: EvalSet, baseline: str) -> list[Table]:
    """What ``--profile`` adds, and what ``--faults`` writes: faults that the baseline has not."""
    from albeit.diagnose.flags import flags, only_in, why_none
    from albeit.errors import MetricError
    from albeit.report.findings import error_tables, write_errors

    if (why := why_none(evalset)) is not None:
        raise MetricError(f"--profile: {why}.")
    found = flags(evalset)
    if args.faults:
        others = [name for name in evalset.systems if name != baseline]
        write_errors(args.faults, [f for name in others for f in only_in(found, name, baseline)])
    return error_tables(found, evalset, baseline, count=args.worst or 20)
