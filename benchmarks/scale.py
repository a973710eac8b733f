"""Beyond one machine: the same bytes from every engine, and what they cost.

    PYTHONPATH=src python benchmarks/scale.py bytes [--segments 20000] [--kills 20]
    PYTHONPATH=src python benchmarks/scale.py length [--sizes 10000 100000 1000000]

All score one system with chrF and TER, from text files, by the command ``albeit score --out``
in a process of its own. The texts are the references and translations of WMT12, again and
again, each time with a number added, so that no two segments are the same.

``bytes``: the manifest and all parts must be the same files, byte for byte, and the printed
table the same as without ``--out``, whoever works, whatever dies. ``length``: seconds and the
most memory against the number of segments. A run of 10,000,000 segments in pieces was made with
commit 678f4ef8.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from _common import arguments, show
from _scale import cluster, command, descendants, files, ran, texts


def main() -> None:
    """Run the part that was asked for."""
    parser = arguments(__doc__ or "")
    parser.add_argument("part", choices=["bytes", "length"])
    parser.add_argument("--segments", type=int, default=20_000, metavar="N")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--kills", type=int, default=20, help="how often a run is killed")
    parser.add_argument("--longest", type=float, default=15, help="seconds until it is, at most")
    parser.add_argument("--batch", type=int, default=500, help="segments a batch of these runs")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between dead workers")
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the fastest counts")
    parser.add_argument("--words", type=int, help="most words of a segment, for length")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="albeit-scale-") as name:
        parts = {"bytes": same_bytes, "length": length}
        show(parts[args.part](args, Path(name)), args.format)


def length(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """Seconds and memory against the number of segments, in one process.

    The start is a run of one full batch: what is loaded with it is paid once.
    """
    from albeit.evaluation.scoring import PARTITION_LINES

    rows = []
    one = texts(args.data, folder, PARTITION_LINES, args.words)
    starts = [ran(command(*one, "--out", str(folder / f"start{n}")))[2] for n in range(args.repeat)]
    for size in args.sizes:
        run = folder / str(size)
        _, seconds, processor, memory = ran(
            command(*texts(args.data, folder, size, args.words), "--out", str(run))
        )
        rows.append(
            {
                "segments": size,
                "seconds": seconds,
                "processor s": processor,
                "start, s": min(starts),
                "after start, µs a segment": 1e6
                * (processor - min(starts))
                / (size - PARTITION_LINES),
                "peak MB": memory,
                "parts MB": sum(p.stat().st_size for p in run.rglob("*.*")) / 1e6,
            }
        )
        print(rows[-1], file=sys.stderr, flush=True)
        shutil.rmtree(run)
    return rows


def same_bytes(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """Every way of making the same run."""
    ref, system = texts(args.data, folder, args.segments)
    printed = ran(command(ref, system, "--no-cache"))[0]
    ran(command(ref, system, "--out", str(folder / "one"), "--batch-size", str(args.batch)))
    expected = files(folder / "one")
    rows: list[dict[str, Any]] = []

    def tell(name: str, run: Path, out: str, note: str = "") -> None:
        same = files(run) == expected and out == printed
        rows.append({"run": name, "files": len(expected), "same bytes": same, "note": note})
        print(rows[-1], file=sys.stderr)
        shutil.rmtree(run)

    run = folder / "run"
    own = command(ref, system, "--out", str(run), "--batch-size", str(args.batch))
    tell("one process, again", run, ran(own)[0])
    tell("pool of 2", run, ran([*own, "--workers", "2"])[0])
    for workers in (2, 4):
        with cluster(workers) as address:
            tell(f"Dask, {workers} workers", run, ran([*own, "--engine", address])[0])
    for only in ("11-15", "1-5"):
        ran([*own, "--only", only])
    tell("batches 11-15, 1-5, then the others", run, ran(own)[0])
    ends, same = interrupted([*own, "--workers", "2"], run, args)
    note = f"{ends + 1} runs to the end" + ("" if same else ", not all the same")
    tell(f"pool of 2, killed {args.kills} times", run, ran([*own, "--workers", "2"])[0], note)
    deaths, out = haunted([*own, "--workers", "2"], args.every)
    tell(f"pool of 2, a worker killed every {args.every:g} s", run, out, f"{deaths} deaths")
    with cluster(2) as address:
        deaths, out = haunted([*own, "--engine", address], args.every, os.getpid())
    tell(f"Dask, 2 workers, one killed every {args.every:g} s", run, out, f"{deaths} deaths")
    return rows


def interrupted(arguments: Sequence[str], run: Path, args: Namespace) -> tuple[int, bool]:
    """Kill a run, with all its processes, at random moments and let it go on, so many times.

    A run that comes to its end is compared, and begun anew. How many did, and whether they
    were all the same.
    """
    draw = random.Random(args.seed)
    ended: list[dict[str, bytes]] = []
    killed = 0
    while killed < args.kills:
        process = subprocess.Popen(
            arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(0.5, args.longest))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            killed += 1
        elif (run / "manifest.json").exists():
            ended.append(files(run))
            shutil.rmtree(run)
        process.wait()
    return len(ended), all(each == ended[0] for each in ended)


def haunted(arguments: Sequence[str], every: float, parent: int | None = None) -> tuple[int, str]:
    """Run a command while one of its workers is killed now and then; deaths, and what it prints."""
    deaths = 0
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(arguments, stdout=out)
        while True:
            try:
                process.wait(every)
                break
            except subprocess.TimeoutExpired:
                workers = descendants(parent or process.pid)
                if parent is not None:
                    workers -= descendants(process.pid) | {process.pid}
                if workers:
                    os.kill(random.choice(sorted(workers)), signal.SIGKILL)
                    deaths += 1
        out.seek(0)
        return deaths, out.read()


if __name__ == "__main__":
    main()
