"""Read the soft labels of ReMedy-9B and the newer human judgments for `judge-many`.

ReMedy is built on Gemma 2, so its labels train `judge-many` alone (Gemma's terms), never `judge`.
Each year has its own model and scale: scores are standardized by language pair and year, by ranks, because
those of 2024 are saturated at the top.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from training.judge.segments import Segment, segments_of, table
from training.judge.store import Array

SYSTEMS = 8
"""Outputs per segment that are taken, drawn at random."""
RUN = 10
"""Lines that count as one document where documents aren't known."""
INDIC = ("en-ta", "en-ml", "en-mr", "en-gu", "en-hi")


def normal_scores(scores: Array) -> Array:
    """Scores as quantiles of a normal distribution; ties have one value."""
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    middle = np.cumsum(count) - count / 2
    return np.asarray(ndtri(middle / len(scores))[place])


def remedy(folder: Path, systems: int = SYSTEMS) -> list[tuple[str, Segment]]:
    """(language pair, segment) with standardized scores as levels; sets are `remedy22/en-cs` etc."""
    found: list[tuple[str, Segment]] = []
    for path in sorted(folder.glob("wmt*/*/scores.tsv")):
        data, pair = f"remedy{path.parent.parent.name[-2:]}", path.parent.name
        segments = segments_of(data, path.parent, {"ref": "ref.txt"})
        if not (path.parent / "docids.txt").exists():
            for number, segment in enumerate(segments):
                segment.document = f"{data}/{pair}:{number // RUN}"
        rows = [
            (row["system"], int(row["segment"]) - 1, float(row["score"])) for row in table(path)
        ]
        levels = normal_scores(np.array([score for *_, score in rows]))
        for (system, number, _), level in zip(rows, levels, strict=True):
            if system in segments[number].outputs:
                segments[number].levels[system] = float(level)
        rng = random.Random(f"{data}{pair}")
        for segment in segments:
            chosen = sorted(segment.levels)
            chosen = rng.sample(chosen, min(systems, len(chosen)))
            segment.outputs = {name: segment.outputs[name] for name in chosen}
            segment.levels = {name: segment.levels[name] for name in chosen}
        found += [(pair, s) for s in segments if s.outputs and s.references["ref"].strip()]
    return found


def newer(folder: Path) -> list[tuple[str, Segment]]:
    """MQM of WMT22 en-de and of five Indian languages: sets that decide how much chrF counts.

    They aren't used for training (WMT22: CC BY-NC-SA; IndicMT: no license). Side-by-side MQM of
    WMT23 isn't read: WMT23 is a test set. Segments with doubtful references are left out."""
    found: list[tuple[str, Segment]] = []
    for data, pair in (("wmt22", "en-de"), *(("indicmt", pair) for pair in INDIC)):
        path = folder / f"{data}-mqm" / pair
        segments = segments_of(data, path, {"ref-A": "ref.txt"})
        for row in table(path / "judgments.tsv"):
            segment = segments[int(row["segment"]) - 1]
            if row["system"] in segment.outputs and re.fullmatch(r"-?\d+(\.\d+)?", row["mqm"]):
                segment.levels[row["system"]] = max(-25.0, float(row["mqm"]))
        doubt = path / "reference_doubt.tsv"
        wrong = {int(row["segment"]) - 1 for row in table(doubt)} if doubt.exists() else set()
        for number, segment in enumerate(segments):
            if data == "indicmt":
                segment.document = segment.key
            if segment.levels and number not in wrong:
                found.append((pair, segment))
    return found
