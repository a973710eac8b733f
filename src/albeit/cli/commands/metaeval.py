"""Which metric agrees best with people? Metrics are ranked by a correlation or a τ.

  albeit metaeval ref.txt -i a.txt b.txt c.txt --judgments judgments.csv -m bleu ter
  albeit metaeval wmt12/cs-en wmt12/de-en -m bleu chrf model.json --confidence --test input
  albeit metaeval set.xml --judgments mqm.seg.score --scores COMET.seg.score
                  --level system --statistic spa
  albeit metaeval mt-metrics-eval-v2/wmt23 --language-pair zh-en --judged-only
                  --level segment system      (its own judgments, and all its metrics' scores)

Without --statistic it is what is usual for the judgments: of rankings the tau of WMT12 and, for
systems, spearman; of ratings (MQM, DA, ESA) the tau of WMT14 over pairs that differ by a margin
and, for systems, pearson; for documents pearson.

Statistics: segment and document level: tau-wmt12, tau-wmt13, tau-wmt14, tau-b, accuracy,
accuracy-ties (ties calibrated), pearson, spearman, kendall; system level: pearson,
spearman, kendall, accuracy, spa.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.judged import add_judged
from albeit.cli.parser import Parser, UsageError

if TYPE_CHECKING:
    from albeit.metaeval import JudgedSet

LEVELS = ("segment", "document", "system")


def configure(parser: Parser) -> None:
    """Add the options of ``albeit metaeval``."""
    add_judged(parser)
    group = parser.group("agreement")
    group.several(
        "--level",
        choices=LEVELS,
        metavar=None,
        default=["segment"],
        help="one or several, side by side; metrics are ranked by the first (default: segment)",
    )
    group.several(
        "--statistic",
        metavar="NAME",
        default=None,
        help="one for each level (default: by the kind of judgments)",
    )
    group.option(
        "--by",
        choices=("global", "item"),
        default="global",
        help="all pairs or scores together, or each segment or document by itself and then"
        " the mean",
    )
    group.several(
        "--uniform",
        metavar="[NAME=]A+B",
        help="also rank uniform combinations of these metrics (min-max over the data at hand)",
    )
    group.flag("--confidence", help="95 %% intervals, resampling documents")
    group.option(
        "--test",
        choices=("input", "system", "both", "williams"),
        help="significance clusters by this test",
    )
    group.number(
        "--resamples",
        help="how many resamples or exchanges (default: 1000, more to test more than 25 metrics)",
    )
    options.add_seed(group)
    options.add_output(parser)
    options.add_common(parser)


def run(args: Namespace) -> None:
    """Score, rank, print."""
    from dataclasses import replace

    from albeit.cli.judged import load_tasks, score_files, test_sets
    from albeit.cli.scoring import load_metrics
    from albeit.combine.uniform import uniform
    from albeit.metaeval import Measure, rank_metrics, usual_measure
    from albeit.metaeval.significance import check_test
    from albeit.report import render
    from albeit.report.rankings import ranking_table

    levels = list(dict.fromkeys(args.level))
    if args.statistic and len(args.statistic) != len(levels):
        raise UsageError(f"--statistic: give one for each level ({', '.join(levels)}).")
    measures: list[Measure] = []

    def settle(sets: Sequence[JudgedSet]) -> None:
        """Which measures, by what the judgments are; a test that does not exist is refused."""
        for place, level in enumerate(levels):
            if args.statistic:
                measures.append(Measure(level, args.statistic[place], args.by))
            else:
                measures.append(usual_measure(level, [s.judgments for s in sets], args.by))
            if args.test is not None:
                check_test(measures[-1], args.test, len(sets))

    if args.metrics is None and any(score_files(args, refs) for refs in test_sets(args)):
        args.metrics = []
    metrics = load_metrics(args)
    combinations = [_combination(spec) for spec in args.uniform]
    for _, parts in combinations:
        for part in parts if not args.scores else ():
            if part not in map(str, metrics):
                raise UsageError(f"--uniform: {part!r} is not among the metrics of -m.")
    tasks = load_tasks(args, metrics, settle)
    for name, parts in combinations:
        tasks = [
            replace(t, table=t.table.with_columns([uniform(t.table, parts, name=name)]))
            for t in tasks
        ]
    found = [
        rank_metrics(
            tasks,
            measure,
            confidence=args.confidence,
            test=args.test,
            samples=args.resamples,
            seed=args.seed,
        )
        for measure in measures
    ]
    signatures = {name: str(column.signature) for name, column in tasks[0].table.columns.items()}
    sys.stdout.write(render(ranking_table(found, signatures, decimals=args.decimals), args.format))


def _combination(spec: str) -> tuple[str, list[str]]:
    """``NAME=A+B`` to its name and the metrics combined; without a name it is what it says."""
    name, equals, inside = spec.partition("=")
    return name, (inside if equals else spec).split("+")
