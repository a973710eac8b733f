"""Keep the figures of a training: python -m training.languages.collect RUNS research/training/languages/kept/discourse.json"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any


def collect(runs: Path) -> dict[str, Any]:
    """By run: how it was trained, F1 of EDU starts, Parseval of trees."""
    found: dict[str, Any] = {}
    for folder in sorted(path.parent for path in runs.glob("*/edus.json")):
        one: dict[str, Any] = {}
        for name, log in (("edus", folder.name), ("trees", f"{folder.name}-trees")):
            path = folder / f"{name}.json"
            if path.exists():
                kept = json.loads(path.read_text())
                figures = kept["f1"] if name == "edus" else kept["parseval"]
                said = re.findall(r"^trained .*$", (runs / f"{log}.log").read_text(), re.M)
                one[name] = {
                    "arguments": kept["arguments"],
                    "trained": said[-1],
                    "figures": rounded(figures),
                }
        found[folder.name] = one
    return found


def rounded(figures: Any) -> Any:
    """Two digits are enough."""
    if isinstance(figures, dict):
        return {name: rounded(value) for name, value in figures.items()}
    return round(float(figures), 2)


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(collect(Path(sys.argv[1])), indent=1) + "\n")
