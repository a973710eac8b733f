"""Wrong commands end with the recorded status, and name the recorded file and line.

The commands are in ``tools/cases/wrong.toml``. ``tools/replay.py golden`` records them.
"""

from __future__ import annotations

import json
import shlex

import pytest

from albeit.cli import main
from tools.baseline import Removed
from tools.replay import GOLDEN, read_cases, run_wrong, working_folder

COMMANDS = read_cases("wrong")


@pytest.mark.parametrize("part", range(4))
def test_wrong_commands_fail_as_recorded(part: int) -> None:
    recorded = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert set(recorded) == set(COMMANDS)
    removed, different = Removed.read(), []
    with working_folder("wrong"):
        for line in COMMANDS[part::4]:
            result = list(run_wrong(main, line).values())
            excused = removed.covers(line, shlex.split(line)) and result[0] == 2
            if result != recorded[line] and not excused:
                different.append(f"{line}: {result}, not {recorded[line]}")
    assert not different, "\n".join(different)
