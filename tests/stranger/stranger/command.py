"""Count the segments of a set."""

from argparse import ArgumentParser, Namespace

import albeit


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("path")


def run(args: Namespace) -> None:
    print(len(albeit.read(args.path)))
