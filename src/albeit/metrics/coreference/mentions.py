"""The mentions of a document as they are compared: where each stands, its head, and what it is.

A mention is a pronoun, a name or a noun. Pronouns are recognised by their form; a name is a head
with a capital letter, which the document also writes so inside a sentence. The head is
compared by its stem, a pronoun by its person, number and gender (*he*, *him* and *his* are one).

:func:`match` says which chain of a translation is which of its reference, and which of their
mentions meet. Two mentions meet where they stand at the same position, in chains that were paired. They
count fully with the same head, and ``other`` where what is said there is another word or
another kind of mention (a pronoun for a name). Chains are paired one to one, those first that
share most; a chain that shares no position with another is never looked at, so the work grows
as the document does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from albeit.parsing.chains import match_sentences
from albeit.parsing.content import content_words
from albeit.parsing.layers import COREFERENCE, LINES, SENTENCES, TOKENS, Analysis
from albeit.parsing.traits import CLASS, PRONOUNS
from albeit.resources import stemmer

__all__ = ["Kind", "Matched", "Mention", "Mentions", "Met", "match", "read_mentions", "units"]

Kind = Literal["pronoun", "name", "noun"]


@dataclass(frozen=True, slots=True)
class Mention:
    """Words ``start`` to ``stop`` of the document; ``head`` is what it is compared by."""

    chain: int
    sentence: int
    start: int
    stop: int
    kind: Kind
    head: str


@dataclass(frozen=True)
class Mentions:
    """All mentions of a document's chains in order, and its sentences, by line, as content words.

    A chain is an entity with two mentions or more. ``first`` is the first sentence of each line.
    """

    mentions: tuple[Mention, ...]
    lines: tuple[tuple[tuple[str, ...], ...], ...]
    first: tuple[int, ...]


def read_mentions(analysis: Analysis) -> Mentions:
    """The mentions of a document."""
    forms, spans = analysis[TOKENS].forms, analysis[SENTENCES]
    starts = [start for start, _ in spans]
    inner = {
        forms[word]
        for start, stop in spans
        for word in range(start + 1, stop)
        if forms[word][:1].isupper()
    }
    stem = stemmer("en")

    def read(chain: int, start: int, stop: int, head: int) -> Mention:
        form = forms[head]
        person = CLASS.get(form.lower())
        sentence = bisect_right(starts, head) - 1
        if person:
            kind: Kind = "pronoun"
            return Mention(chain, sentence, start, stop, kind, PRONOUNS[person - 1].split()[0])
        kind = "name" if form in inner else "noun"
        return Mention(chain, sentence, start, stop, kind, stem(form.lower()))

    chains = (cluster for cluster in analysis[COREFERENCE] if len(cluster.mentions) > 1)
    found = [
        read(chain, mention.start, mention.stop, mention.head)
        for chain, cluster in enumerate(chains)
        for mention in cluster.mentions
    ]
    content = content_words("en", "stem")
    words = [tuple(filter(None, map(content.key, forms[start:stop]))) for start, stop in spans]
    begins = list(accumulate((len(line) + 1 for line in analysis[LINES]), initial=0))
    offsets = analysis[TOKENS].offsets
    line_of = [bisect_right(begins, offsets[start][0]) - 1 for start in starts]
    lines: list[list[tuple[str, ...]]] = [[] for _ in analysis[LINES]]
    for line, own in zip(line_of, words, strict=True):
        lines[line].append(own)
    first = accumulate(map(len, lines), initial=0)
    return Mentions(tuple(found), tuple(map(tuple, lines)), tuple(first)[:-1])


def units(left: Mentions, right: Mentions) -> tuple[Sequence[int], Sequence[int], int]:
    """The position of every sentence of both texts, and how many positions there are.

    Lines are positions; where a line of either text holds several sentences, both are matched
    in order, and what is matched together is one position.
    """
    ours: list[int] = []
    theirs: list[int] = []
    count = 0
    for mine, yours in zip(left.lines, right.lines, strict=True):
        for (i, j), (k, m) in match_sentences(mine, yours):
            ours += [count] * (j - i)
            theirs += [count] * (m - k)
            count += 1
    return ours, theirs, count


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
