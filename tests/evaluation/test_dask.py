"""A real cluster: processes of this machine that a scheduler commands, and that get killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.cli import main
from albeit.data import write
from albeit.data.front import open_corpus
from albeit.errors import AlbeitError, AlbeitWarning
from albeit.evaluation import WorkerError, executors, score, score_partitions
from albeit.evaluation import identity as environment
from albeit.evaluation.identity import MixedError
from albeit.metrics.registry import metric
from tests.conftest import ROOT
from tests.evaluation.test_executors import check_equal, small_partitions
from tests.evaluation.test_partitions import make_set, read_files
from tests.evaluation.toys import Deadly, Exact, Slow, Told

__all__ = ["small_partitions"]

distributed = pytest.importorskip(
    "distributed", reason="Dask is not installed: pip install 'albeit[dask]'"
)
pytestmark = pytest.mark.filterwarnings("ignore")


def open_cluster() -> Iterator[Any]:
    """A client of two workers."""
    import dask

    options = {"dashboard_address": None, "worker_dashboard_address": None, "silence_logs": 50}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(2, threads_per_worker=1, processes=True, **options) as cluster,
        distributed.Client(cluster, set_as_default=False) as opened,
    ):
        yield opened


client = pytest.fixture(scope="module", name="client")(open_cluster)
doomed = pytest.fixture(name="doomed")(open_cluster)
"""Its workers will die."""


def test_a_cluster_gives_the_same_table(client: Any) -> None:
    told = Told()
    check_equal(executor=client, progress=told)
    assert told.all[-1][2] == "2 Dask workers"


def test_same_by_address(client: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(make_set(), tmp_path / "set.jsonl")
    stream, metrics = open_corpus(tmp_path / "set.jsonl"), [metric("ter"), metric("chrf")]
    score_partitions(stream, metrics, tmp_path / "here", batch=7)
    address = f"dask://{client.scheduler_info()['address'].removeprefix('tcp://')}"
    command = ["score", str(tmp_path / "set.jsonl"), "-m", "ter", "chrf", "--engine", address]
    assert main([*command, "--out", str(tmp_path / "there"), "--batch-size", "7"]) == 0
    assert capsys.readouterr().out
    assert read_files(tmp_path / "there") == read_files(tmp_path / "here")


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_a_retry(doomed: Any, tmp_path: Path) -> None:
    """Killed while it works, from outside."""
    slow = Slow(folder=str(tmp_path), seconds=0.2)
    stop = threading.Event()
    killed: list[int] = []

    def kill() -> None:
        while not stop.wait(0.05) and len(killed) < 2:
            for note in tmp_path.glob("*.pid"):
                note.unlink()
                if int(note.stem) not in killed and len(killed) < 2:
                    os.kill(int(note.stem), signal.SIGKILL)
                    killed.append(int(note.stem))
                    time.sleep(0.5)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        found = score(make_set(), [slow], executor=doomed)
    finally:
        stop.set()
        killer.join()
    assert killed
    expected = score(make_set(), [Exact()])["exact"].statistics
    np.testing.assert_array_equal(found[slow].statistics, expected)


@pytest.mark.slow
def test_the_document_that_kills_is_named(doomed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "RETRIES", 0)
    evalset = make_set(12)
    line = evalset.systems["x"][5]
    (document,) = (d.id for d in evalset.documents if 5 in range(d.start, d.stop))
    with pytest.raises(WorkerError, match=f"a worker process died .* over document '{document}'"):
        score(evalset, [Deadly(line=line)], executor=doomed)


def test_no_workers_are_told(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told once, and the work goes on when somebody comes."""
    monkeypatch.setattr("albeit.evaluation.dask._LOOK", 0.1)
    monkeypatch.setattr("albeit.evaluation.dask._FRESH", 0.0)
    real, seen = type(client).nthreads, list[int]()

    def nthreads(self: Any) -> dict[str, int]:
        seen.append(len(seen))
        found: dict[str, int] = {} if 2 < len(seen) < 6 else real(self)
        return found

    monkeypatch.setattr(type(client), "nthreads", nthreads)
    with pytest.warns(
        AlbeitWarning, match="the Dask cluster has no workers; the run waits"
    ) as told:
        score(make_set(12), [Slow(folder=str(tmp_path), seconds=1.0)], executor=client)
    assert len(seen) > 6
    assert len([each for each in told if "has no workers" in str(each.message)]) == 1


def test_a_death_while_all_are_asked(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("albeit.evaluation.dask.time.sleep", lambda _: None)
    asked: list[str] = []
    real = type(client).register_plugin

    def dies(self: Any, plugin: Any, name: str) -> Any:
        asked.append(name)
        if len(asked) < 3:
            raise distributed.comm.core.CommClosedError("a worker has gone")
        return real(self, plugin, name=name)

    monkeypatch.setattr(type(client), "register_plugin", dies)
    assert score(make_set(12), [Exact()], executor=client)
    assert len(asked) == 3


def test_workers_that_differ_are_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    other = environment.environment() | {"python": "2.7"}
    monkeypatch.setattr(executors, "environment", lambda: other)
    with pytest.raises(MixedError, match=r"worker .* differs from this process: python 2.7"):
        score(make_set(), [Exact()], executor=client)
    assert score(make_set(), [Exact()], executor=client, allow_mixed=True)


def test_a_scheduler_that_dies_is_told_and_nothing_else(tmp_path: Path) -> None:
    """All that a user sees of it is one message, though Dask would say more."""
    (tmp_path / "text.txt").write_text("one\ntwo\n")
    file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--port", "0"]
    text, source = str(tmp_path / "text.txt"), ROOT / "src"
    score = [sys.executable, "-m", "albeit", "score", text, "-i", text, "-m", "ter"]
    with subprocess.Popen(
        [*dask, "--scheduler-file", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as scheduler:
        try:
            while not file.exists():
                assert scheduler.poll() is None
                time.sleep(0.1)
            scoring = subprocess.Popen(
                [*score, "--out", str(tmp_path / "run"), "--engine", f"dask://{file}"],
                env=os.environ | {"PYTHONPATH": str(source)},
                stderr=subprocess.PIPE,
                text=True,
            )
            assert scoring.stderr is not None
            first = scoring.stderr.readline()
            time.sleep(1)
        finally:
            scheduler.kill()
    _, told = scoring.communicate()
    assert "the Dask cluster has no workers" in first
    assert told.startswith("albeit: error: the Dask scheduler has ended"), told
    assert told.count("\n") == 1
    assert scoring.returncode == 2


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("dask://127.0.0.1:9", "no Dask scheduler answers at 127.0.0.1:9"),
        ("dask://nobody.json", "no Dask scheduler answers at nobody.json"),
        ("dask://", "'dask://' isn't an engine"),
        ("spark://here", "'spark://here' isn't an engine"),
    ],
)
def test_no_scheduler_is_told(address: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("albeit.evaluation.dask._TIMEOUT", 1)
    with pytest.raises(AlbeitError, match=told):
        score(make_set(), [Exact()], executor=address)
