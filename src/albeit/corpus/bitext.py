"""Sentence pairs from two files of lines."""

from __future__ import annotations

import warnings

from albeit.corpus import read_lines
from albeit.errors import AlbeitWarning, InputError

__all__ = ["read_pairs"]


def read_pairs(source: str, target: str) -> list[tuple[str, str]]:
    """The sentence pairs of two files; pairs with characters that were lost are left out."""
    first, second = read_lines(source), read_lines(target)
    if len(first) != len(second):
        raise InputError(
            f"{len(second)} lines, but {source} has {len(first)}.",
            path=target,
            line=min(len(first), len(second)) + 1,
            hint="A bitext has one sentence pair a line.",
        )
    kept = [(a, b) for a, b in zip(first, second, strict=True) if "\ufffd" not in a + b]
    if len(kept) < len(first):
        lost = len(first) - len(kept)
        warnings.warn(
            AlbeitWarning(f"{lost} sentence pairs hold U+FFFD and were left out.", count=lost),
            stacklevel=1,
        )
    return kept
