"""Check the files that commands write before the work begins, and write them when it is done.

No output may be an input. An existing output must have been written by albeit for the same
option, unless ``--force`` is given.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from argparse import Action
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from albeit.cli.parser import Options, Parser, UsageError
from albeit.data.build import named_path
from albeit.data.files import STDIN, is_address
from albeit.data.textio import write_text
from albeit.errors import InputError

STDOUT = "-"

_BEGINNING = 4000
"""Number of bytes by which albeit's own files are recognized."""


def check_outputs(parser: Parser, args: Options) -> None:
    """Raise if an output cannot be written later, or would overwrite other data."""
    actions: list[Any] = [action for action in parser._actions if hasattr(action, "reads")]
    outputs = [(a, path) for a in actions if a.writes for path in _paths(a, args)]
    inputs = [path for a in actions if a.reads for path in _paths(a, args)]
    for number, (action, path) in enumerate(outputs):
        option = action.option_strings[-1]
        others = [other for _, other in outputs[:number]]
        if path == STDOUT and STDOUT in others:
            raise UsageError("two outputs go to standard output. Name a file.")
        if path == STDOUT:
            continue
        if any(_same(path, other) for other in inputs):
            raise UsageError(f"{option} {path} would overwrite an input. Name another file.")
        if any(_same(path, other) for other in others):
            raise UsageError(f"two outputs go to {path}. Name another file.")
        if is_address(path):
            what = f"is an address, and {option} writes files of this machine only."
            raise InputError(what, path=path)
        _check_writable(path, action.folder)
        if not vars(args)["force"] and not _is_own(Path(path), action.writes):
            what = "exists already, and albeit did not write it for this option."
            hint = f"Name another file after {option}, or add --force to write over it."
            raise InputError(what, path=path, hint=hint)


def _paths(action: Action, args: Options) -> Iterator[str]:
    """Yield the files that an option's values name, without names in front."""
    value = getattr(args, action.dest, None)
    for item in [value] if isinstance(value, str) else value or ():
        yield named_path(item)[1]


def _same(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except FileNotFoundError:
        return Path(one).absolute() == Path(other).absolute()
    except (OSError, ValueError):  # the reader of this file raises an error
        return False


def _check_writable(path: str, folder: bool) -> None:
    existing = Path(path)
    if existing.is_dir() and not folder:
        raise InputError("is a folder.", path=path, hint="Name a file.")
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    inside = str(existing) != path and not existing.is_dir()
    if inside or not os.access(existing, os.W_OK):
        raise InputError("cannot be written.", path=path, hint=f"See {existing}.")


def _is_own(path: Path, beginning: str) -> bool:
    """Return whether nothing is lost by writing: no file, an empty one, or an earlier result."""
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
    write_text(text, path or STDIN)
