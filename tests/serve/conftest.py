"""A server in a process of its own, asked over a real socket."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import ROOT
from tests.plugin.install import write_metadata

SLOW = """\
import os, time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import albeit


@dataclass(frozen=True)
class Musing(albeit.Metric):
    name = "musing"
    safe_for_untrusted = True
    summary = "never explains"

    def statistics(self, batch, context):
        return np.zeros((len(batch), 1))

    def score(self, sums):
        return sums[..., 0]

    def explain(self, batch, context, row):
        while True:
            pass


@dataclass(frozen=True)
class Slow(Musing):
    name = "slow"
    safe_for_untrusted = True

    def statistics(self, batch, context):
        Path(os.environ["SLOW_PID"]).write_text(str(os.getpid()))
        time.sleep(120)


@dataclass(frozen=True)
class Hasty(Musing):
    name = "hasty"
"""


WORDS = [sys.executable, "-m", "albeit", "serve", "--port", "0"]


@dataclass
class Server:
    """A running server: its process, address and the folder of its runs."""

    process: subprocess.Popen[str]
    address: str
    folder: Path
    pid_file: Path
    said: str

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.address, timeout=60, **options)


Start = Callable[..., Server]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Start servers with these options; all end with the tests of the module."""
    away = tmp_path_factory.mktemp("slow")
    (away / "slow_metric.py").write_text(SLOW)
    metrics = {name.lower(): f"slow_metric:{name}" for name in ("Slow", "Musing", "Hasty")}
    write_metadata(away, "slow-metric", {"albeit.metrics": metrics})
    started: list[Server] = []

    def begin(*options: str, folder: Path | None = None) -> Server:
        place = folder or tmp_path_factory.mktemp("runs")
        pid_file = place.parent / f"{place.name}.pid"
        process = subprocess.Popen(
            [*WORDS, "--folder", str(place), *options],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ
            | {
                "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{away}",
                "SLOW_PID": str(pid_file),
                "ALBEIT_CACHE": str(away / "cache"),
                "COLUMNS": "200",
            },
        )
        assert process.stdout is not None
        said = process.stdout.readline()
        address = re.search(r"http://[^/]+", said)
        assert address is not None, said
        started.append(Server(process, address[0], place, pid_file, said))
        return started[-1]

    yield begin
    for server in started:
        server.process.kill()
        server.process.wait()
        if server.process.stdout is not None:
            server.process.stdout.close()


@pytest.fixture(scope="module")
def server(start: Start) -> Server:
    return start("--megabytes", "1", "--waiting", "2")


REQUEST: dict[str, Any] = {
    "title": "<b>run</b>",
    "systems": [
        {"name": "a", "text": "the cat sat\nit was late\n"},
        {"name": "../b", "text": "a dog sat\nit was late\n"},
    ],
    "references": [{"name": "ref", "text": "the cat sat\nit was late\n"}],
    "metrics": ["chrf", "ter"],
    "profile": "none",
}


def ended(client: httpx.Client, run: str, *states: str) -> dict[str, Any]:
    """Wait until a run is in one of these states, by default any at its end."""
    wanted = states or ("done", "failed", "cancelled", "interrupted")
    for _ in range(600):
        found: dict[str, Any] = client.get(f"/api/runs/{run}").json()
        if found.get("state") in wanted:
            return found
        time.sleep(0.1)
    raise AssertionError(f"the run is still {found}")


def slow(client: httpx.Client, server: Server) -> tuple[str, int]:
    """A run that works until it is stopped, and the process that does so."""
    server.pid_file.unlink(missing_ok=True)
    run = client.post("/api/runs", json=REQUEST | {"metrics": ["slow"]}).json()["id"]
    ended(client, run, "running")
    for _ in range(300):
        if server.pid_file.exists() and (pid := server.pid_file.read_text()):
            return run, int(pid)
        time.sleep(0.1)
    raise AssertionError("the work did not begin")
