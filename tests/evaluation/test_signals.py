"""Signals end a run and its processes with one line and without a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, is_gone

STUCK = 600
"""Seconds after which a test that waits gives up: a guard, no measure of speed."""
SCRIPT = """
import pathlib, signal, sys
from albeit.cli import main
from albeit.evaluation import scoring
from albeit.metrics import registry
from albeit.metrics.judge.network import Network

def noted(method):
    def call(*args):
        pathlib.Path("network.pid").touch()
        return method(*args)
    return call

if __name__ == "__main__":
    # a shell ignores Ctrl-C for programs in the background, perhaps pytest
    signal.signal(signal.SIGINT, signal.default_int_handler)
    Network.run, Network.states = noted(Network.run), noted(Network.states)
    scoring.PARTITION_LINES = 1
    registry.BUILTIN["slow"] = "tests.evaluation.toys:Slow"
    sys.exit(main(["score", "ref.txt", "-i", "mt.txt", "--no-cache", *sys.argv[1:]]))
"""


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    """Start the script in a session of its own, so that signals reach no other process."""
    (folder / "script.py").write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, "script.py", *options],
        cwd=folder,
        start_new_session=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
    )


def wait(happens: Callable[[], bool]) -> None:
    """Wait until it happens, however busy the machine is."""
    until = time.monotonic() + STUCK
    while not happens():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("kill", "sent", "status", "message"),
    [
        (os.killpg, signal.SIGINT, 130, "interrupted"),  # as a terminal does it
        (os.kill, signal.SIGTERM, 143, "terminated"),  # as a scheduler does it
        (os.killpg, signal.SIGTERM, 143, "terminated"),
    ],
)
def test_signals_end_all_processes_without_a_traceback(
    tmp_path: Path, kill: Callable[[int, int], None], sent: int, status: int, message: str
) -> None:
    """While the workers are busy."""
    for name in ("ref", "mt"):
        (tmp_path / f"{name}.txt").write_text(f"a\nb\nc\n{name}\n")
    process = start(tmp_path, "--workers", "2", "-m", "slow(folder=.)")
    wait(lambda: len(list(tmp_path.glob("*.pid"))) == 2 or process.poll() is not None)
    assert process.poll() is None
    kill(process.pid, sent)
    out, err = process.communicate(timeout=STUCK)
    assert (process.returncode, out, err) == (status, "", f"albeit: error: {message}.\n")
    assert all(is_gone(int(path.stem)) for path in tmp_path.glob("*.pid"))


@pytest.mark.slow
def test_ctrl_c_while_a_network_runs(tmp_path: Path) -> None:
    """In native code, which Python's handler has to wait for."""
    for name, file in (("ref.txt", "ref.A.txt"), ("mt.txt", "systems/blunt.txt")):
        text = (ROOT / "examples/demo" / file).read_text(encoding="utf-8")
        (tmp_path / name).write_text(60 * text, encoding="utf-8")
    process = start(tmp_path, "-m", "judge")
    wait(lambda: (tmp_path / "network.pid").exists() or process.poll() is not None)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=STUCK)
    assert (process.returncode, out, err) == (130, "", "albeit: error: interrupted.\n")
