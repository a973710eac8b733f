"""Where results and messages go: stdout and stderr as they are, and files of options.

Standard output can have any encoding, be closed, or be a pipe without a reader. On stderr, each
warning and note is one line. Files are checked before the work begins: no output may be an input,
and an existing output must have been written by albeit for the same option, unless ``--force`` is
given.
"""

from __future__ import annotations

import codecs
import json
import logging
import os
import re
import sys
from argparse import Action
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from albeit.cli.parser import Options, Parser, UsageError
from albeit.errors import AlbeitWarning, InputError

if TYPE_CHECKING:
    from albeit.report import Table

STDOUT = "-"
_ASCII = (
    dict(zip("↑↓–—−×†·⚠│║─═━", "^v---x!.!||---", strict=True))
    | dict(zip("‘’“”", "''\"\"", strict=True))
    | {"→": "->", "≠": "!=", "≥": ">=", "≤": "<=", "…": "...", "τ": "tau", "λ": "lambda"}
)
"""What tables and trees are drawn with, for terminals that cannot show it."""


def prepare_streams() -> bool:
    """Make the streams fit for every character; false if there is no standard output.

    Where stdout cannot encode a character, arrows and boxes become ASCII and other characters
    ``\\uXXXX``, which JSON reads back. Without a standard error, messages are discarded.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:
        return False
    codecs.register_error("albeit", _replace)
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None and sys.stdout.errors == "strict":
        reconfigure(errors="albeit")
    return True


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(character: str) -> str:
    corner = "\u2500" <= character <= "\u257f"  # corners and crossings of lines
    return _ASCII.get(character) or ("+" if corner else json.dumps(character)[1:-1])


def discard_output() -> None:
    """Let nothing more be written to stdout, or Python would fail again when it closes it."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # no file behind it, as in a program that calls us
        return


@contextmanager
def messages_on_stderr(*, quiet: bool) -> Iterator[list[str]]:
    """Print albeit's warnings and notes plainly (none if ``quiet``); others' as Python does.

    Yield the list of warnings about results, which grows.
    """
    logger = logging.getLogger("albeit")
    level = logger.level
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("albeit: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.ERROR if quiet else logging.INFO)
    kinds: dict[str, list[str]] = {}
    shown: set[str] = set()

    def show(message: AlbeitWarning) -> None:
        if str(message) in shown:
            return
        shown.add(str(message))
        quoted = re.search(r"'[^']*'", message.what)
        names = kinds.setdefault(re.sub(r"'[^']*'|\d[\d.,]*", "#", message.what), [])
        names.append(message.path or (quoted[0] if quoted else ""))
        if len(names) == 1:
            logger.warning("warning: %s", message)

    from albeit.data.textio import collect_warnings

    try:
        with collect_warnings(show) as collected:
            yield collected
    finally:
        for _, *others in kinds.values():
            if others:
                logger.warning("warning: %s", _summarize(others))
        logger.removeHandler(handler)
        logger.setLevel(level)


def print_tables(args: Any, tables: Table | Sequence[Table]) -> None:
    """Print tables in the format of ``-f``; JSON and HTML have the warnings, too."""
    from albeit.report import render

    sys.stdout.write(render(tables, args.format, args.warnings))


def _summarize(others: list[str]) -> str:
    """Return one line for all further warnings of a kind, by the files or names they are about."""
    names = list(dict.fromkeys(name for name in others if name))
    shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
    count = "1 similar warning" if len(others) == 1 else f"{len(others)} similar warnings"
    return f"{count} suppressed" + (f": {shown}." if shown else ".")


def check_outputs(parser: Parser, args: Options) -> None:
    """Raise if an output cannot be written later, or would overwrite other data."""
    from albeit.data.files import is_address

    actions: list[Any] = [action for action in parser._actions if hasattr(action, "reads")]
    inputs = [path for action in actions if action.reads for path in _paths(action, args)]
    outputs: list[str] = []
    for action, path in ((a, path) for a in actions if a.writes for path in _paths(a, args)):
        option = action.option_strings[-1]
        if path == STDOUT and STDOUT in outputs:
            raise UsageError("two outputs go to standard output. Name a file.")
        if path != STDOUT:
            if any(_same(path, other) for other in inputs):
                raise UsageError(f"{option} {path} would overwrite an input. Name another file.")
            if any(_same(path, other) for other in outputs):
                raise UsageError(f"two outputs go to {path}. Name another file.")
            if is_address(path):
                what = f"is an address, but {option} writes only local files."
                raise InputError(what, path=path, hint="Name a local file.")
            _check_writable(path, action.folder)
            if not vars(args)["force"] and not _is_own(Path(path), action.writes):
                what = "already exists, and wasn't created by albeit for this option."
                hint = f"Choose another file for {option}, or pass --force to overwrite it."
                raise InputError(what, path=path, hint=hint)
        outputs.append(path)


def _paths(action: Action, args: Options) -> list[str]:
    """Return the files that an option's values name, without names in front."""
    from albeit.data.build import named_path

    value = getattr(args, action.dest, None)
    return [named_path(item)[1] for item in ([value] if isinstance(value, str) else value or ())]


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


def _is_own(path: Path, pattern: str) -> bool:
    """Return whether nothing is lost by writing: no file, an empty one, or an earlier result."""
    from albeit.data.files import beginning

    if path.is_dir():
        return not any(path.iterdir())
    if not path.is_file() or not path.stat().st_size:  # none, or a device, or empty
        return True
    try:
        text = beginning(path)
    except InputError:  # not a whole gzip file
        return False
    return bool(text and re.match(pattern, text))
