"""Tune a combination of metrics on human preferences and save it as a model.

  albeit tune wmt12/cs-en wmt12/de-en -m bleu ter meteor dr-lex -o model.json
  albeit tune ref.txt -i a.txt b.txt --docs ids.txt --judgments pairs.tsv -m bleu ter -o m.json
  albeit score ref.txt -i a.txt -m model.json

Cross-validation over whole documents says what the model is worth on text it has not
seen; the model itself is then tuned on everything.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.judged import add_judged
from albeit.cli.parser import Parser

if TYPE_CHECKING:
    from albeit.metaeval import Ranking


def configure(parser: Parser) -> None:
    """Add the options of ``albeit tune``."""
    add_judged(parser)
    group = parser.group("tuning")
    group.output(
        "-o", "--output", ours=r'\{\s*"format": "albeit', help="where the model is written (JSON)"
    )
    group.option("--name", default="model", help="the model's name in signatures")
    group.option(
        "--l2", type=float, metavar="X", help="strength of L2 (default: by inner cross-validation)"
    )
    group.number(
        "--folds", help="folds of whole documents in cross-validation", least=2, default=10
    )
    options.add_seed(group, "how documents are shuffled into folds")
    options.add_output(parser)
    options.add_common(parser)


def run(args: Namespace) -> None:
    """Score, cross-validate, tune, save, print."""
    from dataclasses import replace

    from albeit.cli.judged import load_tasks
    from albeit.cli.scoring import load_metrics
    from albeit.combine import INNER_FOLDS, check_folds, cross_validate, tune, uniform
    from albeit.metaeval import rank_metrics
    from albeit.metrics.grammar import Signature
    from albeit.metrics.table import Column
    from albeit.report import render
    from albeit.report.rankings import model_table, ranking_table

    most = max(args.folds, INNER_FOLDS) if args.l2 is None else args.folds
    tasks = load_tasks(
        args, load_metrics(args), lambda sets: check_folds([s.evalset for s in sets], most)
    )
    names = list(tasks[0].table.metrics)
    held_out = cross_validate(tasks, names, folds=args.folds, l2=args.l2, seed=args.seed)
    with_rows = []
    for task, scores in zip(tasks, held_out, strict=True):
        held = Signature("logistic", version="")
        own = Column("tuned (held out)", held, True, scores.mean(axis=1), None, scores)
        extra = [own]
        if len(names) > 1:
            extra.append(uniform(task.table, names, name="uniform"))
        with_rows.append(replace(task, table=task.table.with_columns(extra)))
    found = rank_metrics(with_rows)
    model = tune(
        tasks,
        names,
        name=args.name,
        l2=args.l2,
        seed=args.seed,
        training={"cross_validation": _facts(found, args.folds)},
    )
    if args.output:
        model.save(args.output)
    tables = [
        ranking_table(found, decimals=args.decimals),
        model_table(model, notes=[f"saved to {args.output}"] if args.output else []),
    ]
    sys.stdout.write(render(tables, args.format))


def _facts(found: Ranking, folds: int) -> dict[str, object]:
    """What the model's file says of its cross-validation."""
    row = next(r for r in found.metrics if r.metric == "tuned (held out)")
    by_task = dict(zip(found.tasks, row.values, strict=True))
    return {"folds": folds, "statistic": str(found.measure), "mean": row.mean, "sets": by_task}
