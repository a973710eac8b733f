"""Standard output and error as they are: in any encoding, closed, or a pipe nobody reads.

What goes to stderr beside errors are warnings and notes, each on one line.
"""

from __future__ import annotations

import codecs
import logging
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from albeit.errors import AlbeitWarning

_ASCII = (
    dict(zip("↑↓–—−×†·⚠│║─═━", "^v---x!.!||---", strict=True))
    | dict(zip("‘’“”", "''\"\"", strict=True))
    | {"→": "->", "≠": "!=", "≥": ">=", "≤": "<=", "…": "...", "τ": "tau", "λ": "lambda"}
)
"""What tables and trees are drawn with, for terminals that cannot show it."""


def prepare_streams() -> bool:
    """Make the streams fit for every character; false if there is no standard output.

    Where stdout cannot encode a character, arrows and boxes become ASCII and other characters
    ``\\uXXXX``, which JSON reads back. Without a standard error its messages go nowhere.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:
        return False
    codecs.register_error("albeit", _replaced)
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None and sys.stdout.errors == "strict":
        reconfigure(errors="albeit")
    return True


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    shown = (_plain(character) for character in error.object[error.start : error.end])
    return "".join(shown), error.end


def _plain(character: str) -> str:
    if character in _ASCII:
        return _ASCII[character]
    if "\u2500" <= character <= "\u257f":  # corners and crossings of lines
        return "+"
    halves = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{halves[i : i + 2].hex()}" for i in range(0, len(halves), 2))


def discard_output() -> None:
    """Let nothing more be written to stdout, or Python would fail again when it closes it."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # no file behind it, as in a program that calls us
        return


@contextmanager
def messages_on_stderr(*, quiet: bool) -> Iterator[None]:
    """Print albeit's warnings and notes plainly (none if ``quiet``); others' as Python does."""
    with warnings.catch_warnings(), _notes(quiet=quiet):
        warnings.simplefilter("ignore" if quiet else "always", AlbeitWarning)
        plain = warnings.showwarning
        kinds: dict[str, list[str]] = {}

        def show(message: Warning | str, category: type[Warning], *rest: object) -> None:
            if isinstance(message, AlbeitWarning):
                alike = kinds.setdefault(_kind(message), [])
                alike.append(_whose(message))
                if len(alike) == 1:
                    print(f"albeit: warning: {message}", file=sys.stderr)
            else:
                plain(message, category, *rest)  # type: ignore[arg-type]

        warnings.showwarning = show  # type: ignore[assignment]
        try:
            yield
        finally:
            for _, *others in kinds.values():
                if others:
                    print(f"albeit: warning: {_listed(others)}", file=sys.stderr)


def _kind(warning: AlbeitWarning) -> str:
    """What warnings of one kind have in common: all but numbers and names."""
    return re.sub(r"'[^']*'|\d[\d.,]*", "#", warning.what)


def _whose(warning: AlbeitWarning) -> str:
    """The file, or the first name, that a warning is about."""
    quoted = re.search(r"'[^']*'", warning.what)
    return warning.path or (quoted[0] if quoted else "")


def _listed(others: list[str]) -> str:
    """One line for all further warnings of a kind."""
    names = list(dict.fromkeys(name for name in others if name))
    shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
    times = "once" if len(others) == 1 else f"{len(others)} times"
    return f"the same {times} more" + (f": {shown}." if shown else ".")


@contextmanager
def _notes(*, quiet: bool) -> Iterator[None]:
    logger = logging.getLogger("albeit")
    before = logger.level
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("albeit: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.ERROR if quiet else logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
