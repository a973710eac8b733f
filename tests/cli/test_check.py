"""``albeit check``: what it prints, where it points, how it ends."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run, write_files
from tests.conftest import ROOT

SOURCE = "Geboren wurde er im Jahr 1968 in Bonn.\nEr hat zwei Hunde.\nEs regnet heute in Bonn.\n"
RIGHT = "He was born in 1968 in Bonn.\nHe has two dogs.\nIt rains in Bonn today.\n"
WRONG = "He was born in 1986 in Bonn.\nHe has two dogs.\nEs regnet heute in Bonn.\n"


@pytest.fixture(autouse=True)
def texts(files: Path) -> None:
    """A source, a translation, and one with a wrong number and a line left as it was."""
    write_files({"src.txt": SOURCE, "right.txt": RIGHT, "wrong.txt": WRONG})


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
