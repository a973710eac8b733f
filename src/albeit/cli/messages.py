"""What goes to stderr beside errors: warnings and notes, each on one line."""

from __future__ import annotations

import logging
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

        def show(message: Warning | str, category: type[Warning], *rest: object) -> None:
            if issubclass(category, AlbeitWarning):
                print(f"albeit: warning: {message}", file=sys.stderr)
            else:
                plain(message, category, *rest)  # type: ignore[arg-type]

        warnings.showwarning = show  # type: ignore[assignment]
        yield


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
