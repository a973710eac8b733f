"""The runs that ``scale.py`` measures: their texts, commands, clusters and processes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from _common import ROOT, lines

__all__ = ["METRICS", "cluster", "command", "cpu", "descendants", "files", "ran", "served", "texts"]

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


@contextmanager
def served(
    folder: Path, workers: int, *, quiet: bool
) -> Iterator[tuple[str, Callable[[], list[int]]]]:
    """A cluster as a user starts it, perhaps with the settings of docs/scale.md: the scheduler's
    address, and what tells the processes."""
    settings = folder / "settings"
    settings.mkdir(exist_ok=True)
    page = (ROOT / "docs" / "scale.md").read_text()
    shown = page.split("```yaml\n")[1].split("```")[0]
    (settings / "albeit.yaml").write_text(shown if quiet else "")
    environment = os.environ | {"DASK_CONFIG": str(settings)}
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    options = ["--scheduler-file", str(file), "--no-dashboard"]
    commands = (
        ["scheduler", "--port", "0", *options],
        ["worker", "--nworkers", str(workers), "--nthreads", "1", *options],
    )
    begun: list[subprocess.Popen[bytes]] = []
    try:
        for command_ in commands:
            whole = [sys.executable, "-m", "dask", *command_]
            begun.append(
                subprocess.Popen(
                    whole, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            )
            while not file.exists():
                time.sleep(0.1)
        scheduler, worker = begun
        while len(descendants(worker.pid)) < workers:
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        yield address, lambda: [scheduler.pid, worker.pid, *descendants(worker.pid)]
    finally:
        for process in reversed(begun):
            process.terminate()
            process.wait()


def descendants(pid: int) -> set[int]:
    """The worker processes below a process: those that multiprocessing spawned."""
    found: set[int] = set()
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, thread.read_text().split()):
            with suppress(OSError):  # it may have ended just now
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.add(child)
    return found


def cpu(pid: int) -> float:
    """Processor seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
