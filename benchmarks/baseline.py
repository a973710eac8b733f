"""Measure how long commands take with this tree, as ratios to the baseline (tools/baseline.txt).

    python benchmarks/baseline.py [--only NAME ...] [-f json]

Both trees run the same command in turns, each in a new process with caches of its own, after one
run that compiles. A ratio compares the shortest processor times, because other work on the machine
lengthens the elapsed time (three runs each). The command with partitions has two workers.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))

from _common import ROOT, add_size, arguments, news, show

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


def write_texts(options: Namespace, folder: Path) -> None:
    """Write the texts that the commands read."""
    ref, systems = news(options)
    texts = {"ref": ref, **dict(zip("abcd", systems.values(), strict=False))}
    texts["docs"] = [str(number // 20) for number in range(len(ref))]
    for name, text in (("longref", ref), ("long", texts["a"])):
        texts[name] = (text * (100_000 // len(ref) + 1))[:100_000]
    for name, text in texts.items():
        (folder / name).write_text("\n".join(text) + "\n", encoding="utf-8")


def measure(command: str, environment: dict[str, str], folder: Path) -> float:
    """Return the processor seconds of one command and of its processes."""
    before = sum(os.times()[2:4])
    words = command.replace("RUN", f"RUN{time.time_ns()}").split()
    program = [sys.executable, "-m", "albeit", *words]
    subprocess.run(program, env=environment, cwd=folder, check=True, capture_output=True)
    return sum(os.times()[2:4]) - before


def main() -> None:
    """Print one row per command."""
    parser = arguments((__doc__ or "").split("\n")[0])
    add_size(parser, segments=300, systems=4)
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=COMMANDS)
    options = parser.parse_args()
    rows = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        write_texts(options, folder)
        sources = (stack.enter_context(open_tree(read_baseline())), ROOT)
        trees = [stack.enter_context(tree_environment(tree)) for tree in sources]
        for name in options.only:
            command = COMMANDS[name].replace("SET", f"{options.data.resolve()}/wmt13/cs-en")
            for tree in trees:
                measure(command, tree, folder)
            turns = [[measure(command, tree, folder) for tree in trees] for _ in range(3)]
            old, new = map(min, zip(*turns, strict=True))
            times = {"baseline, s": old, "this tree, s": new}
            rows.append({"command": name, **times, "ratio": new / old})
            print(rows[-1], file=sys.stderr, flush=True)
    show(rows, options.format)


if __name__ == "__main__":
    main()
