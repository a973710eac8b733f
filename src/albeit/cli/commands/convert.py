"""Write a test set in another format: any that is read, to any that is written.

albeit convert newstest.xml -o newstest            a folder of text files
albeit convert ref.txt -i a.txt b.txt --docs docids.txt -o set.jsonl
albeit convert newstest.sgm -o set.tsv --systems A B
albeit convert newstest.xml -o en.xml --origlang en

The ending of the output names its format: .jsonl, .tsv, .xml, .sgm; without one it is a folder.
"""

from __future__ import annotations

from argparse import Namespace

from albeit.cli import options
from albeit.cli.parser import Parser

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit convert``."""
    options.add_inputs(parser)
    group = parser.group("output")
    group.output(
        "-o",
        "--output",
        folder=True,
        required=True,
        help="where the set is written; its ending says how",
    )
    group.option(
        "--output-format", metavar="NAME", help="the format, where the ending does not say it"
    )
    options.add_quiet(parser)
    options.add_config(parser)


def run(args: Namespace) -> None:
    """Read, write."""
    from albeit.cli.inputs import load_evalset
    from albeit.corpus import write

    write(load_evalset(args), args.output, args.output_format)
