"""What albeit does when things go wrong: odd input, kills, full and read-only disks, odd sizes.

python benchmarks/faults.py [--parts fuzz kill cache disk systems segments] [--inputs 1000000] [--seconds 60]
                            [--kills 100] [--seed 1]

*fuzz*: inputs that are nearly right, over all readers and the metric grammar, each reader for a
bounded time; anything but a result or an ``AlbeitError`` is a fault, and its input is printed.
*kill*: ``albeit score --workers 2`` is killed (-9) at random moments; its processes must be gone,
and the next run over what it left must print the same bytes. *cache*: the same for a process
that only writes to the cache. *disk*: a full disk and read-only ones, for which a small tmpfs is
mounted (that needs root). *systems*: 200 of 10 segments each.
*segments*: one system of a million.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from _common import ROOT, arguments, show
from _fuzz import fuzz
from _kills import demo_score, environment, killed, killed_writers, our_command
from _readers import readers

DEMO = ROOT / "examples" / "demo"
Row = dict[str, Any]


def main() -> None:
    """Try what was asked for, print a row for each thing tried."""
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    parts: dict[str, Callable[[Any], Iterator[Row]]] = {
        "fuzz": _fuzzed,
        "kill": killed,
        "cache": killed_writers,
        "disk": _disks,
        "systems": _systems,
        "segments": _segments,
    }
    parser.add_argument("--parts", nargs="+", choices=list(parts), default=list(parts))
    parser.add_argument("--inputs", type=int, default=1_000_000, metavar="N", help="of all readers")
    parser.add_argument("--seconds", type=float, default=60, metavar="S", help="a reader")
    parser.add_argument("--kills", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args()
    for part in options.parts:
        show(list(parts[part](options)), options.format)
        print(flush=True)


def _fuzzed(options: Any) -> Iterator[Row]:
    """A row a reader, and one for all; faults are told in full on stderr."""
    every = readers()
    total: Row = {"reader": "all", "inputs": 0, "read": 0, "slowest ms": 0.0, "faults": 0}
    for reader in every:
        done = fuzz(reader, -(-options.inputs // len(every)), options.seconds, options.seed)
        for fault in done.faults.values():
            print(
                f"FAULT {reader.name}: {fault.error} at {fault.place}\n  {fault.input!r}",
                file=sys.stderr,
            )
        row = {
            "reader": reader.name,
            "inputs": done.inputs,
            "read": done.read,
            "slowest ms": round(1000 * done.slowest, 1),
            "faults": len(done.faults),
        }
        for key in ("inputs", "read", "faults"):
            total[key] += row[key]
        total["slowest ms"] = max(total["slowest ms"], row["slowest ms"])
        yield row
    yield total


@contextmanager
def _mounted(size: str) -> Iterator[Path]:
    """A small disk of its own."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def _disks(_options: Any) -> Iterator[Row]:
    try:
        with _mounted("64k"):
            pass
    except (OSError, subprocess.CalledProcessError):
        yield {"disk": "none can be mounted here (that needs root): not tried"}
        return
    demo = [str(DEMO / "ref.A.txt"), "-i", str(DEMO / "systems" / "blunt.txt")]
    expected = subprocess.run(
        demo_score(), env=environment("off"), capture_output=True, check=True
    ).stdout
    writing: dict[str, Sequence[str]] = {
        "score --segment-scores": ("score", *demo, "-q", "--segment-scores", "out.tsv"),
        "report -o": ("report", *demo, "-q", "-m", "chrf", "-o", "out.html"),
        "parse -f rs3 -o": ("parse", str(DEMO / "ref.A.txt"), "-q", "-f", "rs3", "-o", "out.zip"),
        "act annotate -o": (
            "act",
            "annotate",
            *demo,
            "--source",
            str(DEMO / "src.txt"),
            "--source-lang",
            "de",
            "-o",
            "out.html",
        ),
    }
    for state in ("full", "read-only"):
        with _mounted("1m") as disk:
            _prepare(disk, state)
            done = subprocess.run(
                demo_score(), env=environment(disk / "cache"), capture_output=True, check=False
            )
            same = (done.returncode, done.stdout) == (0, expected)
            yield _row(
                f"{state}: the cache", "score", done, "the same scores" if same else "other output"
            )
            for name, given in writing.items():
                done = subprocess.run(
                    our_command(*given),
                    env=environment("off"),
                    cwd=disk,
                    capture_output=True,
                    check=False,
                )
                left = [path.name for path in disk.iterdir() if path.name.startswith("out")]
                yield _row(
                    f"{state}: the output", name, done, f"left: {', '.join(left) or 'nothing'}"
                )
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            demo_score(), env=environment("off"), stdout=full, stderr=subprocess.PIPE, check=False
        )
    yield _row("full: standard output", "score", done, "")


def _prepare(disk: Path, state: str) -> None:
    if state == "read-only":
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        return
    with (disk / "filling").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(512))


def _row(disk: str, command: str, done: subprocess.CompletedProcess[bytes], result: str) -> Row:
    told = done.stderr.decode().strip().splitlines()
    lines = "Traceback!" if any("Traceback" in line for line in told) else told[-1] if told else ""
    return {
        "disk": disk,
        "command": command,
        "status": done.returncode,
        "result": result,
        "told": lines[:160],
    }


def _systems(_options: Any) -> Iterator[Row]:
    return _sized(200, 10, ("bleu", "chrf", "ter", "dr"), ("score", "compare"))


def _segments(_options: Any) -> Iterator[Row]:
    for name in ("bleu", "chrf"):
        yield from _sized(1, 1_000_000, (name,), ("score",))


def _sized(
    systems: int, segments: int, metrics: Sequence[str], commands: Sequence[str]
) -> Iterator[Row]:
    """Time, peak memory and status of commands over texts of an odd size."""
    words = "the cat sat on a mat while it rained in town and nobody saw them leave"
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        names = [f"s{n}.txt" for n in range(systems)]
        for name in ["ref.txt", *names]:
            lines = (" ".join(rng.choices(words.split(), k=12)) + ".\n" for _ in range(segments))
            Path(name).write_text("".join(lines))
        for command in commands:
            given = our_command(command, "ref.txt", "-i", *names, "-m", *metrics, "-q", "-f", "tsv")
            start = time.monotonic()
            done = subprocess.run(given, env=environment("off"), capture_output=True, check=False)
            yield {
                "command": f"{command} -m {' '.join(metrics)}",
                "systems": systems,
                "segments": segments,
                "status": done.returncode,
                "seconds": round(time.monotonic() - start, 1),
                "peak MB so far": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
                "rows": len(done.stdout.splitlines()) - 1,
            }


if __name__ == "__main__":
    main()
