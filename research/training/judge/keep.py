"""Keep the scores and checks of all teachers in one small file, so that students can be trained again.

    python -m training.judge.keep RUNS research/training/judge/kept/teachers.npz.xz
    python -m training.judge.keep --back research/training/judge/kept/teachers.npz.xz RUNS

Scores are in half precision, one per pair of the store that `training.judge.prepare` writes.
"""

from __future__ import annotations

import io
import lzma
import sys
from pathlib import Path

import numpy as np


def keep(runs: Path, file: Path) -> None:
    """Write the scores and checks of all teachers of these runs."""
    paths = sorted(runs.glob("t-*/scores.npy"))
    if not paths:
        raise SystemExit(f"{runs} holds no teacher's scores")
    scores = {path.parent.name: np.load(path).astype(np.float16) for path in paths}
    # the high and the low bytes of all numbers are stored separately: they compress better
    apart = {n: v.view(np.uint8).reshape(-1, 2).T.copy() for n, v in scores.items()}
    for path in (path.with_name("check.json") for path in paths):
        apart[f"{path.parent.name} check"] = np.frombuffer(path.read_bytes(), np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **apart)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(lzma.compress(buffer.getvalue(), preset=6))
    print(f"{len(scores)} teachers, {file.stat().st_size / 2**20:.1f} MiB")


def back(file: Path, runs: Path) -> None:
    """Restore the files that students read."""
    with np.load(io.BytesIO(lzma.decompress(file.read_bytes())), allow_pickle=False) as kept:
        for name in kept.files:
            folder = runs / name.split()[0]
            folder.mkdir(parents=True, exist_ok=True)
            if name.endswith(" check"):
                (folder / "check.json").write_bytes(kept[name].tobytes())
            else:
                np.save(folder / "scores.npy", kept[name].T.copy().view(np.float16).ravel())


if __name__ == "__main__":
    given = [Path(a) for a in sys.argv[1:] if a != "--back"]
    if len(given) != 2:
        raise SystemExit(__doc__)
    (back if "--back" in sys.argv else keep)(given[0], given[1])
