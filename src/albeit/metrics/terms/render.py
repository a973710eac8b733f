"""How a text renders a term: by which word throughout, and where by another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Occurrence", "Rendering", "aligned_words", "render"]


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
    counts: Counter[str] = Counter()
    for words, own in zip(aligned, keys, strict=True):
        counts.update(list(dict.fromkeys(own[word] for word in words if own[word])))
    if not counts:
        return Rendering(key, "", ())
    common = _common(counts, len(key), sum(map(bool, aligned)))
    found = []
    for (line, term), words, own in zip(places, aligned, keys, strict=True):
        if all(word in own for word in common):
            kept = tuple(own.index(word) for word in common)
            found.append(Occurrence(line, term, kept, common))
        elif any(own[word] for word in words):
            kept = tuple(word for word in words if own[word])
            found.append(
                Occurrence(line, term, kept, tuple(own[word] for word in kept), same=False)
            )
    return Rendering(key, " ".join(common), tuple(found))


def _common(counts: Counter[str], most: int, places: int) -> tuple[str, ...]:
    """The word that renders a term most often; of a term of two words, two if both are usual."""
    (first, _), *others = counts.most_common(most)
    return (first, *(word for word, count in others if 2 * count >= places))
