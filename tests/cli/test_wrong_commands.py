"""Wrong commands end with the recorded status, and name the recorded file and line.

The commands are in ``tools/cases/wrong.toml``. ``tools/replay.py golden`` records them.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from albeit.cli import main
from tools.baseline import Removed
from tools.replay import GOLDEN, read_cases, run_wrong, working_folder

RECORDED: dict[str, list[Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
COMMANDS = read_cases("wrong")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with working_folder("wrong") as path:
        yield path


def test_at_least_200_wrong_commands_are_recorded() -> None:
    assert set(RECORDED) == set(COMMANDS)
    assert len(COMMANDS) >= 200
    assert all(status in (1, 2) for status, _, _ in RECORDED.values())


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("part", range(8))
def test_wrong_commands_fail_as_recorded(part: int) -> None:
    removed = Removed.read()
    different = []
    for line in COMMANDS[part::8]:
        result = list(run_wrong(main, line).values())
        excused = removed.covers(line, shlex.split(line)) and result[0] == 2
        if result != RECORDED[line] and not excused:
            different.append(f"{line}: {result}, not {RECORDED[line]}")
    assert not different, "\n".join(different)
