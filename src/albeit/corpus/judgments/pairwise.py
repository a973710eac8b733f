"""Preferences as pairs: a TSV with columns segment (1-based), better, worse; or good and bad."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from albeit.corpus.formats.contrastive import BAD, GOOD, read_items
from albeit.corpus.items import places
from albeit.corpus.judgments.shapes import Pairs
from albeit.corpus.tables import Header, rows, segment, segment_index
from albeit.errors import InputError

__all__ = ["read_contrastive", "read_pairwise"]


def read_pairwise(path: str | Path) -> Pairs:
    """Read a pairwise file (plain or .gz); a repeated line is a second judgment."""
    path = Path(path)
    header = Header(path)
    place, base = segment_index(header)
    better, worse = header.need("better"), header.need("worse")
    index: dict[str, int] = {}
    found: list[tuple[int, int, int, int]] = []
    for line, fields in rows(header):
        left = index.setdefault(fields[better], len(index))
        right = index.setdefault(fields[worse], len(index))
        if left == right:
            raise InputError(f"{fields[better]!r} is compared with itself.", path=path, line=line)
        found.append((segment(fields[place], base, path, line), left, right, line))
    if not found:
        raise InputError("has a header but no judgments.", path=path)
    table = np.array(found, dtype=np.int64)
    ones = np.ones(len(table), dtype=np.int64)
    return Pairs(tuple(index), table[:, 0], table[:, 1], table[:, 2], ones, str(path), table[:, 3])


def read_contrastive(path: str | Path) -> Pairs:
    """The good translation preferred to the bad one, on the sentence of every item."""
    items, _ = read_items(Path(path))
    segments = np.array(places(items), dtype=np.int64)
    zero, one = np.zeros_like(segments), np.ones_like(segments)
    return Pairs((GOOD, BAD), segments, zero, one, one, str(path))
