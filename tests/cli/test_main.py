from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from albeit import cli
from albeit._version import __version__
from albeit.cli import COMMANDS, command_parser
from albeit.report import FORMATS
from albeit.report.findings import RENDERERS
from albeit.report.profile import EXTENTS
from albeit.report.views import VIEW_FORMATS
from tests.cli.conftest import Run
from tests.conftest import ROOT


def test_help_imports_nothing_heavy(shell: Run) -> None:
    done = shell("--help", options=("-X", "importtime"))
    assert done.status == 0
    imported = set(re.findall(r"\|\s+([\w.]+)$", done.err, re.MULTILINE))
    assert "albeit.cli" in imported
    heavy = {"numpy", "numba", "scipy", "rich", "sacrebleu", "pandas", "onnxruntime"}
    assert not imported & heavy
    assert "albeit.cli.score" not in imported
    for command in COMMANDS:
        assert f"\n  {command} " in done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_explains_itself_without_heavy_imports(shell: Run, command: str) -> None:
    done = shell(command, "--help", options=("-X", "importtime"))
    assert done.status == 0
    assert done.out.startswith(f"usage: albeit {command} ")
    imported = set(re.findall(r"\|\s+([\w.]+)$", done.err, re.MULTILINE))
    assert not imported & {"numpy", "numba", "rich", "sacrebleu"}


def test_version(albeit: Run) -> None:
    assert albeit("--version").out == f"albeit {__version__}\n"


def test_no_command_shows_help_and_fails(albeit: Run) -> None:
    done = albeit()
    assert done.status == 2
    assert done.out == ""
    assert "commands:" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("scroe",), "unknown command 'scroe'. Did you mean 'score'?"),
        (("--quiet",), "unrecognized arguments: --quiet"),
        (("score", "ref.txt", "--metric", "bleu"), "unrecognized arguments: --metric bleu"),
        (("score", "--workers", "-1"), "must be at least 0, not -1"),
        (("score", "-f", "pdf"), "invalid choice: 'pdf'"),
        (("completion", "tcl"), "invalid choice: 'tcl'"),
    ],
)
def test_a_wrong_command_line_is_one_message(
    albeit: Run, arguments: tuple[str, ...], message: str
) -> None:
    done = albeit(*arguments)
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("albeit: error: ")
    assert message in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_options(albeit: Run, shell_name: str) -> None:
    done = albeit("completion", shell_name)
    assert done.status == 0
    for word in ("compare", "segment-scores", "resamples"):
        assert word in done.out


def test_bash_accepts_its_script(albeit: Run) -> None:
    script = albeit("completion", "bash").out
    done = subprocess.run(["bash", "-n"], input=script, text=True, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("command", "option", "names"),
    [
        ("score", "format", FORMATS),
        ("explain", "format", VIEW_FORMATS),
        ("report", "profile", EXTENTS),
        ("check", "format", RENDERERS),
    ],
)
def test_choices_are_those_of_the_library(command: str, option: str, names: object) -> None:
    actions = {action.dest: action for action in command_parser(command)._actions}
    assert isinstance(names, Iterable)
    assert set(actions[option].choices or ()) == set(names)


def test_a_reader_that_goes_away_is_no_tragedy() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "albeit", "completion", "bash"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
    )
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    assert process.wait(20) == 1
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.parametrize(
    ("error", "status", "shown"),
    [(KeyboardInterrupt(), 130, "interrupted."), (OSError("disk full"), 1, "disk full")],
)
def test_what_fails_on_the_way(
    albeit: Run,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    status: int,
    shown: str,
) -> None:
    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(cli, "_run", fail)
    done = albeit("score")
    assert done.status == status
    assert done.err == f"albeit: error: {shown}\n"


def test_a_caller_keeps_its_own_handler(albeit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    def look(_: list[str]) -> int:
        seen.append(signal.getsignal(signal.SIGTERM))
        return 0

    monkeypatch.setattr(cli, "_run", look)
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        albeit("score")
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        albeit("score")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert callable(seen[0])
    assert seen[1] is signal.SIG_IGN


def test_the_first_use_says_that_it_compiles(
    files: Path, shell: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(files / "code"))
    command = ("score", "ref.txt", "-i", "good.txt", "-m", "bleu")
    said = ["compiling for this machine" in shell(*command).err for _ in range(2)]
    assert said == [True, False]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("-s", "src.txt"), "the source is --source FILE"),
        (("-r", "ref2.txt"), "references come first, without an option"),
        (("-m", "bleu", "-b"), "-f value"),
        (("-m", "bleu", "-w", "2"), "--decimals N"),
        (("-m", "bleu", "-sl"), "--level segment"),
        (("-m", "bleu", "-s", "exp"), "bleu(smooth=NAME)"),
        (("-m", "chrf", "-cw", "2"), "chrf++"),
        (("--references", "ref2.txt"), "references come first, without an option"),
        (("-m", "bleu", "--paired-ar"), "albeit compare REF.txt"),
        (
            ("-m", "bleu,chrf"),
            "'bleu,chrf' names 2 metrics. Metrics are separated by spaces: -m bleu chrf",
        ),
    ],
)
def test_habits_of_other_tools_get_a_hint(albeit: Run, given: tuple[str, ...], said: str) -> None:
    done = albeit("score", "ref.txt", "-i", "good.txt", *given)
    assert done.status == 2
    assert said in done.err


def test_unequal_lines_mention_resegmenting(albeit: Run, files: Path) -> None:
    (files / "short.txt").write_text("one line\n")
    done = albeit("score", "ref.txt", "-i", "short.txt", "-m", "exact")
    assert done.status == 2
    assert "has 1 line, but ref.txt has 4" in done.err
    assert "--resegment" in done.err
