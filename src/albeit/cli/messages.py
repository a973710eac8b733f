"""What goes to stderr beside errors: warnings and notes, each on one line."""

from __future__ import annotations

import logging
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from albeit.errors import AlbeitWarning

__all__ = ["messages_on_stderr"]


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
