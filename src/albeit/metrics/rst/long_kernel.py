"""The kernel of two long trees, in memory that grows as the trees do, not as their product.

Δ of two nodes needs only Δ of their children. So one tree is walked children first, and each
of its nodes keeps a *row*, its Δ with every node of the other tree, only until its parent has
one. Where the child that needs most rows goes first, a binary tree of n nodes never has more
than about log n of them at once. Nodes whose children are leaves or have leaves only (words,
labels) need no row: their Δ is looked up in the productions. Only nodes with equal productions
are looked at.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.jit import jit

__all__ = ["Nodes", "long_log_kernel"]

Ints = npt.NDArray[np.int64]


Nodes = tuple[Ints, Ints, Ints]
"""A tree as compiled code reads it: its productions, starts and children (see ``EncodedTree``)."""


def long_log_kernel(a: Nodes, b: Nodes, log_decay: float) -> float:
    """log K of two trees; minus infinity where they share nothing."""
    heights = _heights(*a[1:])
    order, rows = _order(*a[1:], heights)
    by_production = np.argsort(b[0], kind="stable")
    memory = np.full((rows, len(b[0])), -np.inf)
    return float(
        _kernel(a, heights, order, b, by_production, b[0][by_production], memory, log_decay)
    )


LOW = 1
"""Up to this height a node needs no row."""


@jit
def _heights(starts, children):  # type: ignore[no-untyped-def]
    """How far above leaves each node is: 0 where all its children are leaves."""
    found = np.zeros(len(starts) - 1, np.int64)
    for i in range(len(found)):
        for c in children[starts[i] : starts[i + 1]]:
            if c >= 0:
                found[i] = max(found[i], found[c] + 1)
    return found


@jit
def _order(starts, children, heights):  # type: ignore[no-untyped-def]
    """The nodes with rows, children first and the one that needs most first of all; how many rows."""
    count = len(heights)
    need = np.zeros(count, np.int64)
    for i in range(count):
        if heights[i] <= LOW:
            continue
        below = [need[c] for c in children[starts[i] : starts[i + 1]] if c >= 0 and need[c]]
        below.sort()
        need[i] = len(below) + 1
        for k in range(len(below)):
            need[i] = max(need[i], below[len(below) - 1 - k] + k)
    order = np.empty(np.count_nonzero(need), np.int64)
    place = len(order)
    todo = [count - 1]  # the root; from the end: parents first, the child that needs least first
    while todo:
        i = todo.pop()
        if not need[i]:
            continue
        place -= 1
        order[place] = i
        below = [(-need[c], c) for c in children[starts[i] : starts[i + 1]] if c >= 0]
        below.sort()
        todo.extend([c for _, c in below])
    return order, max(1, need.max())


@jit
def _low(a, i, b, j, log_decay):  # type: ignore[no-untyped-def]
    """log Δ of two nodes of equal productions, the first of them low."""
    (prods_a, starts_a, children_a), (prods_b, starts_b, children_b) = a, b
    value = log_decay
    for c in range(starts_a[i + 1] - starts_a[i]):
        x, y = children_a[starts_a[i] + c], children_b[starts_b[j] + c]
        if x >= 0 and y >= 0 and prods_a[x] == prods_b[y]:
            value += np.log1p(np.exp(log_decay))
    return value


@jit
def _kernel(  # type: ignore[no-untyped-def]
    a, heights, order, b, by_production, sorted_b, rows, log_decay
):
    """log K; ``rows`` is all the memory there is."""
    (prods_a, starts_a, children_a), (prods_b, starts_b, children_b) = a, b
    highest, total = -np.inf, 0.0
    slot = np.full(len(prods_a), -1, np.int64)
    free = list(range(len(rows)))
    low = np.flatnonzero(heights <= LOW)
    for step in range(len(low) + len(order)):
        i = low[step] if step < len(low) else order[step - len(low)]
        begin = np.searchsorted(sorted_b, prods_a[i], side="left")
        end = np.searchsorted(sorted_b, prods_a[i], side="right")
        own = -1
        if step >= len(low):
            own = free.pop()
            slot[i] = own
        for at in range(begin, end):
            j = by_production[at]
            if own < 0:
                value = _low(a, i, b, j, log_decay)
            else:
                value = log_decay
                for c in range(starts_a[i + 1] - starts_a[i]):
                    x, y = children_a[starts_a[i] + c], children_b[starts_b[j] + c]
                    if x < 0 or y < 0:
                        continue
                    if slot[x] >= 0:
                        below = rows[slot[x], y]
                    elif prods_a[x] == prods_b[y]:
                        below = _low(a, x, b, y, log_decay)
                    else:
                        continue
                    if below > -np.inf:
                        value += below if below > 35.0 else np.log1p(np.exp(below))
                rows[own, j] = value
            if value > highest:
                total = total * np.exp(highest - value) + 1.0
                highest = value
            else:
                total += np.exp(value - highest)
        if own >= 0:
            for c in children_a[starts_a[i] : starts_a[i + 1]]:
                if c >= 0 and slot[c] >= 0:
                    first = np.searchsorted(sorted_b, prods_a[c], side="left")
                    last = np.searchsorted(sorted_b, prods_a[c], side="right")
                    for at in range(first, last):
                        rows[slot[c], by_production[at]] = -np.inf
                    free.append(slot[c])
                    slot[c] = -1
    return highest + np.log(total) if total > 0 else -np.inf
