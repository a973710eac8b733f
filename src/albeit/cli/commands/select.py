"""Choose the segments that people should judge: those that separate systems best.

albeit select ref.txt -i a.txt b.txt c.txt --budget 100 -m judge chrf -f tsv > plan.tsv
albeit select -t wmt23 -l en-de --budget 200 --documents -m chrf

Judge every system's translation of each segment listed. The plain mean over them ranks systems; the
mean weighted by 'weight' estimates what judging the whole set would have given.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.parser import Parser

if TYPE_CHECKING:
    from albeit.metrics.table import ScoreTable

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit select``."""
    options.add_scored(parser)
    group = parser.group("choice")
    group.number(
        "--budget",
        help="how many segments people can judge, each in the translations of all systems",
        required=True,
    )
    group.flag("--documents", help="choose whole documents")
    options.add_seed(group)
    options.add_output(parser)
    options.add_common(parser)


def run(args: Namespace) -> None:
    """Score, choose, print."""
    from albeit.cli.scoring import load_asked, load_external, scored
    from albeit.report import render
    from albeit.report.table import Heading, Table
    from albeit.sampling import select

    evalset, metrics = load_asked(args)
    table = scored(args, evalset, metrics, load_external(args, evalset))
    found = select(evalset, table, args.budget, documents=args.documents, seed=args.seed)
    rows = [
        [each.segment + 1, each.document, each.weight, "chance" if each.drawn else "use"]
        for each in found.chosen
    ]
    drawn = sum(each.drawn for each in found.chosen)
    notes = [
        f"{len(found.chosen)} of {found.segments} segments: {len(found.chosen) - drawn} that separate"
        f" systems, {drawn} drawn at random, which stand for all others.",
        "The plain mean of people's scores ranks systems; the mean weighted by 'weight' is"
        " unbiased for the whole set.",
        *_power(table),
    ]
    headings = [
        Heading("Segment", "segment"),
        Heading("Document", "document", align="left"),
        Heading("Weight", "weight"),
        Heading("Chosen by", "by", align="left"),
    ]
    sys.stdout.write(render(Table.of(headings, rows, notes=notes), args.format))


def _power(table: ScoreTable) -> list[str]:
    """What ``compare --power`` says of every metric: the segments that a difference takes."""
    import numpy as np

    from albeit.metrics.pairs import units_needed
    from albeit.metrics.significance import compare

    baseline = table.systems[0]
    names = [name for name, c in table.columns.items() if c.statistics is not None]
    if not names or len(table.systems) < 2:
        return []
    found = units_needed(compare(table, baseline=baseline, resamples=100))
    notes = []
    for name in names:
        needed = found[name][1:]
        finite = needed[np.isfinite(needed)]
        if len(finite):
            notes.append(
                f"By {name}, to separate another system from {baseline} takes {finite.min():.0f} to"
                f" {finite.max():.0f} segments (albeit compare --power)."
            )
    return notes
