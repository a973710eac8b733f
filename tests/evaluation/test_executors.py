"""The same scores here, in processes, and by the executors and queues that docs/scale.md shows."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.cli import main
from albeit.data.corpus import Partition
from albeit.data.evalset import EvalSet
from albeit.errors import InputError
from albeit.evaluation import executors, score, scoring
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric
from tests.conftest import ROOT
from tests.evaluation import test_partitions
from tests.evaluation.toys import Exact, Failing, Opening, Told, make_set

PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "PARTITION_LINES", 20)


def check_equal(**settings: Any) -> None:
    """Check that scores are the same as of this process alone."""
    evalset, metrics = make_set(), [metric("chrf"), metric("nist"), Opening()]
    found = score(evalset, metrics, **settings)
    for name, column in score(evalset, metrics).columns.items():
        np.testing.assert_array_equal(found[name].statistics, column.statistics)
        np.testing.assert_array_equal(found[name].system, column.system)
        assert found[name].signature == column.signature


def test_any_number_of_workers_gives_the_same_table() -> None:
    told = Told()
    check_equal(workers=2, progress=told)
    done = [now[0] for now in told.all]
    assert (done[0], done[-1], len(done) > 3) == (0, 60, True)
    assert done == sorted(done)


def test_anything_that_submits_is_an_executor() -> None:
    with ThreadPoolExecutor(3) as threads:
        check_equal(executor=threads, workers=3)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_is_the_same_from_a_worker(workers: int) -> None:
    with pytest.raises(InputError) as caught:
        score(make_set(), [Failing()], workers=workers)
    assert str(caught.value) == "lexicon.txt:7: no good. Mend it."
    assert caught.value.line == 7


def test_little_work_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "Pool", lambda *_: pytest.fail("a pool was started"))
    monkeypatch.setattr(scoring, "PARTITION_LINES", 4000)
    score(make_set(), [Exact()], workers=8)


def split(evalset: EvalSet, metrics: Sequence[Metric]) -> list[Partition]:
    return scoring.split(evalset, scoring.prepare_job(evalset, metrics))


def test_sets_are_split_between_documents_or_anywhere() -> None:
    partitions = split(make_set(), [Exact()])
    names = [[d.id for d in each.evalset.documents] for each in partitions]
    assert names == [["d0", "d1", "d2"], ["d3"], ["d4"]]
    loose = make_set(6000, documents=False)
    assert len(split(loose, [Exact(), Opening()])) == 1
    partition = split(loose, [Exact()])[3]
    assert partition.evalset.references["ref"] == loose.references["ref"][30:40]
    assert len(pickle.dumps(partition)) < 2000, "a worker is sent its own lines only"


def read_example(kind: str, holds: str) -> str:
    """Return the one example of the page in a language that holds a text."""
    pieces = [piece.partition("```")[0] for piece in PAGE.split(f"```{kind}\n")[1:]]
    (example,) = (piece for piece in pieces if holds in piece)
    return example


@pytest.mark.slow
def test_submitit(tmp_path: Path) -> None:
    """Its own local executor: one process per job, as with Slurm."""
    submitit = pytest.importorskip("submitit", reason="submitit is not installed")
    executor = submitit.LocalExecutor(tmp_path)
    executor.update_parameters(timeout_min=5)
    check_equal(executor=executor, workers=2)


@pytest.mark.slow
def test_ray_with_the_adapter_of_the_page() -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    names: dict[str, Any] = {"ray": ray}
    exec(read_example("python", "class OnRay"), names)
    try:
        check_equal(executor=names["OnRay"](), workers=2)
    finally:
        ray.shutdown()


MPI = """
from mpi4py.futures import MPIPoolExecutor
from tests.evaluation.test_executors import check_equal

if __name__ == "__main__":
    check_equal(executor=MPIPoolExecutor(), workers=1)
"""


@pytest.mark.slow
def test_mpi(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    mpiexec = shutil.which("mpiexec") or pytest.skip("there is no mpiexec")
    (tmp_path / "script.py").write_text(MPI)
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    command = [mpiexec, "-n", "2", sys.executable, "-m", "mpi4py.futures", "script.py"]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": paths})
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_the_slurm_array_of_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its tasks one after the other, as Slurm would call them; here each has one process."""
    evalset, shared = test_partitions.make_set(24), tmp_path / "shared"
    shared.mkdir()
    for name, lines in (("ref", evalset.references["A"]), ("mt", evalset.systems["x"])):
        for number, some in enumerate((lines[:9], lines[9:])):
            (shared / f"{name}-{number}.zst").write_text("\n".join(some) + "\n")
    (tmp_path / "bin").mkdir()
    albeit = tmp_path / "bin" / "albeit"
    albeit.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m albeit "$@"\n')
    albeit.chmod(0o755)
    script = read_example("bash", "SLURM_ARRAY_TASK_ID").replace("/shared/", f"{shared}/")
    for old, new in (("4000", "5"), ("per_task=20", "per_task=2"), ("workers 4", "workers 1")):
        assert old in script
        script = script.replace(old, new)
    environment = os.environ | {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "SLURM_TMPDIR": str(tmp_path),
    }
    for task in ("2", "1"):
        variables = environment | {"SLURM_ARRAY_TASK_ID": task}
        subprocess.run(["bash", "-c", script], env=variables, check=True)
    parts = sorted(path.name[:8] for path in (shared / "RUN" / "parts").iterdir())
    assert parts == [f"{n:08}" for n in range(4)]
    words = [f"{shared}/ref-*.zst", "-i", f"mt={shared}/mt-*.zst", "-m", "chrf", "ter"]
    printed = []
    for folder in (shared / "RUN", tmp_path / "one"):
        assert main(["score", *words, "--out", str(folder), "--batch-size", "5"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert test_partitions.read_files(shared / "RUN") == test_partitions.read_files(folder)
