"""The figures of several runs that judge together: the mean of their scores, each in its own deviations.

python -m training.judge.together RUNS/s-no12 RUNS/p-no12 --model no12 --store research/data/judge.npz.xz
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from training.judge import figures
from training.judge.store import MODELS, load


def main() -> None:
    """Read, average, count, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--model", choices=sorted(MODELS), required=True, help="what they left out")
    parser.add_argument("--store", type=Path, default=Path("research/data/judge.npz.xz"))
    args = parser.parse_args()
    parts = [np.load(run / "scores.npy") for run in args.runs]
    mean = np.mean([(part - np.nanmean(part)) / np.nanstd(part) for part in parts], axis=0)
    print(json.dumps(figures.tested(load(args.store), mean, MODELS[args.model]), indent=1))


if __name__ == "__main__":
    main()
