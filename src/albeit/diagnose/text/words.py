"""Words of a line with their places, the scripts they are written in, which are English, and how far apart they are."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from albeit.resources import rarity, stop_words, wordnet

__all__ = ["Word", "distance", "is_english", "placeless", "script_of", "words_in"]


@lru_cache(maxsize=1 << 16)
def distance(one: str, other: str) -> int:
    """How many letters must be changed, added, dropped, or exchanged with their neighbour.

    >>> distance("Merkel", "Mekrel"), distance("Obama", "Osama"), distance("", "abc")
    (1, 1, 3)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, 1):
            best = min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, last[j - 2] + 1)
            row.append(best)
    return row[-1]


_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PLACELESS = re.compile(
    r"\S*(?:://|www\.|\w@\w)\S*|[@#]\w+|\w+(?:\.\w+)+(?:/\S*)?|<[^>]*>|`[^`]*`|\{[^}]*\}|\w*_\w*"
    r"|(?<![\w:]):[a-z0-9_+-]+:(?!\w)"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a line, and where it stands."""

    start: int
    end: int
    form: str

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.form[0].isupper()


@lru_cache(maxsize=1 << 14)
def words_in(line: str) -> tuple[Word, ...]:
    """The words of a line that is written with spaces; no numbers, addresses, tags or code."""
    skipped = placeless(line)
    return tuple(
        Word(match.start(), match.end(), match[0])
        for match in _WORD.finditer(line)
        if not any(a <= match.start() < b for a, b in skipped)
    )


def placeless(line: str) -> tuple[tuple[int, int], ...]:
    """Addresses, mentions, file names, tags, ``:smile:`` and code, which stay as they are in any language."""
    return tuple(match.span() for match in _PLACELESS.finditer(line))


@lru_cache(maxsize=1 << 14)
def script_of(character: str) -> str:
    """The script of a letter (``LATIN``, ``CJK``), or nothing for what is no letter."""
    if not character.isalpha():
        return ""
    name = unicodedata.name(character, "").split(" ")[0]
    if name in ("FULLWIDTH", "HALFWIDTH", "FEMININE", "MASCULINE", "MICRO", "MODIFIER", "ANGSTROM"):
        return ""
    return name.split("-")[0]


@lru_cache(maxsize=1 << 16)
def is_english(word: str) -> bool:
    """Whether a word is in the English word lists that ship, in any of its forms."""
    low = word.lower().replace("’", "'").removesuffix("'s")
    if low in rarity("en") or low in stop_words("en") or wordnet().base_forms(low):
        return True
    parts = [part for part in re.split("[-']", low) if part]
    return len(parts) > 1 and all(is_english(part) for part in parts)
