"""Sentence pairs from two files of lines."""

from __future__ import annotations

from albeit.corpus.build import check_parity
from albeit.corpus.textio import counted, read_lines, warn

__all__ = ["read_pairs"]


def read_pairs(source: str, target: str) -> list[tuple[str, str]]:
    """The sentence pairs of two files; pairs with characters that were lost are left out."""
    first, second = read_lines(source), read_lines(target)
    check_parity([(source, first), (target, second)])
    kept = [(a, b) for a, b in zip(first, second, strict=True) if "\ufffd" not in a + b]
    lost = len(first) - len(kept)
    if lost:
        warn(f"{counted(lost, 'sentence pair')} with U+FFFD left out.", path=target, count=lost)
    return kept
