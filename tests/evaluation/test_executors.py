"""What docs/scale.md says of other people's executors and of queues, tried where they are there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.cli import main
from albeit.evaluation import score, scoring
from albeit.metrics.registry import metric
from tests.evaluation.test_partitions import _bytes, make_set

pytestmark = pytest.mark.filterwarnings("ignore")
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
EVALSET = make_set(24)


def block(kind: str, holds: str) -> str:
    """The one piece of the page that is in that language and holds that text."""
    (found,) = (
        text
        for piece in PAGE.split(f"```{kind}\n")[1:]
        if holds in (text := piece.partition("```")[0])
    )
    return found


def agrees(executor: Any, workers: int) -> bool:
    """Whether an executor gives what this process does."""
    found = score(EVALSET, [metric("chrf"), metric("nist")], executor=executor, workers=workers)
    here = score(EVALSET, [metric("chrf"), metric("nist")])
    for name, column in here.columns.items():
        np.testing.assert_array_equal(found[name].statistics, column.statistics)
    return True


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "PARTITION_LINES", 20)


@pytest.mark.slow
def test_submitit(tmp_path: Path) -> None:
    """Its own local executor: a process a job, as a Slurm job would be."""
    submitit = pytest.importorskip("submitit", reason="submitit is not installed")
    executor = submitit.LocalExecutor(tmp_path)
    executor.update_parameters(timeout_min=5)
    assert agrees(executor, workers=2)


@pytest.fixture
def ray() -> Iterator[Any]:
    made = pytest.importorskip("ray", reason="Ray is not installed")
    made.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield made
    made.shutdown()


@pytest.mark.slow
def test_ray_by_the_adapter_of_the_page(ray: Any) -> None:
    names: dict[str, Any] = {"ray": ray}
    exec(block("python", "class OnRay"), names)
    assert agrees(names["OnRay"](), workers=2)


MPI = """
from mpi4py.futures import MPIPoolExecutor
from tests.evaluation.test_executors import agrees

if __name__ == "__main__":
    print(agrees(MPIPoolExecutor(), workers=1))
"""


@pytest.mark.slow
def test_mpi(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    mpiexec = shutil.which("mpiexec") or pytest.skip("there is no mpiexec")
    (tmp_path / "script.py").write_text(MPI)
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [mpiexec, "-n", "2", sys.executable, "-m", "mpi4py.futures", str(tmp_path / "script.py")],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "True"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_the_slurm_array_of_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its tasks one after the other, as Slurm would call them; here each has one process."""
    shared = tmp_path / "shared"
    shared.mkdir()
    for name, lines in (("ref", EVALSET.references["A"]), ("mt", EVALSET.systems["x"])):
        for number, some in enumerate((lines[:9], lines[9:])):
            (shared / f"{name}-{number}.zst").write_text("\n".join(some) + "\n")
    (tmp_path / "bin").mkdir()
    albeit = tmp_path / "bin" / "albeit"
    albeit.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m albeit "$@"\n')
    albeit.chmod(0o755)
    script = block("bash", "SLURM_ARRAY_TASK_ID").replace("/shared/", f"{shared}/")
    for here, there in (("4000", "5"), ("per_task=20", "per_task=2"), ("workers 4", "workers 1")):
        assert here in script
        script = script.replace(here, there)
    (tmp_path / "array.sh").write_text(script)
    environment = os.environ | {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "SLURM_TMPDIR": str(tmp_path),
    }
    parts = shared / "RUN" / "parts"
    for task in ("2", "1"):
        subprocess.run(
            ["bash", str(tmp_path / "array.sh")],
            env=environment | {"SLURM_ARRAY_TASK_ID": task},
            check=True,
        )
    assert sorted(path.name[:8] for path in parts.iterdir()) == [f"{n:08}" for n in range(4)]
    words = [f"{shared}/ref-*.zst", "-i", f"mt={shared}/mt-*.zst", "-m", "chrf", "ter"]
    assert main(["score", *words, "--out", str(shared / "RUN"), "--batch-size", "5"]) == 0
    printed = capsys.readouterr().out
    whole = ["score", str(shared / "ref-*.zst"), "-i", f"mt={shared / 'mt-*.zst'}"]
    options = ["--out", str(tmp_path / "one"), "--batch-size", "5"]
    assert main([*whole, "-m", "chrf", "ter", *options]) == 0
    assert capsys.readouterr().out == printed
    assert _bytes(shared / "RUN") == _bytes(tmp_path / "one")
