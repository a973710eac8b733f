"""Human rankings as pairs: which of two systems people put higher, line by line."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

Pair = tuple[int, str, str]
"""Line (0-based), the better system, the worse."""


def wmt12_pairs(folder: Path) -> list[Pair]:
    """The untied pairwise judgments behind a WMT12 language pair's five-way rankings."""
    pairs: list[Pair] = []
    with (folder / "judgments.csv").open(encoding="utf-8") as lines:
        for record in csv.DictReader(lines):
            line = int(record["srcIndex"]) - 1
            ranked = [
                (record[f"system{k}Id"], int(record[f"system{k}rank"]))
                for k in range(1, 6)
                if int(record[f"system{k}rank"]) > 0
            ]
            for (a, rank_a), (b, rank_b) in combinations(ranked, 2):
                if rank_a < rank_b:
                    pairs.append((line, a, b))
                elif rank_b < rank_a:
                    pairs.append((line, b, a))
    return pairs


def wmt13_pairs(folder: Path) -> list[Pair]:
    """The pairwise judgments of a WMT13 language pair."""
    with (folder / "pairwise.tsv").open(encoding="utf-8") as lines:
        return [
            (int(r["segment"]) - 1, r["better"], r["worse"])
            for r in csv.DictReader(lines, delimiter="\t")
        ]
