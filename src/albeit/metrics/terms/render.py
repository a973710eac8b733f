"""How a text renders a term: by which word throughout, and where by another.

A term is a word, or a pair of words, that a text says again, line by line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from albeit.metrics.connectives.words import cut
from albeit.parsing.content import content_words

__all__ = [
    "Key",
    "Occurrence",
    "Places",
    "Rendering",
    "aligned_words",
    "keys_of",
    "kin",
    "render",
    "repeated",
]

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


_KIN = 4
"""Letters that stems of one word share at least."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place of a term and what stands for it there.

    ``term`` are its words in the line of the text that is asked, ``words`` those of the
    translation's line that render it, ``keys`` their stems. ``same``: they hold the word that
    renders the term most often.
    """

    line: int
    term: tuple[int, ...]
    words: tuple[int, ...]
    keys: tuple[str, ...]
    same: bool = True


@dataclass(frozen=True, slots=True)
class Rendering:
    """A term in one translation: the word that most occurrences share, and all of them.

    What is counted is how many occurrences keep to the word of the first, so to speak: one of
    n is free, of the others ``kept`` have the same word.
    """

    key: tuple[str, ...]
    word: str
    occurrences: tuple[Occurrence, ...]

    @property
    def same(self) -> int:
        """How many occurrences share the word."""
        return sum(each.same for each in self.occurrences)

    @property
    def kept(self) -> int:
        """Occurrences that share the word, less one."""
        return max(0, self.same - 1)

    @property
    def asked(self) -> int:
        """Occurrences, less one."""
        return max(0, len(self.occurrences) - 1)


def kin(one: str, other: str) -> bool:
    """Whether two stems are forms of one word: *China* and *Chinese*, *economy* and *economic*.

    Grammar asks now for the one, now for the other. All but the last letter of the shorter stem
    must be the same, and four letters at least.
    """
    same = max(_KIN, min(len(one), len(other)) - 1)
    return one == other or (min(len(one), len(other)) >= _KIN and one[:same] == other[:same])


def aligned_words(
    term: Sequence[int], links: Sequence[tuple[int, int]], keys: Sequence[str]
) -> list[int]:
    """The words of a translation's line that are aligned to a term's.

    Where none is, the one content word, if it is only one, between those that its neighbours
    are aligned to: a rendering that comes but once is hardly ever aligned.
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
    key: tuple[str, ...],
    places: Sequence[tuple[int, tuple[int, ...]]],
    aligned: Sequence[Sequence[int]],
    keys: Sequence[Sequence[str]],
) -> Rendering:
    """What became of a term; ``aligned`` are the words aligned to it, ``keys`` all of each line.

    Both are by place. A place with nothing aligned says nothing. One whose line has the common
    word counts as the same, whatever is aligned: alignments err.
    """
    said = Counter(
        key
        for words, own in zip(aligned, keys, strict=True)
        for key in dict.fromkeys(own[word] for word in words if own[word])
    )
    counts = Counter({one: sum(n for other, n in said.items() if kin(one, other)) for one in said})
    if not counts:
        return Rendering(key, "", ())
    common = _common(counts, len(key), sum(map(bool, aligned)))
    found = []
    for (line, term), words, own in zip(places, aligned, keys, strict=True):
        hits = [_place(word, own) for word in common]
        if min(hits) >= 0:
            found.append(Occurrence(line, term, tuple(hits), tuple(own[k] for k in hits)))
        elif any(own[word] for word in words):
            kept = tuple(word for word in words if own[word])
            found.append(
                Occurrence(line, term, kept, tuple(own[word] for word in kept), same=False)
            )
    return Rendering(key, " ".join(common), tuple(found))


def _place(word: str, own: Sequence[str]) -> int:
    """Where a line has the word, or else one of its kin; -1 where it has neither."""
    if word in own:
        return own.index(word)
    return next((place for place, key in enumerate(own) if kin(key, word)), -1)


def _common(counts: Counter[str], most: int, places: int) -> tuple[str, ...]:
    """The word that renders a term most often; of a term of two words, two if both are usual."""
    first = counts.most_common(1)[0][0]
    others = [word for word, _ in counts.most_common() if not kin(first, word)][: most - 1]
    return (first, *(word for word in others if 2 * counts[word] >= places))
