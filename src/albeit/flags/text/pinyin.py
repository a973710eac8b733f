"""Chinese names in Latin letters: whether a word is how some characters of the source are read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from albeit.flags.text.words import distance
from albeit.resources import pinyin

__all__ = ["is_pinyin", "nearest", "read_in"]

LONGEST = 4
"""How many characters a name part has at most."""


@lru_cache(maxsize=1)
def _syllables() -> frozenset[str]:
    return frozenset(syllable for read in pinyin().values() for syllable in read)


@lru_cache(maxsize=1 << 14)
def is_pinyin(word: str, least: int = 2) -> bool:
    """Whether a word can be cut into Chinese syllables, at least so many.

    >>> is_pinyin("Jinping"), is_pinyin("Merkel")
    (True, False)
    """
    return any(count >= least for count in _cuts(_plain(word)))


@lru_cache(maxsize=1 << 14)
def _cuts(word: str) -> frozenset[int]:
    """In how many syllables a word can be cut."""
    if not word:
        return frozenset([0])
    return frozenset(
        1 + more
        for length in range(1, min(6, len(word)) + 1)
        if word[:length] in _syllables()
        for more in _cuts(word[length:])
    )


def read_in(word: str, source: str) -> bool:
    """Whether some characters of the source that follow each other are read as this word."""
    return _plain(word) in _readings(source)


def nearest(word: str, source: str, surname: str = "") -> tuple[str, str, int] | None:
    """The characters of the source that are read most like this word: they, how, how far.

    With a ``surname``, only characters that directly follow one that is read so.

    >>> nearest("Jinpign", "习近平说")
    ('近平', 'jinping', 1)
    """
    plain = _plain(word)
    readings = _readings(source)
    if surname:
        first = _plain(surname)
        readings = {
            reading.removeprefix(first): characters[1:]
            for reading, characters in readings.items()
            if reading.startswith(first) and first in pinyin().get(characters[0], ())
        }
    near = [
        (distance(plain, reading), sorted(reading) != sorted(plain), characters, reading)
        for reading, characters in readings.items()
        if abs(len(reading) - len(plain)) <= 2
    ]
    if not near:
        return None
    far, _, characters, reading = min(near)
    return characters, reading, far


@lru_cache(maxsize=64)
def _readings(source: str) -> dict[str, str]:
    """How runs of characters are read, and which they are."""
    found: dict[str, str] = {}
    for start in range(len(source)):
        for reading, length in _from(source, start, LONGEST):
            found.setdefault(reading, source[start : start + length])
    return found


def _from(source: str, start: int, length: int) -> Iterator[tuple[str, int]]:
    """Readings of the next one to ``length`` characters."""
    if not length or start >= len(source):
        return
    more_readings = ("shaan",) if source[start] in "陕陝" else ()  # Shaanxi is not Shanxi
    for syllable in (*pinyin().get(source[start], ()), *more_readings):
        yield syllable, 1
        for more, taken in _from(source, start + 1, length - 1):
            yield syllable + more, taken + 1


def _plain(word: str) -> str:
    return "".join(c for c in word.lower().replace("ü", "u") if c.isalpha())
