"""Several lines as one text, with their words."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.annotate.layers import Tokens
from albeit.annotate.needs import Side
from albeit.lexicons.words import cut
from albeit.metrics.view import Compared

__all__ = ["compared_lines"]


def compared_lines(
    side: Side, lines: Sequence[str], language: str, number: int = 0
) -> tuple[Compared, list[int]]:
    """Lines as one text of a view, with the words of :func:`cut`; and each line's first word in it."""
    forms: list[str] = []
    offsets: list[tuple[int, int]] = []
    bases: list[int] = []
    at = 0
    for line in lines:
        words = cut(line, language)
        bases.append(len(forms))
        forms += words.forms
        offsets += [(at + start, at + stop) for start, stop in words.offsets]
        at += len(line) + 1
    return Compared(side, "\n".join(lines), Tokens(tuple(forms), tuple(offsets)), number), bases
