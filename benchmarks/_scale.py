"""The runs that ``scale.py`` measures: their texts, commands, clusters and processes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from _common import lines

METRICS = ("chrf", "ter")
PAIRS = ("cs-en", "de-en", "es-en", "fr-en")


def texts(data: Path, folder: Path, segments: int, words: int | None = None) -> tuple[str, str]:
    """So many distinct segments, of so many words at most: a reference and a system."""
    pairs: list[tuple[str, str]] = []
    for pair in PAIRS:
        reference = lines(data / "wmt12" / pair / "ref.txt")
        for path in sorted((data / "wmt12" / pair / "systems").glob("*.txt")):
            pairs += zip(reference, lines(path), strict=True)
    pairs = [pair for pair in pairs if words is None or len(pair[0].split()) <= words]
    paths = folder / f"ref{segments}.txt", folder / f"sys{segments}.txt"
    with paths[0].open("w") as ref, paths[1].open("w") as system:
        for number in range(segments):
            theirs, ours = pairs[number % len(pairs)]
            again = number // len(pairs)
            ref.write(f"{theirs} {again}\n")
            system.write(f"{ours} {again}\n")
    return str(paths[0]), str(paths[1])


def command(ref: str, system: str, *options: str) -> list[str]:
    """The command that is measured."""
    score = [sys.executable, "-m", "albeit", "score", ref, "-i", f"sys={system}", "-m", *METRICS]
    return [*score, "-f", "json", "-q", *options]


def ran(arguments: Sequence[str], limit: float | None = None) -> tuple[str, float, float, float]:
    """What a command prints, its seconds, processor seconds of all its processes, megabytes.

    One that runs past its limit of seconds is killed, and prints nothing.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(arguments, stdout=out)
        watch = threading.Timer(limit or threading.TIMEOUT_MAX, process.kill)
        watch.daemon = True
        watch.start()
        _, status, used = os.wait4(process.pid, 0)
        watch.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        out.seek(0)
        printed = out.read()
    if process.returncode and limit is None:
        sys.exit(f"{' '.join(arguments)} ended with status {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return printed, seconds, processor, used.ru_maxrss / 1024


def files(folder: Path) -> dict[str, bytes]:
    """All files of a run."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.*")}


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """A Dask cluster of processes of this machine; its address."""
    import distributed

    with distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        worker_dashboard_address=None,
        silence_logs=50,
    ) as made:
        yield made.scheduler_address.replace("tcp://", "dask://")


def descendants(pid: int) -> set[int]:
    """The worker processes below a process: those that multiprocessing spawned."""
    found: set[int] = set()
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, thread.read_text().split()):
            with suppress(OSError):  # it may have ended just now
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.add(child)
    return found
