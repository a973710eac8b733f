"""A server in a process of its own, asked over a real socket."""

from __future__ import annotations

import os
import re
import socket
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

WORDS = [sys.executable, "-m", "albeit", "serve", "--port", "0"]


@dataclass
class Server:
    """A running server: its process, address, the folder of its runs, and its working folder."""

    process: subprocess.Popen[str]
    address: str
    folder: Path
    work: Path
    said: str

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.address, timeout=60, **options)


Start = Callable[..., Server]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Start servers with these options; all end with the tests of the module."""
    away = tmp_path_factory.mktemp("toys")
    toys = {name.lower(): f"tests.evaluation.toys:{name}" for name in ("Slow", "Musing", "Hasty")}
    write_metadata(away, "toys", {"albeit.metrics": toys})
    started: list[Server] = []

    def begin(*options: str, folder: Path | None = None) -> Server:
        place = folder or tmp_path_factory.mktemp("runs")
        work = tmp_path_factory.mktemp("work")
        process = subprocess.Popen(
            [*WORDS, "--folder", str(place), *options],
            stdout=subprocess.PIPE,
            text=True,
            cwd=work,
            env=os.environ
            | {
                "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", ROOT, away))),
                "ALBEIT_CACHE": str(away / "cache"),
                "COLUMNS": "200",
            },
        )
        assert process.stdout is not None
        said = process.stdout.readline()
        address = re.search(r"http://[^/]+", said)
        assert address is not None, said
        started.append(Server(process, address[0], place, work, said))
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


def talk(server: Server, sent: bytes) -> bytes:
    """Send bytes to a server; return all that it answers until it closes."""
    place, answer = httpx.URL(server.address), b""
    with socket.create_connection((place.host, place.port), timeout=30) as opened:
        opened.sendall(sent)
        while more := opened.recv(4096):
            answer += more
    return answer


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
    for old in server.work.glob("*.pid"):
        old.unlink()
    run = client.post("/api/runs", json=REQUEST | {"metrics": ["slow"]}).json()["id"]
    ended(client, run, "running")
    for _ in range(300):
        for pid in server.work.glob("*.pid"):
            return run, int(pid.stem)
        time.sleep(0.1)
    raise AssertionError("the work did not begin")
