"""Which sentences of a translation stand for which of its reference, where counts differ.

Both texts of a segment are cut into sentences, which are then matched in order: one to
one, one to several, several to one, or to none. The match with the least cost wins; a
pair of sentences costs less the more content words it shares. What is matched together
counts as one position, so positions of both texts can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["Match", "common_units", "match_sentences"]

Match = tuple[tuple[int, int], tuple[int, int]]
"""Sentences ``first`` to before ``stop`` of one text, and of the other."""

WIDEST = 4
"""The most sentences that are matched with one."""
MERGE_COST = 0.1
"""What each sentence beyond a pair adds, so that one to one wins between equals."""
SKIP_COST = 0.55
"""A sentence without partner: more than half of an unlike pair, so that place alone can match."""
SHAPES = (
    (1, 1),
    *((1, n) for n in range(2, WIDEST + 1)),
    *((n, 1) for n in range(2, WIDEST + 1)),
    (1, 0),
    (0, 1),
)


def match_sentences(
    left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]
) -> tuple[Match, ...]:
    """The cheapest monotone matching of sentences, each given as its content words."""
    if len(left) == len(right) == 1:
        return (((0, 1), (0, 1)),)
    left_words, right_words = _merged(left), _merged(right)

    def price(match: Match) -> float:
        (i, j), (k, m) = match
        if i == j or k == m:
            return SKIP_COST
        return _pair_cost(j - i, m - k, _unlike(left_words[i, j], right_words[k, m]))

    return _cheapest(len(left), len(right), price)


def _pair_cost(many: int, others: int, unlike: float) -> float:
    """What a match of so many sentences with so many others costs, by how unlike they are."""
    return (many + others) / 2 * unlike + MERGE_COST * (many + others - 2)


def _cheapest(rows: int, columns: int, price: Callable[[Match], float]) -> tuple[Match, ...]:
    """Return the cheapest path through two texts; among equals the first of ``SHAPES`` wins."""
    best: dict[tuple[int, int], tuple[float, Match | None]] = {(0, 0): (0.0, None)}
    for i in range(rows + 1):
        for j in range(columns + 1):
            if i == j == 0:
                continue
            options: list[tuple[float, Match | None]] = []
            for a, b in SHAPES:
                if a <= i and b <= j and (i - a, j - b) in best:
                    match = ((i - a, i), (j - b, j))
                    options.append((best[i - a, j - b][0] + price(match), match))
            if options:
                best[i, j] = min(options, key=lambda option: option[0])
    found: list[Match] = []
    place = (rows, columns)
    while (last := best[place][1]) is not None:
        found.append(last)
        place = (last[0][0], last[1][0])
    return tuple(reversed(found))


def _merged(sentences: Sequence[Sequence[str]]) -> dict[tuple[int, int], frozenset[str]]:
    """The words of every run of up to ``WIDEST`` sentences."""
    count = len(sentences)
    return {
        (i, j): frozenset(word for sentence in sentences[i:j] for word in sentence)
        for i in range(count)
        for j in range(i + 1, min(i + WIDEST, count) + 1)
    }


def _unlike(left: frozenset[str], right: frozenset[str]) -> float:
    """One less the share of words in common; half where there are no words to compare."""
    if not left and not right:
        return 0.5
    return 1.0 - 2 * len(left & right) / (len(left) + len(right))


def common_units(texts: Sequence[Sequence[Sequence[str]]]) -> list[list[int]]:
    """One numbering for the sentences of several texts of a segment, for showing side by side.

    The first text's sentences count, and what any other text has as one counts as one. A
    sentence without partner has a number of its own, unless it stands inside what counts as
    one; it shares it with those that other texts have at the same place. Between two texts,
    numbers are what was matched together.
    """
    first, *others = texts
    matches = [match_sentences(first, other) for other in others]
    joined = {
        place for match in matches for (start, stop), _ in match for place in range(start + 1, stop)
    }
    heads = [max(p for p in range(place + 1) if p not in joined) for place in range(len(first))]
    numbered = [[(head, 0) for head in heads]]
    for other, match in zip(others, matches, strict=True):
        mine: list[tuple[int, int]] = [(0, 0)] * len(other)
        current = (-1, 0)
        for (start, stop), (begin, end) in match:
            if stop > start or start in joined:
                current = (heads[start], 0)
            else:
                current = (current[0], current[1] + 1)
            for place in range(begin, end):
                mine[place] = current
        numbered.append(mine)
    units = sorted({place for mine in numbered for place in mine})
    number = {place: n for n, place in enumerate(units)}
    return [[number[place] for place in mine] for mine in numbered]
