"""Where a line has a word of one class and its reference, at the same place, one of another.

Pronouns and connectives are closed classes: a line that has one *he* more than the reference, and
one *she* less, has very likely exchanged them. What stands where is decided by the words that
both lines share; nothing is flagged that lies far from its counterpart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from albeit.flags.pronouns import Word
from albeit.flags.suspect import places

__all__ = ["Exchange", "exchanges"]

_NEAR = 5.0
"""How many words apart the two of an exchange may stand, at most."""
_SAME = 6.0
"""How many words apart two of one class may stand and still be the same."""
Apart = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A word of the translation, the reference's at its place, and how sure the place is."""

    said: Word
    wanted: Word
    nearness: float


def exchanges(
    text: str,
    reference: str,
    words_of: Callable[[str], Sequence[Word]],
    apart: Apart = str.__ne__,
) -> list[Exchange]:
    """The exchanges of a line, the nearest first.

    What both lines have, not too far apart, is put aside; of what remains, the words nearest to
    each other are pairs.

    :param words_of: finds the words of the closed class in a line
    :param apart: whether two names are so different that one cannot stand for the other

    >>> from albeit.flags.pronouns import pronouns_of
    >>> [one] = exchanges("Then he left.", "Then she left.", pronouns_of)
    >>> one.said.form, one.wanted.form, one.nearness
    ('he', 'she', 1.0)
    """
    ours, theirs = list(words_of(text)), list(words_of(reference))
    if not (ours and theirs and any(apart(a.name, b.name) for a in ours for b in theirs)):
        return []
    both = places(text, reference)
    distance = {
        (a, b): abs(both.expected(both.word_at(a.start)) - both.other_word_at(b.start))
        for a in ours
        for b in theirs
    }
    for a, b in _nearest(ours, theirs, distance, lambda a, b: not apart(a, b), _SAME):
        ours.remove(a)
        theirs.remove(b)
    return [
        Exchange(a, b, 1 - distance[a, b] / (_NEAR + 1))
        for a, b in _nearest(ours, theirs, distance, apart, _NEAR)
    ]


def _nearest(
    ours: Sequence[Word],
    theirs: Sequence[Word],
    distance: Mapping[tuple[Word, Word], float],
    fits: Apart,
    reach: float,
) -> list[tuple[Word, Word]]:
    """Pairs that fit, the nearest first, each word in one at most."""
    pairs = [(a, b) for a in ours for b in theirs if fits(a.name, b.name)]
    found: list[tuple[Word, Word]] = []
    for a, b in sorted(pairs, key=lambda pair: (distance[pair], pair[0].start, pair[1].start)):
        if distance[a, b] <= reach and not any(a == c or b == d for c, d in found):
            found.append((a, b))
    return found
