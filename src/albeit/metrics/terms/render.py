"""How a text renders a term: by which word throughout, and where by another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Occurrence", "Rendering", "aligned_words", "kin", "render"]

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
