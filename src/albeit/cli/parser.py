"""argparse with our manners: a wrong option is an ``AlbeitError`` like any other mistake."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from albeit.errors import AlbeitError

__all__ = ["Parser", "UsageError"]


class UsageError(AlbeitError):
    """The command line itself is wrong."""


class Parser(argparse.ArgumentParser):
    """Raises :class:`UsageError`; keeps line breaks in its texts; takes no shortened options."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)

    def error(self, message: str) -> NoReturn:
        """Raise, and say where help is."""
        raise UsageError(f"{message}. See: {self.prog} --help")
