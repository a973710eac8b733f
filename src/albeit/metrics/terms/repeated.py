"""Words and pairs of words that a text says again, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from albeit.annotate.content import content_words
from albeit.lexicons.words import cut

__all__ = ["Key", "Places", "keys_of", "repeated"]

Key = tuple[str, ...]
"""What makes occurrences one term: the stems of its words."""
Places = list[tuple[int, tuple[int, ...]]]
"""Where a term stands: (line, words of the line), once per line."""
_SHORTEST = 3
"""Letters that a term's words have at least."""


def keys_of(line: str, language: str) -> list[str]:
    """The stem of each word of a line; empty for words without content."""
    key = content_words(language).key
    return [key(form) if len(form) >= _SHORTEST else "" for form in cut(line, language).forms]


def repeated(lines: Sequence[str], language: str) -> Mapping[Key, Places]:
    """The terms that stand in two lines or more, in order of appearance.

    Two content words side by side that come again together are one term, and their words are
    no terms there.
    """
    keys = [keys_of(line, language) for line in lines]
    pairs = _again(_occurrences(keys, 2))
    taken = {(line, word) for places in pairs.values() for line, words in places for word in words}
    for line, own in enumerate(keys):
        for word in range(len(own)):
            if (line, word) in taken:
                own[word] = ""
    found = pairs | _again(_occurrences(keys, 1))
    return dict(sorted(found.items(), key=lambda item: item[1][0]))


def _occurrences(
    keys: Sequence[Sequence[str]], size: int
) -> Iterator[tuple[Key, int, tuple[int, ...]]]:
    for line, own in enumerate(keys):
        for start in range(len(own) - size + 1):
            key = tuple(own[start : start + size])
            if all(key):
                yield key, line, tuple(range(start, start + size))


def _again(occurrences: Iterator[tuple[Key, int, tuple[int, ...]]]) -> dict[Key, Places]:
    """Those of several lines, the first of each line."""
    found: dict[Key, dict[int, tuple[int, ...]]] = {}
    for key, line, words in occurrences:
        found.setdefault(key, {}).setdefault(line, words)
    return {key: list(places.items()) for key, places in found.items() if len(places) > 1}
