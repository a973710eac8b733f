"""Decide which teachers of a model are used, by what they wrote into `check.json`.

    python -m training.judge.teachers RUNS MODEL

Prints one line per teacher: `use NAME`, or `reject NAME REASON`. A teacher is used if its τ on
development documents is within `TOLERANCE` of the best one and it doesn't reproduce chrF.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

TOLERANCE = 0.02
LIKE_CHRF = 0.9
"""A Pearson's r with chrF from this on shows that a model only reproduces chrF."""


def reasons(checks: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """For each teacher why it is rejected; an empty text if it is used."""
    sound = [c["tau"] for c in checks.values() if abs(c["chrf"]) < LIKE_CHRF]
    best = max((tau for tau in sound if tau == tau), default=float("nan"))
    found = {}
    for name, own in checks.items():
        if not abs(own["chrf"]) < LIKE_CHRF:
            found[name] = f"r with chrF is {own['chrf']:.3f}"
        elif not own["tau"] >= best - TOLERANCE:
            found[name] = f"tau is {own['tau']:.3f}, the best one's is {best:.3f}"
        else:
            found[name] = ""
    return found


def read(runs: Path, model: str) -> dict[str, dict[str, float]]:
    """The checks of all teachers of a model that have scores."""
    return {
        path.parent.name: json.loads(path.read_text())
        for path in sorted(runs.glob(f"t-{model}-*/check.json"))
        if (path.parent / "scores.npy").exists()
    }


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    for teacher, reason in reasons(read(Path(sys.argv[1]), sys.argv[2])).items():
        print(f"reject {teacher} {reason}" if reason else f"use {teacher}")
