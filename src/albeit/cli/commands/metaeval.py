"""Which metric agrees best with people? Metrics are ranked by a correlation or a τ.

  albeit metaeval ref.txt -i a.txt b.txt c.txt --judgments judgments.csv -m bleu ter
  albeit metaeval wmt12/cs-en wmt12/de-en -m bleu chrf model.json --confidence --test input
  albeit metaeval set.xml --judgments mqm.seg.score --scores COMET.seg.score
                  --level system --statistic spa

Statistics: segment and document level: tau-wmt12, tau-wmt13, tau-wmt14, tau-b, accuracy,
accuracy-ties (ties calibrated), pearson, spearman, kendall; system level: pearson,
spearman, kendall, accuracy, spa.
"""

from __future__ import annotations

import sys
from argparse import Namespace

from albeit.cli import options
from albeit.cli.judged import add_judged
from albeit.cli.parser import Parser, UsageError

__all__ = ["configure", "run"]

_DEFAULT = {"segment": "tau-wmt12", "document": "pearson", "system": "spearman"}


def configure(parser: Parser) -> None:
    """Add the options of ``albeit metaeval``."""
    add_judged(parser)
    parser.set_defaults(metrics=None)
    group = parser.add_argument_group("agreement")
    group.add_argument(
        "--level", choices=tuple(_DEFAULT), default="segment", help="(default: %(default)s)"
    )
    group.add_argument(
        "--statistic",
        metavar="NAME",
        help="(default: tau-wmt12 for segments, pearson for documents, spearman for systems)",
    )
    group.add_argument(
        "--by",
        choices=("global", "item"),
        default="global",
        help="all pairs or scores together, or each segment or document by itself and then"
        " the mean (default: %(default)s)",
    )
    group.add_argument(
        "--uniform",
        nargs="+",
        metavar="[NAME=]A+B",
        default=[],
        help="also rank uniform combinations of these metrics (min-max over the data at hand)",
    )
    group.add_argument(
        "--confidence", action="store_true", help="95 %% intervals, resampling documents"
    )
    group.add_argument(
        "--test",
        choices=("input", "system", "both", "williams"),
        help="significance clusters by this test",
    )
    group.add_argument(
        "--resamples",
        type=options.whole_number(1),
        default=1000,
        metavar="N",
        help="how many resamples or exchanges (default: %(default)s)",
    )
    options.add_seed(group)
    options.add_output(parser)
    options.add_common(parser)


def run(args: Namespace) -> None:
    """Score, rank, print."""
    from dataclasses import replace

    from albeit.cli.inputs import load_metrics
    from albeit.cli.judged import load_tasks, test_sets
    from albeit.combine.uniform import uniform
    from albeit.metaeval import Measure, rank_metrics
    from albeit.metaeval.significance import check_test
    from albeit.report import render
    from albeit.report.agreement import ranking_table

    measure = Measure(args.level, args.statistic or _DEFAULT[args.level], args.by)
    if args.test is not None:
        check_test(measure, args.test, len(test_sets(args)))
    metrics = load_metrics(args)
    combinations = [_combination(spec) for spec in args.uniform]
    for _, parts in combinations:
        for part in parts if not args.scores else ():
            if part not in map(str, metrics):
                raise UsageError(f"--uniform: {part!r} is not among the metrics of -m.")
    tasks = load_tasks(args, metrics)
    for name, parts in combinations:
        tasks = [
            replace(t, table=t.table.with_columns([uniform(t.table, parts, name=name)]))
            for t in tasks
        ]
    found = rank_metrics(
        tasks,
        measure,
        confidence=args.confidence,
        test=args.test,
        samples=args.resamples,
        seed=args.seed,
    )
    signatures = {name: str(column.signature) for name, column in tasks[0].table.columns.items()}
    sys.stdout.write(render(ranking_table(found, signatures, decimals=args.decimals), args.format))


def _combination(spec: str) -> tuple[str, list[str]]:
    """``NAME=A+B`` to its name and the metrics combined; without a name it is what it says."""
    name, equals, inside = spec.partition("=")
    return name, (inside if equals else spec).split("+")
