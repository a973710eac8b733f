"""Original Parseval over binary discourse trees, and the baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

Nodes = list[tuple[int, int, int, int, int]]
"""First EDU, last EDU, last EDU of the left child, nuclearity, relation."""
NAMES = ("span", "nuclearity", "relation", "full")


def parseval(trees: Sequence[tuple[Nodes, Nodes]]) -> dict[str, float]:
    """F1 over inner nodes of (mine, gold): both trees have as many, since their EDUs are the same."""
    right: Counter[str] = Counter()
    total = 0
    for mine, gold in trees:
        own = {(a, b): (n, r) for a, b, _, n, r in mine}
        for a, b, _, n, r in gold:
            total += 1
            said = own.get((a, b))
            if said is not None:
                right["span"] += 1
                right["nuclearity"] += said[0] == n
                right["relation"] += said[1] == r
                right["full"] += said == (n, r)
    return {name: 100 * right[name] / max(1, total) for name in NAMES}


def right_branching(ends: Sequence[bool], label: tuple[int, int]) -> Nodes:
    """The baseline: everything hangs on what comes before; sentences first, if `ends` tells where
    any but the last ends."""
    stops = [k for k, end in enumerate(ends[:-1]) if end]
    firsts, count = [0, *(k + 1 for k in stops)], len(ends)
    found: Nodes = [(a, count - 1, b - 1, *label) for a, b in pairwise(firsts)]
    for a, b in pairwise([*firsts, count]):
        found += [(k, b - 1, k, *label) for k in range(a, b - 1)]
    return found
