"""A glossary of the user's: which terms of the source are to be translated by which words.

A line a term, with a tab between: the source term, and its translations with bars between.
Lines that start with # are comments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from albeit.data.textio import read_lines
from albeit.errors import InputError
from albeit.metrics.connectives.words import cut
from albeit.metrics.terms.render import Occurrence, Rendering
from albeit.parsing.content import UNSPACED
from albeit.resources import stemmer

__all__ = ["Entry", "read_glossary", "rendered_by"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A term of the source, and the translations that are right for it."""

    term: str
    translations: tuple[str, ...]


def read_glossary(path: str | Path) -> tuple[Entry, ...]:
    """The entries of a file, in order."""
    found: dict[str, Entry] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        translations = tuple(t.strip() for t in cells[-1].split("|") if t.strip())
        if len(cells) != 2 or not cells[0] or not translations:
            raise InputError(
                "not a term and its translations.",
                path=path,
                line=number,
                hint="Write: source term <tab> translation | another translation",
            )
        if cells[0] in found:
            raise InputError(f"{cells[0]!r} is listed twice.", path=path, line=number)
        found[cells[0]] = Entry(cells[0], translations)
    if not found:
        raise InputError("the glossary has no entries.", path=path)
    return tuple(found.values())


def rendered_by(
    entry: Entry, lines: Sequence[str], texts: Sequence[str], languages: tuple[str, str]
) -> Rendering:
    """Every line that has the term, and whether its translation has one of the words for it."""
    found = []
    for number, (line, text) in enumerate(zip(lines, texts, strict=True)):
        term = place(entry.term, line, languages[0])
        if not term:
            continue
        hits = (place(each, text, languages[1]) for each in entry.translations)
        words = next((hit for hit in hits if hit), ())
        found.append(Occurrence(number, term, words, (), same=bool(words)))
    return Rendering((entry.term,), " | ".join(entry.translations), tuple(found))


def place(term: str, line: str, language: str) -> tuple[int, ...]:
    """The words of a line that are the term, in whatever inflection; none if it is not there."""
    words = cut(line, language)
    if language in UNSPACED:
        start = line.casefold().find(term.casefold())
        stop = start + len(term)
        inside = (n for n, (a, b) in enumerate(words.offsets) if a < stop and b > start)
        return tuple(inside) if start >= 0 else ()
    wanted = [_stem(form, language) for form in cut(term, language).forms]
    own = [_stem(form, language) for form in words.forms]
    for start in range(len(own) - len(wanted) + 1):
        if own[start : start + len(wanted)] == wanted:
            return tuple(range(start, start + len(wanted)))
    return ()


def _stem(form: str, language: str) -> str:
    return stemmer(language)(form)
