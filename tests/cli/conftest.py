"""A tiny test set in files, and two ways to run the command."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from albeit.cli import main
from albeit.metrics import registry
from tests.conftest import ROOT

TEXTS = {
    "ref.txt": "the cat sat\nit was late\nso it slept\nthe end came\n",
    "ref2.txt": "a cat sat\nit was too late\nso it fell asleep\nthe end came\n",
    "good.txt": "the cat sat\nit was late\nso it slept\nan end came\n",
    "bad.txt": "the dog sat\nit was late\nbut it slept\nan end came\n",
    "docs.txt": "one\none\ntwo\ntwo\n",
    "src.txt": "le chat\nil est tard\nil dort\nla fin\n",
}


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str


class Run(Protocol):
    """Run albeit with these arguments (``options`` and ``path`` are Python's own)."""

    def __call__(
        self, *arguments: str, options: tuple[str, ...] = (), path: str = ""
    ) -> Result: ...


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept from one test to the next, nor in the user's cache."""
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the texts, which becomes the working directory."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("Exact", "Failing", "Opening", "Reader", "Wrong"):
        monkeypatch.setitem(registry.BUILTIN, name.lower(), f"tests.evaluation.toys:{name}")
    return tmp_path


@pytest.fixture
def albeit(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in this process."""

    def run(*arguments: str, options: tuple[str, ...] = (), path: str = "") -> Result:
        status = main(arguments)
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return run


@pytest.fixture
def shell() -> Run:
    """Run the command in a process of its own."""

    def run(*arguments: str, options: tuple[str, ...] = (), path: str = "") -> Result:
        done = subprocess.run(
            [sys.executable, *options, "-m", "albeit", *arguments],
            capture_output=True,
            check=False,
            encoding="utf-8",
            env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{path}", "PYTHONUTF8": "1"},
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return run
