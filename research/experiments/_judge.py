"""Judges that left a set out, named on the command line.

A student is a folder that `training.judge.export` and `training.judge.calibrate` wrote; it is given as
`--student SET=FOLDER` and must not have seen that set. Its weights are not in the repository.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["add_student", "students"]


def add_student(parser: argparse.ArgumentParser) -> None:
    """The option that names students."""
    parser.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="SET=FOLDER",
        help="a judge that has not seen the set",
    )


def students(args: argparse.Namespace, sets: Iterable[str]) -> dict[str, Path]:
    """The folder of each set's student."""
    if unclear := [each for each in args.student if "=" not in each]:
        sys.exit(f"--student: {unclear[0]} names no set or no folder: give SET=FOLDER")
    found = dict(each.split("=", 1) for each in args.student)
    if unknown := set(found) - set(sets):
        sys.exit(f"--student: {', '.join(unknown)} is none of {', '.join(sets)}")
    return {name: Path(folder) for name, folder in found.items()}
