"""``albeit check``: what it prints, where it points, how it ends."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run, write_files
from tests.conftest import ROOT

SOURCE = "Geboren wurde er im Jahr 1968 in Bonn.\nEr hat zwei Hunde.\nEs regnet heute in Bonn.\n"
RIGHT = "He was born in 1968 in Bonn.\nHe has two dogs.\nIt rains in Bonn today.\n"
WRONG = "He was born in 1986 in Bonn.\nHe has two dogs.\nEs regnet heute in Bonn.\n"
GIVEN = "--source src.txt --source-lang de"
CHECK = f"check wrong.txt {GIVEN}"


@pytest.fixture(autouse=True)
def texts(files: Path) -> None:
    """A source, a translation, and one with a wrong number and a line left as it was."""
    write_files({"src.txt": SOURCE, "right.txt": RIGHT, "wrong.txt": WRONG})


def test_status_by_kinds(albeit: Run) -> None:
    assert albeit(f"{CHECK} --fail-on any").status == 1
    assert albeit(f"{CHECK} --fail-on numbers").status == 1
    assert albeit(f"check right.txt {GIVEN} --fail-on any").status == 0


def test_standard_input(albeit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("wrong.txt").open() as read:
        monkeypatch.setattr("sys.stdin", read)
        text = albeit(f"check - {GIVEN} -q").text
    assert re.findall(r":(\d+:\d+): ", text) == ["1:16", "3:1"]


def test_a_test_set_holds_its_source(albeit: Run) -> None:
    rows = zip(SOURCE.splitlines(), RIGHT.splitlines(), WRONG.splitlines(), strict=True)
    lines = [json.dumps({"source": s, "systems": {"a": r, "b": w}}) for s, r, w in rows]
    write_files({"set.jsonl": "\n".join(lines) + "\n"})
    assert albeit("check set.jsonl --source-lang de -q").text.startswith("b:1:16: numbers")
    assert albeit("check set.jsonl --systems a -q").text == ""


def test_the_workflow_to_copy_runs(albeit: Run) -> None:
    """The command of ``examples/ci/translation-check.yml``, word by word."""
    workflow = (ROOT / "examples/ci/translation-check.yml").read_text(encoding="utf-8")
    (command,) = re.findall(r"- run: albeit (check .+)", workflow)
    words = map(shlex.quote, shlex.split(command.split(" > ")[0]))
    write_files({"locales/de.txt": SOURCE, "locales/en.txt": RIGHT})
    command = " ".join(words)
    assert albeit(command).status == 0
    write_files({"locales/en.txt": WRONG})
    assert albeit(command).status == 1
