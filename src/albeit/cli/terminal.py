"""Standard output and error as they are: in any encoding, closed, or a pipe nobody reads."""

from __future__ import annotations

import codecs
import os
import sys

__all__ = ["discard_output", "ready_streams"]

_ASCII = (
    dict(zip("↑↓–—−×†·⚠│║─═━", "^v---x!.!||---", strict=True))
    | dict(zip("‘’“”", "''\"\"", strict=True))
    | {"→": "->", "≠": "!=", "≥": ">=", "≤": "<=", "…": "...", "τ": "tau", "λ": "lambda"}
)
"""What tables and trees are drawn with, for terminals that cannot show it."""


def ready_streams() -> bool:
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
