"""Faults of known kinds and places, planted into references, one in a line.

All choices come from a fixed seed. A plant says where it stands, so that a finding counts as its
finder only if it overlaps that place.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["KINDS", "Plant", "plants"]

SEED = 30
_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:[.,]\d+)*(?![\w:/-]|[.,]\d)")
_WORD = re.compile(r"\b[^\W\d_]{2,}\b")
_SOURCE_WORD = re.compile(r"(?<![\w'’-])[a-z]{4,}(?![\w'’-])")
_HAN = re.compile("[\u4e00-\u9fff]{2,4}")


@dataclass(frozen=True)
class Plant:
    """A line with a fault: which kind, which line (from 0), where, and what was there before."""

    kind: str
    found_by: str
    line: int
    text: str
    start: int
    end: int
    was: str


Planter = Callable[[str, str, random.Random], tuple[str, int, int, str] | None]


def plants(kind: str, references: Sequence[str], sources: Sequence[str], limit: int) -> list[Plant]:
    """Plants of a kind, each in another line, at most so many."""
    found_by, planter = KINDS[kind]
    rng = random.Random(f"{SEED} {kind}")
    made: list[Plant] = []
    for line in rng.sample(range(len(references)), len(references)):
        planted = planter(references[line], sources[line], rng)
        if planted is not None and len(made) < limit:
            text, start, end, was = planted
            made.append(Plant(kind, found_by, line, text, start, end, was))
    return made


def _put(line: str, span: tuple[int, int], new: str) -> tuple[str, int, int, str]:
    start, end = span
    return line[:start] + new + line[end:], start, start + len(new), line[start:end]


def _number_changed(line: str, source: str, rng: random.Random) -> tuple[str, int, int, str] | None:
    """One digit becomes another."""
    found = list(_NUMBER.finditer(line))
    if not found:
        return None
    match = rng.choice(found)
    place = rng.choice([k for k, c in enumerate(match[0]) if c.isdigit()])
    digit = rng.choice([d for d in "123456789" if d != match[0][place]])
    return _put(line, match.span(), match[0][:place] + digit + match[0][place + 1 :])


def _digit_dropped(line: str, source: str, rng: random.Random) -> tuple[str, int, int, str] | None:
    found = [match for match in _NUMBER.finditer(line) if sum(map(str.isdigit, match[0])) > 1]
    if not found:
        return None
    match = rng.choice(found)
    place = rng.choice([k for k, c in enumerate(match[0]) if c.isdigit()])
    new = match[0][:place] + match[0][place + 1 :]
    if new[0] in "0.," or new[-1] in ".," or re.search("[.,]{2}", new):
        return None
    return _put(line, match.span(), new)


def _word_left(line: str, source: str, rng: random.Random) -> tuple[str, int, int, str] | None:
    """A word of the source in the place of one of the translation."""
    places = [match.span() for match in _WORD.finditer(line)]
    left = _HAN.findall(source) or [w for w in _SOURCE_WORD.findall(source) if w not in line]
    if not places or not left:
        return None
    return _put(line, rng.choice(places), rng.choice(left))


def _line_left(line: str, source: str, rng: random.Random) -> tuple[str, int, int, str] | None:
    """The whole line is its source."""
    if len(source.split()) < 4 and not _HAN.search(source):
        return None
    return source, 0, len(source), line


KINDS: dict[str, tuple[str, Planter]] = {
    "number changed": ("numbers", _number_changed),
    "digit dropped": ("numbers", _digit_dropped),
    "source word left": ("untranslated", _word_left),
    "line left": ("untranslated", _line_left),
}
"""What is planted, which kind of finding should find it, and how it is planted."""
