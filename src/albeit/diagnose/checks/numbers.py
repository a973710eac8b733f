"""Flag numbers that a translation changes.

A number in digits is flagged if it can't be any number of the source line, and the source line has
a number that nothing in the translation can be. So numbers that are spelled out on either side,
left out, or added aren't flagged. Small numbers are often spelled out, so a pair with a small number
is flagged only if one looks like a typing error of the other. Converted units are false alarms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from albeit.diagnose.checks.passage import Check, Passage
from albeit.diagnose.finding import Finding
from albeit.diagnose.text.numerals import Number, numbers_in, same
from albeit.diagnose.text.words import distance

__all__ = ["CHECK"]

CLOSE, DIFFERENT = 0.9, 0.7
"""Probability that a finding is an error: a number that is one typing error away, any other."""
_ADDRESS = re.compile(r"\S*(?:://|www\.|@)\S*")
SMALL = 31
"""Numbers up to this one may be spelled out, or stand for a month or a day."""


def find(passage: Passage) -> Iterator[Finding]:
    """Yield the numbers of each line that replace a number of the source."""
    for number, line, source in passage.pairs():
        ours, theirs = numbers_in(line), numbers_in(source)
        strange = _unmatched(line, ours, theirs)
        lost = _unmatched(source, theirs, ours)
        for one in strange:
            other = min(lost, key=lambda n: distance(one.text, n.text), default=None)
            if other is None:
                continue
            close = _is_close(one, other)
            coded = re.search(r"[^\W\d_][-–]?$", line[: one.start])  # COVID-19
            if close or (min(*one.plain, *other.plain) > SMALL and not coded):
                lost.remove(other)
                yield _finding(number, line, one, other, close)


def _finding(number: int, line: str, one: Number, other: Number, close: bool) -> Finding:
    place = one.start, one.end
    message = f"{line[slice(*place)]!r} is not in the source, which has {other.text!r}"
    probability, likeness = (CLOSE, "differs little") if close else (DIFFERENT, "differs")
    suggestion = other.text if one.text.isdigit() and other.text.isdigit() else None
    evidence = (("source", other.text), ("likeness", likeness))
    return Finding("numbers", number, *place, message, probability, suggestion, evidence)


def _unmatched(line: str, numbers: Sequence[Number], others: Sequence[Number]) -> list[Number]:
    """Return the numbers that can't be any of the others, without those in addresses."""
    skipped = [match.span() for match in _ADDRESS.finditer(line)]
    return [
        one
        for one in numbers
        if one.sure
        and one.plain != {0}
        and not any(start <= one.start < end for start, end in skipped)
        and not any(same(one, other) for other in others)
    ]


def _is_close(one: Number, other: Number) -> bool:
    """Return whether one could be the other mistyped: a digit changed, dropped, added, or moved."""
    mine, its = (re.sub(r"\D", "", n.text) for n in (one, other))
    return distance(mine, its) <= 1 or sorted(mine) == sorted(its)


CHECK = Check("numbers that the translation changes", find, precision=0.69)
