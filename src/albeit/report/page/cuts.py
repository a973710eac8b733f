"""Where the words of a text stand, given as a rule and what differs from it.

Metrics cut a text at spaces, around marks, or into characters, and mostly nothing else: then
the number of that rule says it all. ``assets/cuts.js`` has the same rules, letter by letter, so
that what it makes of them is exactly what was folded here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["GAPS", "packed_tokens"]

_SPACE = "\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_MARK = r"!-&(-,./:-@\[-`{-~"
RULES = tuple(map(re.compile, (f"[^{_SPACE}]+", f"[^{_SPACE}{_MARK}]+|[{_MARK}]", f"[^{_SPACE}]")))
"""Words between spaces; words and marks (ASCII's, without apostrophe and hyphen); characters."""
GAPS = len(RULES)
"""The number of the rule that is none: the gap before each token, and its length."""


def packed_tokens(text: str, offsets: Sequence[tuple[int, int]]) -> int | list[int]:
    """A rule's number; or a list of it and the places, each counted from the one before, at which
    a token begins by the rule or in truth, but not by both."""
    if not _covers(text, offsets):
        return _gaps(offsets)
    begins = {start for start, _ in offsets}
    odd = [sorted(begins ^ {m.start() for m in rule.finditer(text)}) for rule in RULES]
    best = min(range(GAPS), key=lambda rule: len(odd[rule]))
    places = odd[best]
    steps = [place - before for place, before in zip(places, [0, *places], strict=False)]
    return [best, *steps] if steps else best


def _covers(text: str, offsets: Sequence[tuple[int, int]]) -> bool:
    """Whether every character but spaces is in one token, and no token is empty or has a space."""
    covered = [place for start, stop in offsets for place in range(start, stop)]
    letters = [m.start() for m in RULES[-1].finditer(text)]
    return covered == letters and all(start < stop for start, stop in offsets)


def _gaps(offsets: Sequence[tuple[int, int]]) -> list[int]:
    numbers, end = [GAPS], 0
    for start, stop in offsets:
        numbers += [start - end, stop - start]
        end = stop
    return numbers
