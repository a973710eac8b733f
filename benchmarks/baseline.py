"""Measure how long commands take with this tree, as ratios to the baseline (tools/baseline.txt).

    python benchmarks/baseline.py [--repeat 3] [--only NAME ...] [-f json]

Both trees run the same command in turns, each in a new process with caches of its own, after one
run that compiles. A ratio compares the shortest processor times, because other work on the machine
lengthens the elapsed time. The command with partitions has two workers.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))

from _common import ROOT, add_size, arguments, lines, news, show

from tools.baseline import open_tree, read_baseline, tree_environment

COMMANDS = {
    "score chrf": "score ref -i a b c d -m chrf",
    "score dr-lex cohesion": "score ref -i a b --docs docs -m dr-lex cohesion --no-cache",
    "score judge": "score ref -i a b -m judge --no-cache",
    "report": "report ref -i a b c -m chrf dr -o report.html --force --no-cache",
    "metaeval": "metaeval SET -m chrf ter --no-cache",
    "100,000 segments": "score longref -i long -m chrf ter --out RUN --workers 2",
    "--help": "--help",
}
LONG = 100_000


def write_texts(options: Any, folder: Path) -> None:
    """Write the texts that the commands read."""
    reference, systems = news(options)
    texts = {"ref": reference, **dict(zip("abcd", systems.values(), strict=False))}
    texts["docs"] = [str(number // 20) for number in range(len(reference))]
    times = LONG // len(reference) + 1
    texts["longref"] = (reference * times)[:LONG]
    texts["long"] = (texts["a"] * times)[:LONG]
    for name, text in texts.items():
        (folder / name).write_text("\n".join(text) + "\n", encoding="utf-8")


def measure(command: str, environment: dict[str, str], folder: Path) -> tuple[float, float]:
    """Return the elapsed and the processor seconds of one command and its processes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run = f"RUN{start}"
    words = [run if word == "RUN" else word for word in command.split()]
    program = [sys.executable, "-m", "albeit", *words]
    subprocess.run(program, env=environment, cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - start, processor


def main() -> int:
    """Print one row per command."""
    parser = arguments((__doc__ or "").split("\n")[0])
    add_size(parser, segments=300, systems=4)
    parser.add_argument("--repeat", type=int, default=3, metavar="N")
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=COMMANDS)
    options = parser.parse_args()
    judged = (options.data / "wmt13" / "cs-en").resolve()
    lines(judged / "pairwise.tsv", 1)
    rows = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        write_texts(options, folder)
        old = stack.enter_context(open_tree(read_baseline()))
        trees = [stack.enter_context(tree_environment(tree)) for tree in (old, ROOT)]
        for name in options.only:
            command = COMMANDS[name].replace("SET", str(judged))
            for environment in trees:
                measure(command, environment, folder)
            times = [
                [measure(command, environment, folder) for environment in trees]
                for _ in range(options.repeat)
            ]
            best = [[min(row[tree][kind] for row in times) for kind in (0, 1)] for tree in (0, 1)]
            row = {
                "command": name,
                "baseline, processor s": best[0][1],
                "this tree": best[1][1],
                "ratio": best[1][1] / best[0][1],
                "ratio of elapsed time": best[1][0] / best[0][0],
            }
            rows.append(row)
            print(row, file=sys.stderr, flush=True)
    show(rows, options.format)
    return 0


if __name__ == "__main__":
    sys.exit(main())
