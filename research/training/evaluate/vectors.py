"""How well token vectors tell better translations from worse: greedy-matching F1 against people.

The F1 is BERTScore's: every hypothesis token is matched with its most similar reference token and
the other way round (unit vectors, special tokens left out). Kendall's τ is WMT12's: concordant
minus discordant over all pairs that people did not tie; a tie of the metric is discordant.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
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


def texts(folder: Path, pairs: Iterable[Pair]) -> dict[tuple[str, int], str]:
    """The judged translations and their references (under the system name `ref`)."""
    wanted: dict[str, set[int]] = {}
    for line, better, worse in pairs:
        for system in (better, worse, "ref"):
            wanted.setdefault(system, set()).add(line)
    found: dict[tuple[str, int], str] = {}
    for system, numbers in wanted.items():
        path = folder / "ref.txt" if system == "ref" else folder / "systems" / f"{system}.txt"
        lines = path.read_text(encoding="utf-8").split("\n")
        found.update({(system, n): lines[n] for n in numbers})
    return found


def greedy_f1(hypothesis: Vectors, reference: Vectors) -> float:
    """BERTScore's F1 of two sets of unit vectors; 0 where one is empty."""
    if not len(hypothesis) or not len(reference):
        return 0.0
    likeness = hypothesis @ reference.T
    precision = float(likeness.max(1).mean())
    recall = float(likeness.max(0).mean())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def tau(pairs: Iterable[Pair], scores: Mapping[tuple[str, int], float]) -> float:
    """WMT12's Kendall τ."""
    concordant = total = 0
    for line, better, worse in pairs:
        concordant += scores[better, line] > scores[worse, line]
        total += 1
    return (2 * concordant - total) / total
