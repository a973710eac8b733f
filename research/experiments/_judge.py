"""What the judge's experiments share: judged sets of today's systems, and students that left one out.

A student is a folder that `training.judge.export` and `training.judge.calibrate` wrote; it is given as
`--student SET=FOLDER` and must not have seen that set. Its weights are not in the repository.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

from _common import shared_folder

from albeit.errors import AlbeitWarning
from albeit.judged import JudgedSet, read_judged

__all__ = ["SETS", "add_student", "expert_set", "students"]

SETS = {"wmt23": "discourse/wmt23-mqm/zh-en", "newstest21": "discourse/newstest21-mqm/zh-en"}


def add_student(parser: argparse.ArgumentParser) -> None:
    """The option that names students."""
    parser.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="SET=FOLDER",
        help="a judge that has not seen the set",
    )


def students(args: argparse.Namespace, sets: Iterable[str] = tuple(SETS)) -> dict[str, Path]:
    """The folder of each set's student."""
    if unclear := [each for each in args.student if "=" not in each]:
        sys.exit(f"--student: {unclear[0]} names no set or no folder: give SET=FOLDER")
    found = dict(each.split("=", 1) for each in args.student)
    if unknown := set(found) - set(sets):
        sys.exit(f"--student: {', '.join(unknown)} is none of {', '.join(sets)}")
    return {name: Path(folder) for name, folder in found.items()}


def expert_set(data: Path, name: str, sample: int = 1) -> JudgedSet:
    """A set judged by experts; with ``sample`` every n-th of its documents (by a hash of the name)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        judged = read_judged(shared_folder(data, SETS[name]))
    if sample == 1:
        return judged
    kept = [
        segment
        for document in judged.evalset.documents
        if int(hashlib.sha256(document.id.encode()).hexdigest(), 16) % sample == 0
        for segment in range(document.start, document.stop)
    ]
    return judged.take(kept)
