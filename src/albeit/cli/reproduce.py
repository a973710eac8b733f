"""Reproduce the tables of three papers."""

from __future__ import annotations

import sys
from itertools import chain, starmap
from pathlib import Path

from albeit.cli.outputs import print_tables
from albeit.cli.parser import UsageError
from albeit.cli.tool_options import ReproduceOptions
from albeit.reproduce import HEAD, PAPERS, Work, list_tables, make, page


def reproduce(args: ReproduceOptions) -> None:
    """Run ``albeit reproduce``."""
    if args.list:
        print_tables(args, list_tables())
        return
    if args.paper is None or args.data is None:
        raise UsageError("name a paper and its data: albeit reproduce PAPER --data DIR, or --list.")
    if not Path(args.data).is_dir():
        raise UsageError(f"--data: there is no folder {args.data!r}.")
    if args.paper == "all" and (args.table or args.pairs):
        raise UsageError("--table and --pairs choose from one paper. Name it in place of all.")
    papers = PAPERS if args.paper == "all" else (args.paper,)
    work = Work(Path(args.data), workers=args.workers, quiet=args.quiet)
    made = {paper: make(paper, work, args.table, args.pairs) for paper in papers}
    if args.format == "markdown":
        sys.stdout.write(HEAD * (args.paper == "all") + "\n".join(starmap(page, made.items())))
    else:
        print_tables(args, [*chain.from_iterable(made.values())])
