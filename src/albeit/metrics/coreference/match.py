"""Which chain of a translation is which of its reference, and which of their mentions meet.

Two mentions meet where they stand at the same position, in chains that were paired. They
count fully with the same head, and ``other`` where what is said there is another word or
another kind of mention (a pronoun for a name). Chains are paired one to one, those first that
share most; a chain that shares no position with another is never looked at, so the work grows
as the document does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from albeit.metrics.coreference.mentions import Mention, Mentions, units

__all__ = ["Matched", "Met", "match"]

Met = tuple[int, int, bool]
"""Two mentions by their numbers, and whether their heads are the same."""


@dataclass(frozen=True)
class Matched:
    """What two texts of a document share.

    ``positions`` are those of each text's mentions; ``chains`` the paired chains, translation
    to reference; ``met`` the mentions that meet.
    """

    positions: tuple[Sequence[int], Sequence[int]]
    length: int
    chains: dict[int, int]
    met: tuple[Met, ...]


def match(ours: Mentions, theirs: Mentions, other: float) -> Matched:
    """Pair the chains of two texts, and their mentions."""
    left, right, length = units(ours, theirs)
    places = (
        [left[mention.sentence] for mention in ours.mentions],
        [right[mention.sentence] for mention in theirs.mentions],
    )
    held, wanted = _by_place(ours.mentions, places[0]), _by_place(theirs.mentions, places[1])
    shared: dict[tuple[int, int], float] = defaultdict(float)
    for place, chains in held.items():
        for chain, mine in chains.items():
            for partner, yours in wanted.get(place, {}).items():
                shared[chain, partner] += _credit(
                    ours.mentions, mine, theirs.mentions, yours, other
                )
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for (chain, partner), credit in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        if credit and chain not in pairs and partner not in taken:
            pairs[chain] = partner
            taken.add(partner)
    met = [
        one
        for place, chains in held.items()
        for chain, mine in chains.items()
        if chain in pairs and pairs[chain] in wanted.get(place, {})
        for one in _meet(ours.mentions, mine, theirs.mentions, wanted[place][pairs[chain]])
    ]
    return Matched(places, length, pairs, tuple(met))


def _by_place(
    mentions: Sequence[Mention], places: Sequence[int]
) -> dict[int, dict[int, list[int]]]:
    """Mentions by position and chain."""
    found: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for number, (mention, place) in enumerate(zip(mentions, places, strict=True)):
        found[place].setdefault(mention.chain, []).append(number)
    return found


def _meet(
    ours: Sequence[Mention], mine: Sequence[int], theirs: Sequence[Mention], yours: Sequence[int]
) -> list[Met]:
    """The mentions of two chains at one position: same heads first, then the others in order."""
    left, right = list(mine), list(yours)
    met: list[Met] = []
    for a in mine:
        b = next((b for b in right if theirs[b].head == ours[a].head), None)
        if b is not None:
            met.append((a, b, True))
            left.remove(a)
            right.remove(b)
    return met + [(a, b, False) for a, b in zip(left, right, strict=False)]


def _credit(
    ours: Sequence[Mention],
    mine: Sequence[int],
    theirs: Sequence[Mention],
    yours: Sequence[int],
    other: float,
) -> float:
    met = _meet(ours, mine, theirs, yours)
    return sum(1.0 if same else other for _, _, same in met)
