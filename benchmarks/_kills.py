"""Processes killed at random moments, and damaged caches, and what the next processes find."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from _common import ROOT
from _fuzz import ODD, damage

DEMO = ROOT / "examples" / "demo"
METRICS = ("chrf", "ter", "cohesion")
"""Both stores are written to: statistics of all three, and content words that cohesion needs."""
Row = dict[str, Any]


def our_command(*given: str) -> list[str]:
    return [sys.executable, "-m", "albeit", *given]


def demo_score(*more: str) -> list[str]:
    systems = sorted(map(str, (DEMO / "systems").glob("*.txt")))
    texts = [str(DEMO / "ref.A.txt"), "-i", *systems, "--docs", str(DEMO / "docids.txt")]
    return our_command("score", *texts, "-m", *METRICS, "-f", "json", "-q", *more)


def environment(cache: Path | str) -> dict[str, str]:
    return os.environ | {"ALBEIT_CACHE": str(cache), "OMP_NUM_THREADS": "1"}


def run(command: list[str], cache: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, env=environment(cache), capture_output=True, check=False)


def killed(options: Any) -> Iterator[Row]:
    """Each time over an empty cache: run, kill at some moment, look for orphans, run again."""
    rng = random.Random(options.seed)
    command = demo_score("--workers", "2")
    with tempfile.TemporaryDirectory() as folder:
        clean = Path(folder, "clean")
        start = time.monotonic()
        expected = run(command, clean)
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
            again = run(command, cache)
            wanted = (0, expected.stdout, expected.stderr)
            same += (again.returncode, again.stdout, again.stderr) == wanted
            leftover += _kinds(cache) != files
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


def damaged(options: Any) -> Iterator[Row]:
    """Each time a copy of a full cache: damage one of its files, and score with one metric more."""
    rng, program = random.Random(options.seed), 'program(command="sed s/.*/1/")'
    command = demo_score("-m", program, "dr", "dr-lex")
    with tempfile.TemporaryDirectory() as folder:
        clean = Path(folder, "clean")
        run(demo_score("-m", program, "dr"), clean)
        expected = run(command, shutil.copytree(clean, Path(folder, "copy")))
        files, rows = _kinds(clean), dict[str, Row]()
        for number in range(options.kills):
            cache = Path(folder, f"cache{number}")
            shutil.copytree(clean, cache)
            name = files[number % len(files)] if number % 3 else rng.choice(files[:2])
            data = bytearray((cache / name).read_bytes())
            damage(rng, data, ODD)
            (cache / name).write_bytes(data)
            again = run(command, cache)
            kind = f"{Path(name).parent}/*{Path(name).suffix}"
            row = rows.setdefault(kind, {"damaged": kind, "times": 0, "the same bytes": 0})
            row["times"] += 1
            same = (again.returncode, again.stdout) == (0, expected.stdout)
            row["the same bytes"] += same
            if not same:
                print(f"FAULT {name}: {again.stderr.decode()[-400:]}", file=sys.stderr)
            shutil.rmtree(cache)
    yield from rows.values()
