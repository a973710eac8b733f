"""A tiny test set in files, and two ways to run the command."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from albeit.cli import main
from albeit.metrics import registry
from tests.conftest import ROOT
from tests.report.page.conftest import data_of

TEXTS = {
    "ref.txt": "the cat sat\nit was late\nso it slept\nthe end came\n",
    "ref2.txt": "a cat sat\nit was too late\nso it fell asleep\nthe end came\n",
    "good.txt": "the cat sat\nit was late\nso it slept\nan end came\n",
    "bad.txt": "the dog sat\nit was late\nbut it slept\nan end came\n",
    "docs.txt": "one\none\ntwo\ntwo\n",
    "src.txt": "le chat\nil est tard\nil dort\nla fin\n",
}
DEMO = ROOT / "examples" / "demo"


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """The output of a command that succeeds."""
        assert self.status == 0, self.err
        return self.out

    @property
    def data(self) -> Any:
        """The output of a command that succeeds, as JSON."""
        return json.loads(self.text)

    @property
    def refused(self) -> str:
        """The message of a command that prints nothing else."""
        assert (self.status, self.out) == (2, ""), self
        assert "Traceback" not in self.err
        return self.err


class Run(Protocol):
    """Run albeit with words as for a shell (``options`` and ``path`` are Python's own)."""

    def __call__(self, *words: str, options: tuple[str, ...] = (), path: str = "") -> Result: ...


def write_files(texts: dict[str, str]) -> None:
    """Write files, and the folders that they are in."""
    for name, text in texts.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


def read_report(name: str = "report.html") -> dict[str, Any]:
    """The data of a report."""
    return data_of(Path(name).read_text(encoding="utf-8"))


def register_toys(patch: pytest.MonkeyPatch) -> None:
    """Register metrics whose scores can be worked out by hand."""
    for name in ("Exact", "Failing", "Opening", "Reader", "Wrong"):
        patch.setitem(registry.BUILTIN, name.lower(), f"tests.evaluation.toys:{name}")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept from one test to the next, nor in the user's cache."""
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the texts, which becomes the working directory."""
    monkeypatch.chdir(tmp_path)
    write_files(TEXTS)
    register_toys(monkeypatch)
    return tmp_path


@pytest.fixture
def albeit(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in this process."""

    def run(*words: str, options: tuple[str, ...] = (), path: str = "") -> Result:
        capsys.readouterr()
        status = main([part for word in words for part in shlex.split(word)])
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return run


@pytest.fixture
def shell() -> Run:
    """Run the command in a process of its own."""

    def run(*words: str, options: tuple[str, ...] = (), path: str = "") -> Result:
        arguments = [part for word in words for part in shlex.split(word)]
        done = subprocess.run(
            [sys.executable, *options, "-m", "albeit", *arguments],
            capture_output=True,
            check=False,
            encoding="utf-8",
            env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{path}", "PYTHONUTF8": "1"},
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return run


def scores_of(**systems: Sequence[float]) -> str:
    """A file of scores: a line per system and segment."""
    return "".join(f"{name}\t{score}\n" for name, own in systems.items() for score in own)
