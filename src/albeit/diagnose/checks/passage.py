"""What a check reads: the lines of a translation and of its source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from albeit.diagnose.finding import Finding

__all__ = ["LEAST_PRECISION", "Check", "Passage"]

LEAST_PRECISION = 0.6
"""A kind is on by default if at least so many of its findings are faults."""


@dataclass(frozen=True)
class Passage:
    """The lines of a translation and of its source.

    :param lines: the translation
    :param source: the source
    :param target_lang: language of the translation
    :param source_lang: language of the source, ``None`` where nobody said
    """

    lines: tuple[str, ...]
    source: tuple[str, ...]
    target_lang: str = "en"
    source_lang: str | None = None

    def pairs(self) -> Iterator[tuple[int, str, str]]:
        """Number of the line in the text, translation, source; lines without text are left out."""
        for number, (line, source) in enumerate(zip(self.lines, self.source, strict=True), 1):
            if line.strip() and source.strip():
                yield number, line, source


@dataclass(frozen=True)
class Check:
    """One kind of fault that can be looked for without a reference.

    :param about: what it flags, in one line
    :param find: the findings of a passage, in any order
    :param precision: how many of its findings were faults when people read them, ``None`` where
        nobody did; a check is on by default from :data:`LEAST_PRECISION`
    """

    about: str
    find: Callable[[Passage], Iterator[Finding]]
    precision: float | None = None

    @property
    def default(self) -> bool:
        """Whether it is on unless kinds are named."""
        return self.precision is not None and self.precision >= LEAST_PRECISION
