"""Write the digests of all references that a shipped judge learnt from beside its weights.

    PYTHONPATH=src:research python -m training.judge.seen --discourse UNPACKED --out small|wide [--marks FILE ...]
    PYTHONPATH=src:research python -m training.judge.seen --discourse UNPACKED --judgments UNPACKED --out many

`judge` reads them to say when a set that it scores was in its training. `judge-many` has learnt from sources
too.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from albeit.metrics.judge.metric import SEEN, digest_lines
from training.judge.segments import lines, read_all
from training.many import segments as languages

WEIGHTS = Path(__file__).resolve().parents[3] / "src/albeit/metrics/judge/weights"


def main() -> None:
    """Read the sets of the training, and keep what their references hash to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", choices=["small", "wide", "many"], required=True)
    parser.add_argument("--discourse", type=Path, required=True, help="discourse.tar.xz, unpacked")
    parser.add_argument("--judgments", type=Path, help="judgments.tar.xz, unpacked: for `many`")
    parser.add_argument(
        "--marks",
        type=Path,
        nargs="*",
        default=[],
        help="references of sets whose marks alone were learnt",
    )
    args = parser.parse_args()
    if args.out == "many":
        segments = [s for _, s in languages.read_all(args.data, args.discourse, args.judgments)]
        known = [s.source for s in segments if s.data != "mlqe"]
    else:
        segments, known = read_all(args.data, args.discourse), []
    known += [text for segment in segments for text in segment.references.values()]
    found = digest_lines([*known, *(line for path in args.marks for line in lines(path))])
    np.save(WEIGHTS / args.out / SEEN, found)
    print(f"{len(found)} references, {found.nbytes} bytes")


if __name__ == "__main__":
    main()
