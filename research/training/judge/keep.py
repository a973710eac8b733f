"""Keep the teachers' scores, so that students can be made again: one small file for all.

    python -m training.judge.keep RUNS research/training/judge/kept/teachers.npz.xz
    python -m training.judge.keep --back research/training/judge/kept/teachers.npz.xz RUNS

Scores are in half precision, one a pair of the store that `training.judge.prepare` writes.
"""

from __future__ import annotations

import io
import lzma
import sys
from pathlib import Path

import numpy as np


def keep(runs: Path, file: Path) -> None:
    """Write all teachers' scores of these runs."""
    paths = sorted(runs.glob("t-*/scores.npy"))
    if not paths:
        raise SystemExit(f"{runs} holds no teacher's scores")
    scores = {path.parent.name: np.load(path).astype(np.float16) for path in paths}
    # the two bytes of all numbers apart: they compress better
    apart = {n: v.view(np.uint8).reshape(-1, 2).T.copy() for n, v in scores.items()}
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **apart)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(lzma.compress(buffer.getvalue(), preset=6))
    print(f"{len(scores)} teachers, {file.stat().st_size / 2**20:.1f} MiB")


def back(file: Path, runs: Path) -> None:
    """Put kept scores where students look for them."""
    with np.load(io.BytesIO(lzma.decompress(file.read_bytes())), allow_pickle=False) as kept:
        for name in kept.files:
            (runs / name).mkdir(parents=True, exist_ok=True)
            np.save(runs / name / "scores.npy", kept[name].T.copy().view(np.float16).ravel())


if __name__ == "__main__":
    given = [Path(a) for a in sys.argv[1:] if a != "--back"]
    if len(given) != 2:
        raise SystemExit(__doc__)
    (back if "--back" in sys.argv else keep)(given[0], given[1])
