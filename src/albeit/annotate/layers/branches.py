"""Trees drawn with their branches, for terminals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

__all__ = ["branches"]

T = TypeVar("T")


def branches(
    root: T,
    label: Callable[[T], str],
    children: Callable[[T], tuple[T, ...]],
    mark: Callable[[T, T], str],
) -> Iterator[str]:
    """A line a node; ``mark(node, child)`` stands before the child's label."""
    stack = [("", "", root)]
    while stack:
        branch, indent, node = stack.pop()
        yield branch + label(node)
        kids = children(node)
        for kid in reversed(kids):
            last = kid is kids[-1]
            corner, below = ("└─", "  ") if last else ("├─", "│ ")
            stack.append((indent + corner + mark(node, kid), indent + below, kid))
