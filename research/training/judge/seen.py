"""Write the digests of all references that a shipped judge learnt from beside its weights.

    PYTHONPATH=src:research python -m training.judge.seen --discourse UNPACKED --out small|wide

`judge` reads them to say when a set that it scores was in its training.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from albeit.metrics.judge.seen import FILE, digests
from training.judge.segments import read_all

WEIGHTS = Path(__file__).resolve().parents[3] / "src/albeit/metrics/judge/weights"


def main() -> None:
    """Read the sets of the training, and keep what their references hash to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", choices=["small", "wide"], required=True)
    parser.add_argument("--discourse", type=Path, required=True, help="discourse.tar.xz, unpacked")
    args = parser.parse_args()
    segments = read_all(args.data, args.discourse)
    found = digests(line for each in segments for line in each.references.values())
    np.save(WEIGHTS / args.out / FILE, found)
    print(f"{len(found)} references, {found.nbytes} bytes")


if __name__ == "__main__":
    main()
