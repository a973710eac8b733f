"""What goes to stderr beside errors: warnings, each on one line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from albeit.errors import AlbeitWarning

__all__ = ["warnings_on_stderr"]


@contextmanager
def warnings_on_stderr(*, quiet: bool) -> Iterator[None]:
    """Print albeit's warnings plainly (none if ``quiet``); those of others as Python does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if quiet else "always", AlbeitWarning)
        plain = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: object) -> None:
            if issubclass(category, AlbeitWarning):
                print(f"albeit: warning: {message}", file=sys.stderr)
            else:
                plain(message, category, *rest)  # type: ignore[arg-type]

        warnings.showwarning = show  # type: ignore[assignment]
        yield
