"""The workflows of ``examples/ci``, word by word."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import DEMO, Run, write_files
from tests.conftest import ROOT

SOURCE = "Geboren wurde er im Jahr 1968 in Bonn.\n"
RIGHT = "He was born in 1968 in Bonn.\n"


@pytest.mark.parametrize(("text", "status"), [(RIGHT, 0), (RIGHT.replace("68", "86"), 3)])
def test_translation_check(
    albeit: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, status: int
) -> None:
    monkeypatch.chdir(tmp_path)
    workflow = (ROOT / "examples/ci/translation-check.yml").read_text(encoding="utf-8")
    (command,) = re.findall(r"- run: albeit (check .+)", workflow)
    words = map(shlex.quote, shlex.split(command.split(" > ")[0]))
    write_files({"locales/de.txt": SOURCE, "locales/en.txt": text})
    assert albeit(*words).status == status


@pytest.mark.parametrize(("new", "status"), [("careful", 0), ("blunt", 3)])
def test_translation_quality(
    albeit: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: str, status: int
) -> None:
    quality = tmp_path / "quality"
    quality.mkdir()
    names = {"ref.txt": "ref.A", "docids.txt": "docids", "baseline.txt": "systems/careful"}
    for name, source in (names | {"new.txt": f"systems/{new}"}).items():
        shutil.copy(DEMO / f"{source}.txt", quality / name)
    monkeypatch.chdir(tmp_path)
    workflow = (ROOT / "examples/ci/translation-quality.yml").read_text(encoding="utf-8")
    steps = re.findall(r"^ +- run: albeit (.*)$", workflow, re.MULTILINE)
    assert [albeit(step).status for step in steps] == [status, 0]
