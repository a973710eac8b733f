"""What the benchmarks share: arguments, timing, and the tables they print."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[1]


def arguments(description: str) -> argparse.ArgumentParser:
    """A parser with what every benchmark takes; add more, then parse."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--data",
        type=Path,
        default=ROOT.parent / "shared" / "data",
        metavar="DIR",
        help="the evaluation data (default: ../shared/data)",
    )
    parser.add_argument("-f", "--format", choices=["text", "json"], default="text")
    return parser


def lines(path: Path, limit: int | None = None) -> list[str]:
    """The lines of a text, or a message and exit where the file is not there."""
    if not path.is_file():
        sys.exit(f"{path} is not there. Give the folder of the evaluation data with --data DIR.")
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")[:limit]


def add_size(parser: argparse.ArgumentParser, segments: int, systems: int) -> None:
    """How much of the test set is taken, with these defaults."""
    parser.add_argument("--segments", type=int, default=segments, metavar="N")
    parser.add_argument("--systems", type=int, default=systems, metavar="N")


def news(options: argparse.Namespace) -> tuple[list[str], dict[str, list[str]]]:
    """WMT12 French-English: the reference, and the first systems by name."""
    folder = options.data / "wmt12" / "fr-en"
    paths = sorted((folder / "systems").glob("*.txt"))[: options.systems]
    systems = {path.stem: lines(path, options.segments) for path in paths}
    return lines(folder / "ref.txt", options.segments), systems


def timed(
    work: Callable[[], T], repeat: int = 1, clock: Callable[[], float] = time.perf_counter
) -> tuple[T, float]:
    """What the work gives, and the least seconds it took by the clock."""
    best = float("inf")
    for _ in range(repeat):
        start = clock()
        result = work()
        best = min(best, clock() - start)
    return result, best


def show(rows: Sequence[Mapping[str, Any]], format_: str) -> None:
    """Print records as a Markdown table or as JSON, with the machine they come from."""
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    if format_ == "json":
        print(json.dumps({"machine": machine, "rows": list(rows)}, indent=1))
        return
    heads = list(rows[0])
    print(f"machine: {machine}\n")
    print("| " + " | ".join(heads) + " |")
    print("|" + " --- |" * len(heads))
    for row in rows:
        cells = (f"{v:.4g}" if isinstance(v, float) else str(v) for v in row.values())
        print("| " + " | ".join(cells) + " |")


def best_of(
    tasks: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Return the least seconds of each task by the clock, taking turns."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(rounds):
        for name, task in tasks.items():
            best[name] = min(best[name], timed(task, clock=clock)[1])
    return best


def peak(before: str, work: str) -> tuple[float, float, float]:
    """Run code in a fresh process; return the processor seconds of the work, and its peak bytes.

    The peak before the work comes first."""
    code = (
        "import resource, sys, time\nsys.path.insert(0, 'benchmarks')\n"
        f"from pathlib import Path\n{before}\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        f"least, start = peak(), time.process_time()\n{work}\n"
        "print(time.process_time() - start, least, peak())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, least, most = map(float, done.stdout.split())
    return seconds, least, most
