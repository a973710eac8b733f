"""How a text translates the terms that another text repeats, or those of a glossary.

A term is a word, or a pair of adjacent words, in two lines or more. A glossary has a term per line:
the source term, a tab, and its translations between bars. Lines that start with # are comments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from albeit.data.textio import read_lines
from albeit.errors import InputError
from albeit.metrics.connectives.words import cut
from albeit.parsing.content import UNSPACED, content_words
from albeit.resources import stemmer

Key = tuple[str, ...]
"""The stems of a term's words."""
Places = Sequence[tuple[int, tuple[int, ...]]]
"""The lines of a term, each with the words of its first occurrence."""
Glossary = Mapping[str, tuple[str, ...]]
"""Source terms, each with its correct translations."""
_SHORTEST = 3
"""Letters that a term's words have at least."""
_SHARED = 4
"""Letters that stems of one word share at least."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One occurrence of a term and its translation.

    ``term`` are its words in the line, ``words`` those of the translation's line. ``same``: they
    have the word that translates the term most often.
    """

    line: int
    term: tuple[int, ...]
    words: tuple[int, ...]
    same: bool = True


@dataclass(frozen=True, slots=True)
class Rendering:
    """A term in one translation: the most frequent translation, and all occurrences.

    One of n occurrences is free; of the others, ``kept`` have the same word.
    """

    key: Key
    word: str
    occurrences: tuple[Occurrence, ...]

    @property
    def same(self) -> int:
        """The number of occurrences with the same word."""
        return sum(each.same for each in self.occurrences)

    @property
    def kept(self) -> int:
        """The number of occurrences with the same word, minus one."""
        return max(0, self.same - 1)

    @property
    def asked(self) -> int:
        """The number of occurrences, minus one."""
        return max(0, len(self.occurrences) - 1)


def keys_of(line: str, language: str) -> list[str]:
    """Return the stem of each word of a line; empty for words without content."""
    key = content_words(language).key
    return [key(form) if len(form) >= _SHORTEST else "" for form in cut(line, language).forms]


def repeated(lines: Sequence[str], language: str) -> Mapping[Key, Places]:
    """Return the terms of two lines or more, in order of appearance.

    Two adjacent content words that are repeated together are one term, and their words aren't
    terms there.
    """
    keys = [keys_of(line, language) for line in lines]
    pairs = _repeated(keys, 2)
    for places in pairs.values():
        for line, words in places:
            for word in words:
                keys[line][word] = ""
    found = pairs | _repeated(keys, 1)
    return dict(sorted(found.items(), key=lambda item: item[1][0]))


def _repeated(keys: Sequence[Sequence[str]], size: int) -> dict[Key, Places]:
    """Return the terms of so many words."""
    found: dict[Key, dict[int, tuple[int, ...]]] = {}
    for line, own in enumerate(keys):
        for start in range(len(own) - size + 1):
            key = tuple(own[start : start + size])
            if all(key):
                words = tuple(range(start, start + size))
                found.setdefault(key, {}).setdefault(line, words)
    return {key: list(places.items()) for key, places in found.items() if len(places) > 1}


def are_related(one: str, other: str) -> bool:
    """Return whether two stems are forms of one word: *China* and *Chinese*.

    All but the last letter of the shorter stem must be the same, and four letters at least.
    """
    same = max(_SHARED, min(len(one), len(other)) - 1)
    return one == other or (min(len(one), len(other)) >= _SHARED and one[:same] == other[:same])


def aligned_words(
    term: Sequence[int], links: Sequence[tuple[int, int]], keys: Sequence[str]
) -> list[int]:
    """Return the words of a translation's line that are aligned to a term's.

    If there are none, it is the only content word between those that the neighbors are aligned
    to: a translation that occurs once is rarely aligned.
    """
    found = [j for i, j in links if i in term]
    if found:
        return found
    start = max((j for i, j in links if i < term[0]), default=-1)
    stop = min((j for i, j in links if i > term[-1]), default=len(keys))
    claimed = {j for _, j in links}
    between = [j for j in range(start + 1, stop) if keys[j] and j not in claimed]
    return between if len(between) == 1 else []


def render(
    key: Key, places: Places, aligned: Sequence[Sequence[int]], keys: Sequence[Sequence[str]]
) -> Rendering:
    """Return how a term is translated.

    ``aligned`` are the words aligned to it, ``keys`` all of each line. Occurrences without aligned
    words don't count. One whose line has the most frequent translation counts as the same, aligned
    or not, because alignments have errors.
    """
    counts = Counter(
        key
        for words, own in zip(aligned, keys, strict=True)
        for key in dict.fromkeys(own[word] for word in words if own[word])
    )
    related = Counter(
        {one: sum(n for other, n in counts.items() if are_related(one, other)) for one in counts}
    )
    if not related:
        return Rendering(key, "", ())
    common = _most_frequent(related, len(key), sum(map(bool, aligned)))
    found = []
    for (line, term), words, own in zip(places, aligned, keys, strict=True):
        hits = [_index(word, own) for word in common]
        kept = tuple(word for word in words if own[word])
        if min(hits) >= 0:
            found.append(Occurrence(line, term, tuple(hits)))
        elif kept:
            found.append(Occurrence(line, term, kept, same=False))
    return Rendering(key, " ".join(common), tuple(found))


def _index(word: str, own: Sequence[str]) -> int:
    """Return the index of a word in a line, or of a related word, or -1."""
    if word in own:
        return own.index(word)
    return next((index for index, key in enumerate(own) if are_related(key, word)), -1)


def _most_frequent(counts: Counter[str], size: int, places: int) -> tuple[str, ...]:
    """Return the most frequent translation; two words for a term of two, if both are frequent."""
    first = counts.most_common(1)[0][0]
    others = [word for word, _ in counts.most_common() if not are_related(first, word)]
    return (first, *(word for word in others[: size - 1] if 2 * counts[word] >= places))


def read_glossary(path: str | Path) -> Glossary:
    """Read a glossary."""
    found: dict[str, tuple[str, ...]] = {}
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
        found[cells[0]] = translations
    if not found:
        raise InputError("the glossary has no entries.", path=path)
    return found


def render_entry(
    term: str,
    translations: Sequence[str],
    lines: Sequence[str],
    texts: Sequence[str],
    languages: tuple[str, str],
) -> Rendering:
    """Return every line with a term of a glossary, and whether its translation is listed."""
    found = []
    for number, (line, text) in enumerate(zip(lines, texts, strict=True)):
        if own := find_term(term, line, languages[0]):
            hits = (find_term(each, text, languages[1]) for each in translations)
            words = next((hit for hit in hits if hit), ())
            found.append(Occurrence(number, own, words, same=bool(words)))
    return Rendering((term,), " | ".join(translations), tuple(found))


def find_term(term: str, line: str, language: str) -> tuple[int, ...]:
    """Return the words of a line that are the term, in any inflection; none if it isn't there."""
    words = cut(line, language)
    if language in UNSPACED:
        start = line.casefold().find(term.casefold())
        stop = start + len(term)
        inside = (n for n, (a, b) in enumerate(words.offsets) if a < stop and b > start)
        return tuple(inside) if start >= 0 else ()
    stem = stemmer(language)
    wanted = [stem(form) for form in cut(term, language).forms]
    own = [stem(form) for form in words.forms]
    for start in range(len(own) - len(wanted) + 1):
        if own[start : start + len(wanted)] == wanted:
            return tuple(range(start, start + len(wanted)))
    return ()
