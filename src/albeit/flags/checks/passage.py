"""What a check reads: some lines of a translation beside those of its source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from albeit.corpus.levels import Unit
from albeit.flags.finding import Finding

__all__ = ["LEAST_PRECISION", "Check", "Passage"]

LEAST_PRECISION = 0.6
"""A kind is on by default if at least so many of its findings are faults."""


@dataclass(frozen=True)
class Passage:
    """Lines of a translation and of its source, as many: a document, or a part of a text.

    :param lines: the translation
    :param source: the source
    :param target_lang: language of the translation
    :param source_lang: language of the source, ``None`` where nobody said
    :param first: number of the first line in the text, from 1
    """

    lines: tuple[str, ...]
    source: tuple[str, ...]
    target_lang: str = "en"
    source_lang: str | None = None
    first: int = 1

    def pairs(self) -> Iterator[tuple[int, str, str]]:
        """Number of the line in the text, translation, source; lines without text are left out."""
        for number, (line, source) in enumerate(
            zip(self.lines, self.source, strict=True), self.first
        ):
            if line.strip() and source.strip():
                yield number, line, source


@dataclass(frozen=True)
class Check:
    """One kind of fault that can be looked for without a reference.

    :param about: what it flags, in one line
    :param find: the findings of a passage, in any order
    :param unit: what it has to see at once, single segments or a whole document
    :param precision: how many of its findings were faults when people read them, ``None`` where
        nobody did; a check is on by default from :data:`LEAST_PRECISION`
    :param needs: what has to be installed or known, in words, for ``albeit check --list``
    """

    about: str
    find: Callable[[Passage], Iterator[Finding]]
    unit: Unit = Unit.SEGMENT
    precision: float | None = None
    needs: str = ""

    @property
    def default(self) -> bool:
        """Whether it is on unless kinds are named."""
        return self.precision is not None and self.precision >= LEAST_PRECISION
