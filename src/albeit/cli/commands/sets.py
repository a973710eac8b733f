"""List the test sets that can be named with -t, and which of them are on this machine.

albeit sets            those that are here: sacreBLEU's folder, trees of mt-metrics-eval
albeit sets --all      those that sacreBLEU can fetch, too
albeit score -t wmt23 -l en-de -i out.txt
albeit metaeval -t mtme:wmt23 -l en-de --level system
"""

from __future__ import annotations

import sys
from argparse import Namespace

from albeit.cli import options
from albeit.cli.parser import Parser

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit sets``."""
    parser.flag("--all", help="also those that sacreBLEU can fetch, with their pairs")
    options.add_format(parser)


def run(args: Namespace) -> None:
    """Print the list."""
    from albeit.corpus.sets import sets_here
    from albeit.report import render
    from albeit.report.table import Heading, Table

    found = [each for each in sets_here() if args.all or each.here]
    rows = [
        [each.name, each.origin, " ".join(each.here), each.folder]
        + ([" ".join(pair for pair in each.pairs if pair not in each.here)] if args.all else [])
        for each in found
    ]
    titles = ["Set", "From", "Here", "Folder", *(["To be fetched"] if args.all else [])]
    notes = [] if args.all else ["'albeit sets --all' adds what sacreBLEU can fetch."]
    table = Table.of([Heading(t, t.lower(), align="left") for t in titles], rows, notes=notes)
    sys.stdout.write(render(table, args.format))
