"""Choose among variants by their development figures: prints the arguments of the best.

python -m training.judge.choose RUNS/v1 RUNS/v2 -- margin crossed
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    """Print the chosen arguments as options of `training.judge.train`."""
    cut = sys.argv.index("--")
    figures = {}
    for run in map(Path, sys.argv[1:cut]):
        if (run / "figures.json").exists():
            figures[run.name] = json.loads((run / "figures.json").read_text())
    if not figures:
        raise SystemExit("no variant has figures")
    best = max(figures, key=lambda name: figures[name]["dev"]["mean"])
    for name, found in figures.items():
        print(name, {k: round(v, 4) for k, v in found["dev"].items()}, file=sys.stderr)
    options = []
    for name in sys.argv[cut + 1 :]:
        value = figures[best]["arguments"][name]
        if value in ("True", "False"):
            options.append(f"--{'' if value == 'True' else 'no-'}{name}")
        else:
            options.append(f"--{name} {value}")
    print(" ".join(options))


if __name__ == "__main__":
    main()
