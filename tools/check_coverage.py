"""Compare the coverage of ``src`` with the recorded figures; ``make coverage`` calls it.

    python tools/check_coverage.py build/coverage.json            # fail if the total is lower
    python tools/check_coverage.py build/coverage.json --record   # write tools/coverage.json

The input is a report of ``coverage json`` with branches. Figures are percentages, in total and per
package. Only the totals must not fall, by more than 0.2 points: a few tests depend on chance.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path, PurePath
from typing import Any

RECORDED = Path(__file__).resolve().parent / "coverage.json"
TOLERANCE = 0.2
Figures = dict[str, dict[str, float]]


def summarize(report: dict[str, Any]) -> Figures:
    """Return the percentages of covered lines and branches, in total and per package."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, file in report["files"].items():
        parts = PurePath(name).parts
        parts = parts[parts.index("albeit") :]
        for package in ("total", parts[1] if len(parts) > 2 else "albeit"):
            counts[package].update(file["summary"])
    return {
        package: {
            "lines": percent(count["covered_lines"], count["num_statements"]),
            "branches": percent(count["covered_branches"], count["num_branches"]),
        }
        for package, count in sorted(counts.items())
    }


def percent(part: float, whole: float) -> float:
    """Return a percentage with two decimals; nothing to cover is covered."""
    return round(100 * part / whole, 2) if whole else 100.0


def compare(figures: Figures, recorded: Figures) -> list[str]:
    """Return one message per total that is lower than recorded."""
    return [
        f"coverage of {kind} fell from {before}% to {figures['total'][kind]}%."
        for kind, before in recorded["total"].items()
        if figures["total"][kind] < before - TOLERANCE
    ]


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("report", type=Path)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    figures = summarize(json.loads(args.report.read_text(encoding="utf-8")))
    print(f"lines {figures['total']['lines']}%, branches {figures['total']['branches']}%")
    if args.record:
        RECORDED.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        return 0
    messages = compare(figures, json.loads(RECORDED.read_text(encoding="utf-8")))
    print("\n".join(messages), end="\n" if messages else "")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
