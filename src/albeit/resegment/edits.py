"""Cut a running text so that its pieces match given segments with the fewest word edits.

One pass of dynamic programming over the document, after Matusov et al. (2005): the words of
the text are aligned with those of all segments in a row, and where the alignment passes from
one segment to the next, the text is cut. Cuts fall only where a text may be cut
(:mod:`albeit.resegment.words`), and one that is not where a sentence ends, though the segment
does, costs extra; after a headline, so does one before a small letter or after a comma. Only a
corridor around words that both texts have once is looked at (:func:`corridor`), so time and memory grow with the length of a document, not with its square.

Where in a long text each segment can lie at all is seen by word triples that both have just once. Such
triples, in the longest chain that runs in the same order on both sides, are anchors. A
segment is looked for between the anchors around it, and some way beyond; without anchors,
around the place that its share of the words points to.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from albeit.jit import jit
from albeit.resegment.words import Words, numbered

__all__ = ["corridor", "cut_by_edits"]


Ints = npt.NDArray[np.int32]

ALL_COMPARED = 1 << 24
"""Up to so many pairs of words, all are compared."""
MARGIN = 500
"""How many words beyond an anchor a segment is still looked for."""
WIDEST = 8_000
"""The most words a segment is looked for in."""


def corridor(ours: Ints, theirs: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """The first and last place in ``theirs`` where each segment may begin or end.

    ``ends`` are where the segments end in ``ours``. Neither bound ever goes back, the first
    segment may begin at 0, and the last may end at the end.
    """
    count, size = len(ends), len(theirs)
    low, high = np.zeros(count, np.int64), np.full(count, size, np.int64)
    if len(ours) * size > ALL_COMPARED:
        mine, its = (
            np.array([0, *a, b])
            for a, b in zip(_anchors(ours, theirs), (len(ours), size), strict=True)
        )
        begins = np.concatenate([[0], ends[:-1]])
        low = its[np.searchsorted(mine, begins, side="right") - 1] - MARGIN
        high = its[np.minimum(np.searchsorted(mine, ends, side="left"), len(mine) - 1)] + MARGIN
        middle = np.interp((begins + ends) / 2, mine, its).astype(np.int64)
        low = np.maximum(low, middle - WIDEST // 2)
        high = np.minimum(high, middle + WIDEST // 2)
        low, high = (
            np.maximum.accumulate(low.clip(0, size)),
            np.maximum.accumulate(high.clip(0, size)),
        )
        low[0], high[-1] = 0, size
        # a segment begins where the one before it can end
        high[:-1] = np.maximum(high[:-1], low[1:])
    return low.astype(np.int32), high.astype(np.int32)


def _anchors(ours: Ints, theirs: Ints) -> tuple[list[int], list[int]]:
    """Places of triples that stand once on each side, in the longest chain of equal order."""
    left, right = _once(ours), _once(theirs)
    pairs = sorted((left[triple], right[triple]) for triple in left.keys() & right.keys())
    tails: list[int] = []
    tops: list[int] = []
    before = [-1] * len(pairs)
    for n, (_, place) in enumerate(pairs):
        at = bisect_left(tails, place)
        tails[at : at + 1] = [place]
        tops[at : at + 1] = [n]
        before[n] = tops[at - 1] if at else -1
    chain: list[int] = []
    n = tops[-1] if tops else -1
    while n >= 0:
        chain.append(n)
        n = before[n]
    chain.reverse()
    return [pairs[n][0] for n in chain], [pairs[n][1] for n in chain]


def _once(words: Ints) -> dict[tuple[int, int, int], int]:
    """Where each triple of words stands that stands only once."""
    found: dict[tuple[int, int, int], int] = {}
    numbers = words.tolist()
    for i, triple in enumerate(zip(numbers, numbers[1:], numbers[2:], strict=False)):
        found[triple] = -1 if triple in found else i
    return {triple: i for triple, i in found.items() if i >= 0}


Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


LOST = 1.0
"""A word without partner, on either side."""
OTHER = 1.6
"""A word for another one: less than losing both."""
STEM = 0.7
"""A word for another one with the same first letters."""
INSIDE = 6.0
"""A cut inside a sentence, where the segment ends one."""
COMMA = 2.0
"""After a segment that ends no sentence, such as a headline: a cut after a comma."""
SMALL = 2.0
"""There, too: a cut before a small letter, if the next segment does not begin with one."""
NAME = 1.0
"""And one before a word that the text never writes small: it may stand anywhere."""
LINE = -1.0
"""A cut at a line break."""


def cut_by_edits(segments: Sequence[Words], text: Words, inside: float = INSIDE) -> list[int]:
    """The offset of the cut after each segment but the last.

    ``inside`` is what a cut costs that falls inside a sentence where the segment ends one.
    """
    joined = [key for segment in segments for key in segment.keys]
    stems = [stem for segment in segments for stem in segment.stems]
    ours, theirs = numbered(joined, text.keys)
    our_stems, their_stems = numbered(stems, text.stems)
    ends = np.cumsum([len(segment) for segment in segments]).astype(np.int32)
    low, high = corridor(ours, theirs, ends)
    kinds = [
        (bool(segment.ends[-1]), bool(segment.commas[-1]), bool(following.smalls[0]))
        for segment, following in pairwise([*segments, text])
    ]
    known = sorted(set(kinds))
    price = np.stack([_cut_costs(text, inside, *own) for own in known])
    kind = np.array([known.index(own) for own in kinds], np.int8)
    places = _cut(
        ours,
        our_stems,
        _are_words(joined),
        ends,
        kind,
        theirs,
        their_stems,
        _are_words(text.keys),
        price,
        low,
        high,
    )
    return [text.offset(int(place)) for place in places[:-1]]


def _are_words(keys: Sequence[str]) -> Flags:
    return np.array([key[0].isalnum() for key in keys], np.bool_)


def _cut_costs(text: Words, inside: float, whole: bool, comma: bool, small: bool) -> Floats:
    """What a cut before each word costs, after a segment of one kind.

    ``whole``: the segment ends a sentence. Where it does not, signs of where texts begin and
    end must do: ``comma``, that it ends with one; ``small``, that the next begins with a small
    letter.
    """
    price = LINE * text.lines
    if whole:
        price += inside * ~text.ends
    else:
        price += COMMA * (text.commas & (not comma))
        price += (SMALL * text.smalls + NAME * text.names) * (not small)
    return np.where(text.cuts, price, np.inf).astype(np.float32)


@jit
def _cut(  # type: ignore[no-untyped-def]
    ours,
    our_stems,
    our_words,
    ends,
    kind,
    theirs,
    their_stems,
    their_words,
    price,
    low,
    high,
):
    """The place of the cut after every segment, the last of which is the text's end.

    ``low[s]`` and ``high[s]`` bound the places where segment ``s`` may begin and end.
    """
    count = len(ends)
    rows = np.zeros(count + 1, np.int64)
    for s in range(count):
        rows[s + 1] = rows[s] + high[s] - low[s] + 1
    back = np.zeros(rows[count], np.int32)
    size = len(theirs) + 1
    done = np.full(size, np.inf, np.float32)
    done[0] = 0.0
    cost = np.full(size, np.inf, np.float32)
    came = np.zeros(size, np.int32)
    first = 0
    lost = np.float32(LOST)
    for s in range(count):
        lo, hi = low[s], high[s]
        for j in range(lo, hi + 1):
            cost[j], came[j] = done[j], j
            if j > lo and cost[j - 1] + lost < cost[j]:
                cost[j], came[j] = cost[j - 1] + lost, came[j - 1]
        for i in range(first, ends[s]):
            word, root, is_word = ours[i], our_stems[i], our_words[i]
            corner, corner_from = cost[lo], came[lo]
            cost[lo] += lost
            for j in range(lo + 1, hi + 1):
                above, above_from = cost[j], came[j]
                if theirs[j - 1] == word:
                    step = np.float32(0.0)
                elif their_stems[j - 1] == root:
                    step = np.float32(STEM)
                elif their_words[j - 1] == is_word:
                    step = np.float32(OTHER)
                else:
                    step = np.float32(2 * lost)
                best, origin = corner + step, corner_from
                if above + lost < best:
                    best, origin = above + lost, above_from
                if cost[j - 1] + lost < best:
                    best, origin = cost[j - 1] + lost, came[j - 1]
                cost[j], came[j] = best, origin
                corner, corner_from = above, above_from
        first = ends[s]
        done[:] = np.inf
        last = s == count - 1
        for j in range(lo, hi + 1):
            back[rows[s] + j - lo] = came[j]
            done[j] = cost[j] + (np.float32(0.0) if last else price[kind[s], j])
    places = np.zeros(count, np.int32)
    at = size - 1
    for s in range(count - 1, -1, -1):
        places[s] = at
        at = back[rows[s] + at - low[s]]
    return places
