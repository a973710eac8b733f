"""Keep the scores and checks of all teachers in one small file, so that students can be trained
again.

    python -m training judge.keep RUNS research/training/judge/kept/teachers.npz.xz
    python -m training judge.keep --back research/training/judge/kept/teachers.npz.xz RUNS

Scores are in half precision, one per pair of the store that `training.judge.prepare` writes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from training.judge.store import Array, compress, read_arrays


def keep(runs: Path, file: Path) -> None:
    """Write the scores and checks of all teachers of these runs."""
    arrays: dict[str, Array] = {}
    for path in sorted(runs.glob("t-*/scores.npy")):
        # the high and the low bytes of all numbers are stored separately: they compress better
        flat = np.load(path).astype(np.float16).view(np.uint8)
        arrays[path.parent.name] = flat.reshape(-1, 2).T.copy()
        check = path.with_name("check.json").read_bytes()
        arrays[f"{path.parent.name} check"] = np.frombuffer(check, np.uint8)
    if not arrays:
        raise SystemExit(f"{runs} holds no teacher's scores")
    compress(arrays, file)
    print(f"{len(arrays) // 2} teachers, {file.stat().st_size / 2**20:.1f} MiB")


def restore(file: Path, runs: Path) -> None:
    """Restore the files that students read."""
    for name, value in read_arrays(file).items():
        folder = runs / name.split()[0]
        folder.mkdir(parents=True, exist_ok=True)
        if name.endswith(" check"):
            (folder / "check.json").write_bytes(value.tobytes())
        else:
            np.save(folder / "scores.npy", value.T.copy().view(np.float16).ravel())


def main(source: Path, target: Path, *, back: bool = False) -> None:
    """Keep the runs of a folder in a file, or restore them from it."""
    (restore if back else keep)(source, target)
