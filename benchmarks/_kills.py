"""Processes killed at random moments, and what the next ones find."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from _common import ROOT

from albeit.parsing.layers import TOKENS
from albeit.store.records import Cache

DEMO = ROOT / "examples" / "demo"
METRICS = ("chrf", "ter", "cohesion")
"""Both stores are written to: statistics of all three, and content words that cohesion needs."""
BLOCK = 200
"""Records that a writer to the cache writes at once."""
Row = dict[str, Any]


def our_command(*given: str) -> list[str]:
    return [sys.executable, "-m", "albeit", *given]


def demo_score(*more: str) -> list[str]:
    systems = sorted(map(str, (DEMO / "systems").glob("*.txt")))
    texts = [str(DEMO / "ref.A.txt"), "-i", *systems, "--docs", str(DEMO / "docids.txt")]
    return our_command("score", *texts, "-m", *METRICS, "-f", "json", "-q", *more)


def environment(cache: Path | str) -> dict[str, str]:
    return os.environ | {"ALBEIT_CACHE": str(cache), "OMP_NUM_THREADS": "1"}


def killed(options: Any) -> Iterator[Row]:
    """Each time over an empty cache: run, kill at some moment, look for orphans, run again."""
    rng = random.Random(options.seed)
    command = demo_score("--workers", "2")
    with tempfile.TemporaryDirectory() as folder:
        clean = Path(folder, "clean")
        start = time.monotonic()
        expected = subprocess.run(command, env=environment(clean), capture_output=True, check=True)
        whole = time.monotonic() - start
        files = _kinds(clean)
        same = orphans = finished = leftover = 0
        for number in range(options.kills):
            cache = Path(folder, f"cache{number}")
            process = subprocess.Popen(
                command,
                env=environment(cache),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            with suppress(subprocess.TimeoutExpired):
                process.wait(rng.uniform(0, whole))
            finished += process.poll() is not None
            process.kill()
            process.wait()
            orphans += not _gone(process.pid)
            again = subprocess.run(
                command, env=environment(cache), capture_output=True, check=False
            )
            same += (again.returncode, again.stdout, again.stderr) == (
                0,
                expected.stdout,
                expected.stderr,
            )
            leftover += _kinds(cache) != files
            told = f"{number + 1} kills: {same} the same, {orphans} orphaned, {leftover} left over"
            print(told, file=sys.stderr, flush=True)
            shutil.rmtree(cache, ignore_errors=True)
    yield {
        "killed": "albeit score --workers 2",
        "times": options.kills,
        "had finished": finished,
        "next run the same bytes": same,
        "processes left behind": orphans,
        "files left behind": leftover,
    }


def _kinds(cache: Path) -> list[str]:
    """The files of a cache: kept runs by their content's name, analyses by their version's."""
    names = (str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file())
    return sorted(name for name in names if not name.endswith(("-wal", "-shm")))


def _gone(group: int, patience: float = 60) -> bool:
    """Whether all processes of a group end by themselves; those that do not are ended."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return False


def killed_writers(options: Any) -> Iterator[Row]:
    """A process that does nothing but write to a cache; what it wrote is whole blocks or nothing.

    Writers and readers are forked from this process, which has loaded all they need.
    """
    rng = random.Random(options.seed)
    context = multiprocessing.get_context("fork")
    whole = blocks = 0
    for _ in range(options.kills):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = context.Pipe(duplex=False)
            writer = context.Process(target=_write, args=(Path(folder), theirs))
            writer.start()
            ours.recv()
            time.sleep(rng.uniform(0, 0.5))
            writer.kill()
            writer.join()
            reader = context.Process(target=_read, args=(Path(folder), theirs))
            reader.start()
            reader.join()
            whole += reader.exitcode == 0
            blocks += ours.recv() if reader.exitcode == 0 else 0
    yield {
        "killed": "a writer to the cache",
        "times": options.kills,
        "next reader found whole blocks": whole,
        "blocks found": blocks,
    }


def _write(folder: Path, line: Connection) -> None:
    cache = Cache(folder, "v1")
    line.send("ready")
    for block in count():
        texts = [f"{block} {n}" for n in range(BLOCK)]
        cache.add((text, {TOKENS: text.encode()}) for text in texts)


def _read(folder: Path, line: Connection) -> None:
    """Send how many blocks there are; anything but whole ones, or a warning, is an error."""
    warnings.simplefilter("error")
    cache = Cache(folder, "v1")
    for block in count():
        texts = [f"{block} {n}" for n in range(BLOCK)]
        kept = cache.layers(texts, [TOKENS])
        found = [kept[text].get(TOKENS) for text in texts]
        if found == [None] * BLOCK:
            line.send(block)
            return
        if found != [text.encode() for text in texts]:
            raise ValueError(f"block {block} is not whole")
