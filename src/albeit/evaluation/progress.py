"""Progress on stderr: how much is done, how fast, how long it will take yet.

On a terminal one line is kept up to date; elsewhere (a log) a line is written now and
then, and only for work that takes long.
"""

from __future__ import annotations

import sys
import time
from typing import TextIO

OFTEN = 0.1
"""Seconds between updates of a terminal's line."""
SELDOM = 30.0
"""Seconds between lines in a log."""


class ProgressLine:
    """A progress callback; use as a context manager, so that the line is cleared at the end."""

    def __init__(self, unit: str = "segments", *, quiet: bool = False, out: TextIO | None = None):
        self.unit, self.quiet = unit, quiet
        self.out = sys.stderr if out is None else out
        self.live = self.out.isatty() or "ipykernel" in sys.modules  # a notebook is no terminal
        self.start = self.shown = time.monotonic()
        self.width = 0
        self.note = ""
        """Who works, and what went wrong so far."""

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self.width:
            self.out.write("\r" + " " * self.width + "\r")
            self.out.flush()

    def __call__(self, done: int, total: int) -> None:
        """Say that ``done`` of ``total`` are done, and what is to be noted."""
        now = time.monotonic()
        if done == 0:
            self.start = self.shown = now
        first = self.live and not self.width
        if self.quiet or (not first and now - self.shown < (OFTEN if self.live else SELDOM)):
            return
        self.shown = now
        line = describe(done, total, now - self.start, self.unit)
        line += f" · {self.note}" if self.note else ""
        if self.live:
            self.out.write("\r" + line.ljust(self.width))
            self.width = len(line)
        else:
            self.out.write(line + "\n")
        self.out.flush()


def describe(done: int, total: int, seconds: float, unit: str) -> str:
    """``1,200 of 3,003 segments (40 %), 310 a second, 6 s left``."""
    text = f"{done:,} of {total:,} {unit} ({100 * done // max(1, total)} %)"
    if done and seconds > 0:
        rate = done / seconds
        speed = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
        text += f", {speed} a second, {_duration((total - done) / rate)} left"
    return text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
