"""Put the parts of a run together: the scores of its systems, as one process gives them.

albeit merge RUN/
albeit merge RUN/ -f json
albeit merge RUN/ --segment-scores scores.jsonl
"""

from __future__ import annotations

import sys
from argparse import Namespace

from albeit.cli import options
from albeit.cli.parser import Parser

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit merge``."""
    parser.file("run", metavar="RUN", help="the folder that albeit score --out RUN/ wrote")
    group = options.add_output(parser)
    group.output(
        "--segment-scores",
        ours=options.SEGMENT_SCORES,
        help="also write all segment scores (.jsonl, .tsv, .csv, .parquet)",
    )
    options.add_allow_mixed(parser.group("running"))
    options.add_quiet(parser)
    options.add_config(parser)


def run(args: Namespace) -> None:
    """Add up, print."""
    from albeit.cli.batches import write_segments
    from albeit.engine.runs.kept import merge
    from albeit.report import render
    from albeit.report.scores import score_table
    from albeit.report.segments import ending_of

    if args.segment_scores:
        ending_of(args.segment_scores)
    table = merge(args.run, allow_mixed=args.allow_mixed)
    if args.segment_scores:
        write_segments(args.run, args.segment_scores)
    sys.stdout.write(render(score_table(table, decimals=args.decimals), args.format))
