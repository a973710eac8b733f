"""Cut translations of whole documents to the reference's segments, and show how.

albeit resegment ref.txt -i system.txt                 one running text against a reference
albeit resegment ref.txt --docs ids.txt -i system/     a folder with one file per document
albeit resegment wmt26.jsonl -o cut/                   one object per document; writes a test set
albeit resegment ref.txt -i system.txt --save cuts.tsv -f html > cuts.html

Every command that scores takes --resegment and does the same on the way.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.parser import Parser

if TYPE_CHECKING:
    pass


def configure(parser: Parser) -> None:
    """Add the options of ``albeit resegment``."""
    options.add_inputs(parser, resegment="edits")
    group = parser.group("output")
    group.output(
        "-o",
        "--output",
        folder=True,
        help="write the cut set: a folder, or .jsonl, .tsv, .xml, .sgm by its ending",
    )
    group.output(
        "--save",
        ours=r"system\tdocument\tsegment\tstart\t",
        help="write the cuts as a table of offsets (TSV)",
    )
    options.add_format(group, ("text", "html", "json"))
    options.add_quiet(parser, "no progress, no warnings")
    options.add_config(parser)


def run(args: Namespace) -> None:
    """Read, cut, write, print."""
    from albeit.cli.inputs import load_cuts
    from albeit.data import write
    from albeit.report.segments import RENDERERS
    from albeit.resegment import write_offsets

    made = load_cuts(args)
    if args.save:
        write_offsets(made, args.save)
    if args.output:
        write(made.evalset, args.output)
    sys.stdout.write(RENDERERS[args.format](made))
