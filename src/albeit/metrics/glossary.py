"""Glossaries: source terms with their correct translations, and where they occur in a line.

A glossary has a term per line: the source term, a tab, and its translations between bars. Lines
that start with # are comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from albeit.data.textio import read_lines
from albeit.errors import InputError
from albeit.languages import WITHOUT_SPACES
from albeit.metrics.connectives import cut
from albeit.resources.words import has_stemmer, stemmer

Glossary = Mapping[str, tuple[str, ...]]
"""Source terms, each with its correct translations."""
_SHARED = 4
"""Letters that stems of one word share at least."""
REMEMBERED = 64
"""The number of documents whose terms are remembered."""


def read_glossary(path: str | Path) -> Glossary:
    """Read a glossary."""
    found: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        translations = tuple(t.strip() for t in cells[-1].split("|") if t.strip())
        if len(cells) != 2 or not cells[0] or not translations:
            hint = "Write: source term <tab> translation | another translation"
            what = "not a term and its translations."
            raise InputError(what, path=path, line=number, hint=hint)
        if cells[0] in found:
            raise InputError(f"{cells[0]!r} is listed twice.", path=path, line=number)
        found[cells[0]] = translations
    if not found:
        raise InputError("the glossary has no entries.", path=path)
    return found


def are_related(one: str, other: str) -> bool:
    """Return whether two stems are forms of one word: *China* and *Chinese*.

    All but the last letter of the shorter stem must be the same, and four letters at least.
    """
    same = max(_SHARED, min(len(one), len(other)) - 1)
    return one == other or (min(len(one), len(other)) >= _SHARED and one[:same] == other[:same])


def find_term(term: str, line: str, language: str) -> tuple[int, ...]:
    """Return the words of a line that are the term, in any inflection; none if it isn't there."""
    return next(iter(find_terms(term, line, language)), ())


def find_terms(term: str, line: str, language: str) -> Iterator[tuple[int, ...]]:
    """Yield the words of each occurrence of a term in a line."""
    if language in WITHOUT_SPACES:
        for match in re.finditer(re.escape(term.casefold()), line.casefold()):
            offsets = enumerate(cut(line, language).offsets)
            yield tuple(n for n, (a, b) in offsets if a < match.end() and b > match.start())
        return
    wanted, own = _stems(term, language), _stems(line, language)
    for start in range(len(own) - len(wanted) + 1 if wanted else 0):
        if all(map(_same_word(language), own[start : start + len(wanted)], wanted)):
            yield tuple(range(start, start + len(wanted)))


@lru_cache(maxsize=1 << 16)
def _stems(text: str, language: str) -> tuple[str, ...]:
    """Return the stems of a text's words; without a stemmer, the words in lower case."""
    stem = stemmer(language) if has_stemmer(language) else str.casefold
    return tuple(map(stem, cut(text, language).forms))


def _same_word(language: str) -> Callable[[str, str], bool]:
    """Return whether two stems are of one word; words that aren't stemmed can differ at the end."""
    return str.__eq__ if has_stemmer(language) else are_related


@lru_cache(maxsize=REMEMBERED)
def _contents(lines: tuple[str, ...], language: str) -> str | frozenset[str]:
    """Return what :func:`may_have` looks a term up in."""
    if language in WITHOUT_SPACES:
        return "\n".join(lines).casefold()
    return frozenset(stem[:_SHARED] for line in lines for stem in _stems(line, language))


def may_have(term: str, lines: tuple[str, ...], language: str) -> bool:
    """Return whether a term can be in one of these lines, which rules out most of a glossary."""
    contents = _contents(lines, language)
    if isinstance(contents, str):
        return term.casefold() in contents
    return all(stem[:_SHARED] in contents for stem in _stems(term, language))
