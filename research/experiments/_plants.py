"""Faults of known kinds and places, planted into references, one in a line.

All choices come from a fixed seed. A plant says where it stands, so that a finding counts as its
finder only if it overlaps that place.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from albeit.flags.text.words import is_english

__all__ = ["KINDS", "Plant", "plants"]

SEED = 30
_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:[.,]\d+)*(?![\w:/-]|[.,]\d)")
_NAME = re.compile(r"(?<=[a-z,] )[A-ZÄÖÜ][a-zäöüß]{3,}\b")
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
    known: bool = True
    """Whether the source says what is right: a name that it spells in Latin letters."""


Planter = Callable[[str, str, random.Random, Sequence[str]], tuple[str, int, int, str] | None]


def plants(kind: str, references: Sequence[str], sources: Sequence[str], limit: int) -> list[Plant]:
    """Plants of a kind, each in another line, at most so many."""
    found_by, planter = KINDS[kind]
    rng = random.Random(f"{SEED} {kind}")
    names = sorted(
        {
            match[0]
            for line, source in zip(references, sources, strict=True)
            for match in _names(line, source)
        }
    )
    made: list[Plant] = []
    for line in rng.sample(range(len(references)), len(references)):
        planted = planter(references[line], sources[line], rng, names)
        if planted is not None and len(made) < limit:
            text, start, end, was = planted
            known = found_by != "names" or was in sources[line]
            made.append(Plant(kind, found_by, line, text, start, end, was, known))
    return made


def _put(line: str, span: tuple[int, int], new: str) -> tuple[str, int, int, str]:
    start, end = span
    return line[:start] + new + line[end:], start, start + len(new), line[start:end]


def _number_changed(
    line: str, source: str, rng: random.Random, names: Sequence[str]
) -> tuple[str, int, int, str] | None:
    """One digit becomes another."""
    found = list(_NUMBER.finditer(line))
    if not found:
        return None
    match = rng.choice(found)
    place = rng.choice([k for k, c in enumerate(match[0]) if c.isdigit()])
    digit = rng.choice([d for d in "123456789" if d != match[0][place]])
    return _put(line, match.span(), match[0][:place] + digit + match[0][place + 1 :])


def _digit_dropped(
    line: str, source: str, rng: random.Random, names: Sequence[str]
) -> tuple[str, int, int, str] | None:
    found = [match for match in _NUMBER.finditer(line) if sum(map(str.isdigit, match[0])) > 1]
    if not found:
        return None
    match = rng.choice(found)
    place = rng.choice([k for k, c in enumerate(match[0]) if c.isdigit()])
    new = match[0][:place] + match[0][place + 1 :]
    if new[0] in "0.," or new[-1] in ".," or re.search("[.,]{2}", new):
        return None
    return _put(line, match.span(), new)


def _names(line: str, source: str) -> list[re.Match[str]]:
    """Names: words that the source has too, or, where it has another script, no English words."""
    latin = not re.search("[\u4e00-\u9fff]", source)
    return [
        match
        for match in _NAME.finditer(line)
        if (match[0] in source if latin else not is_english(match[0]) or match[0] in source)
    ]


def _name_misspelled(
    line: str, source: str, rng: random.Random, names: Sequence[str]
) -> tuple[str, int, int, str] | None:
    """A letter after the first is changed, dropped, doubled with another, or exchanged."""
    found = _names(line, source)
    if not found:
        return None
    match = rng.choice(found)
    name, place = match[0], rng.randrange(1, len(match[0]) - 1)
    letter = rng.choice([c for c in "abcdefghiklmnoprstuvwz" if c != name[place]])
    new = rng.choice(
        [
            name[:place] + letter + name[place + 1 :],
            name[:place] + name[place + 1 :],
            name[:place] + letter + name[place:],
            name[:place] + name[place + 1] + name[place] + name[place + 2 :],
        ]
    )
    return None if new == name else _put(line, match.span(), new)


def _name_exchanged(
    line: str, source: str, rng: random.Random, names: Sequence[str]
) -> tuple[str, int, int, str] | None:
    """Another name of the text."""
    found = _names(line, source)
    if not found:
        return None
    match = rng.choice(found)
    return _put(line, match.span(), rng.choice([n for n in names if n not in line + source]))


def _word_left(
    line: str, source: str, rng: random.Random, names: Sequence[str]
) -> tuple[str, int, int, str] | None:
    """A word of the source in the place of one of the translation."""
    places = [match.span() for match in _WORD.finditer(line)]
    left = _HAN.findall(source) or [w for w in _SOURCE_WORD.findall(source) if w not in line]
    if not places or not left:
        return None
    return _put(line, rng.choice(places), rng.choice(left))


def _line_left(
    line: str, source: str, rng: random.Random, names: Sequence[str]
) -> tuple[str, int, int, str] | None:
    """The whole line is its source."""
    if len(source.split()) < 4 and not _HAN.search(source):
        return None
    return source, 0, len(source), line


KINDS: dict[str, tuple[str, Planter]] = {
    "number changed": ("numbers", _number_changed),
    "digit dropped": ("numbers", _digit_dropped),
    "name misspelled": ("names", _name_misspelled),
    "name exchanged": ("names", _name_exchanged),
    "source word left": ("untranslated", _word_left),
    "line left": ("untranslated", _line_left),
}
"""What is planted, which kind of finding should find it, and how it is planted."""
