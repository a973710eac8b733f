"""Files that commands write: checked before the work begins, written when it is done.

No output may be an input. What stands in an output's place already must be albeit's own, from
an earlier run, unless ``--force`` gives it up.
"""

from __future__ import annotations

import gzip
import os
import re
import warnings
import zlib
from argparse import Action, ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator
from math import isfinite
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from albeit.cli.parser import UsageError
from albeit.data.files import is_address
from albeit.errors import AlbeitWarning, InputError, MetricError

if TYPE_CHECKING:
    from albeit.data.levels import Level
    from albeit.metrics.table import ScoreTable
    from albeit.report.table import Table

STDOUT = "-"

_BEGINNING = 4000
"""Bytes by which a file is known to be albeit's own."""


def check_outputs(parser: ArgumentParser, args: Namespace) -> None:
    """Raise now if an output cannot be written later, or would destroy what is there."""
    actions = list(_actions(parser, args))
    outputs: list[tuple[Any, str]] = [
        (a, path) for a in actions if hasattr(a, "ours") for path in _paths(a, args)
    ]
    if not outputs:
        return
    inputs = [path for a in actions if _reads(a) for path in _paths(a, args)]
    for number, (action, path) in enumerate(outputs):
        option = action.option_strings[-1]
        if path == STDOUT:
            if any(other == STDOUT for _, other in outputs[:number]):
                raise UsageError("two outputs go to standard output. Name a file.")
            continue
        if any(_same(path, other) for other in inputs):
            raise UsageError(f"{option} {path} would overwrite an input. Name another file.")
        if any(_same(path, other) for _, other in outputs[:number]):
            raise UsageError(f"two outputs go to {path}. Name another file.")
        if is_address(path):
            what = f"is an address, and {option} writes files of this machine only."
            raise InputError(what, path=path)
        _check_writable(path, action.folder)
        if not args.force and not _is_ours(Path(path), action.ours):
            raise InputError(
                "is there already, and albeit did not write it for this.",
                path=path,
                hint=f"Name another file after {option}, or add --force to write over it.",
            )


def _actions(parser: ArgumentParser, args: Namespace) -> Iterator[Action]:
    """The options of a command, and of the action of it that was chosen."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            yield from _actions(action.choices[getattr(args, action.dest)], args)
        else:
            yield action


def _reads(action: Action) -> bool:
    """Whether an option's values may name files that are read: saved models are metrics too."""
    return not hasattr(action, "ours") and (
        hasattr(action, "complete") or action.dest in ("metric", "metrics")
    )


def _paths(action: Action, args: Namespace) -> Iterator[str]:
    """The files that an option's values name, without names in front."""
    value = getattr(args, action.dest, None)
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            from albeit.data.build import named_path

            yield named_path(item)[1]


def _same(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except FileNotFoundError:
        return Path(one).absolute() == Path(other).absolute()
    except (OSError, ValueError):  # what cannot be looked at, its reader refuses
        return False


def _check_writable(path: str, folder: bool) -> None:
    place = Path(path)
    if place.is_dir() and not folder:
        raise InputError("is a folder.", path=path, hint="Name a file.")
    while not place.exists() and place != place.parent:
        place = place.parent
    if (str(place) != path and not place.is_dir()) or not os.access(place, os.W_OK):
        raise InputError("cannot be written.", path=path, hint=f"See {place}.")


def _is_ours(path: Path, beginning: str) -> bool:
    """Whether nothing is lost by writing here: no file, an empty one, or an earlier result."""
    if path.is_dir():
        return not any(path.iterdir())
    if not path.is_file():  # none, or a device
        return True
    with path.open("rb") as file:
        data = file.read(_BEGINNING)
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.open(path) as packed:
                data = packed.read(_BEGINNING)
        except (OSError, EOFError, zlib.error):
            return False
    text = data.decode("utf-8", errors="replace")
    return not text or re.match(beginning, text) is not None


def write_output(text: str, path: str | None) -> None:
    """Print a command's result, or write it to the file that ``-o`` names."""
    from albeit.data.files import STDIN
    from albeit.data.textio import write_text

    write_text(text, path or STDIN)


def form_of(path: str) -> str:
    """How a file of scores is written, which the ending of its name says."""
    ending = PurePath(path.removesuffix(".gz")).suffix.lower()
    if ending in (".csv", ".jsonl") or path.endswith(".parquet"):
        return ending
    if ending in ("", ".tsv", ".txt", ".tab", ".scores"):
        return ".tsv"
    raise InputError(
        f"its ending {ending!r} says no form that scores can be written in.",
        path=path,
        hint="End it in .tsv, .csv, .jsonl or .parquet.",
    )


def write_scores(table: ScoreTable, level: Level, path: str | None) -> None:
    """All scores of one level, a row per system and segment or document.

    Metrics without that level are left out, and said to be.
    """
    from albeit.metrics.table import ScoreTable
    from albeit.report import render
    from albeit.report.scores import score_table
    from albeit.report.segments import write_rows

    if path is None:
        return
    columns = {n: c for n, c in table.columns.items() if getattr(c, level) is not None}
    left_out = [name for name in table.columns if name not in columns]
    if not columns:
        raise MetricError(f"{', '.join(left_out)}: no {level} scores to write to {path}.")
    if left_out:
        warnings.warn(
            AlbeitWarning(f"{', '.join(left_out)}: no {level} scores; not in the file.", path=path),
            stacklevel=1,
        )
    part = ScoreTable(
        table.systems,
        table.documents,
        columns,
        table.name,
        table.language_pair,
        table.has_documents,
    )
    shown = score_table(part, level)
    if form_of(path) == ".tsv":
        write_output(render(shown, "tsv"), path)
    else:
        write_rows(path, _rows(shown))


def _rows(table: Table) -> Iterator[dict[str, Any]]:
    """The values of each row by column; an undefined number is none."""
    names = [heading.name for heading in table.columns]
    for row in table.rows:
        values = (cell.value for cell in row.cells)
        defined = (None if isinstance(v, float) and not isfinite(v) else v for v in values)
        yield dict(zip(names, defined, strict=True))
