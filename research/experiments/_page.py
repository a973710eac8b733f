"""Put a script's tables into its page under ``docs/results``: all below the mark is replaced."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from _common import commit

from albeit.parsing import version
from albeit.report import Table, render

__all__ = ["MARK", "add_option", "publish"]

MARK = "<!-- what follows is written by the command above -->"


def add_option(parser: argparse.ArgumentParser) -> None:
    """``--page FILE``: write the tables there as well."""
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help=f"replace what stands below the mark {MARK!r}"
    )


def publish(tables: Sequence[Table], form: str, page: Path | None) -> None:
    """Print the tables, and write them into the page if there is one."""
    sys.stdout.write(render(tables, form))
    if page is None:
        return
    head, mark, _ = page.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        sys.exit(f"{page} has no line {MARK}")
    facts = (
        f"Commit {commit()}, {date.today():%d %B %Y}, annotator {version()}, "
        f"{platform.machine()} with 2 cores and 24 GB, Python {platform.python_version()}."
    )
    text = f"{head}{MARK}\n\n{facts}\n\n{render(tables, 'markdown')}"
    page.write_text(text, encoding="utf-8")
