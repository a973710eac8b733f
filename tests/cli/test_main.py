"""The command itself: help, completion, configuration, output, signals, and the cache."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from albeit import cli
from albeit.cli import COMMANDS, command_parser, overview
from albeit.report import FORMATS
from albeit.report.findings import RENDERERS
from albeit.report.profile import EXTENTS
from albeit.report.views import VIEW_FORMATS
from tests.cli.conftest import DEMO, Run, write_files
from tests.conftest import ROOT

HEAVY = {"numpy", "numba", "scipy", "rich", "sacrebleu", "pandas", "onnxruntime"}


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_imports_nothing_heavy(shell: Run, command: str) -> None:
    done = shell(f"{command} --help", options=("-X", "importtime"))
    imported = set(re.findall(r"\|\s+([\w.]+)$", done.err, re.MULTILINE))
    assert "albeit.cli" in imported
    assert not imported & HEAVY
    assert f"\nUsage: albeit {command}" in done.text
    assert command or "albeit.cli.score" not in imported


def test_no_command_lists_the_commands(albeit: Run) -> None:
    assert overview() in albeit().refused


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_options(albeit: Run, shell_name: str) -> None:
    script = albeit(f"completion {shell_name}").text
    for word in ("compare", "segment-scores", "resamples"):
        assert word in script
    if shell_name == "bash":
        assert subprocess.run(["bash", "-n"], input=script, text=True, check=True).returncode == 0


@pytest.mark.parametrize(
    ("command", "option", "names"),
    [
        ("score", "format", FORMATS),
        ("explain", "format", VIEW_FORMATS),
        ("report", "profile", EXTENTS),
        ("check", "format", RENDERERS),
    ],
)
def test_choices_are_of_the_library(command: str, option: str, names: Iterable[object]) -> None:
    actions = {action.dest: action for action in command_parser(command)._actions}
    assert set(actions[option].choices or ()) == set(names)


def test_documented_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, albeit: Run) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    (tmp_path / "setup.toml").write_text(page.split("```toml\n")[1].split("```")[0])
    monkeypatch.chdir(DEMO)
    config = f"--config={tmp_path / 'setup.toml'}"
    scored = albeit(f"score {config}")
    assert scored.err == ""
    assert "chrf(word_order=2) ↑" in scored.text
    compared = albeit(f"compare {config} --seed 7").text
    assert "paired bootstrap, 1,000 resamples over documents, seed 7" in compared


def run(command: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """A line of shell, in which $ALBEIT is the command."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONUTF8"}
    env |= {"PYTHONPATH": str(ROOT / "src"), "ALBEIT": f"{sys.executable} -m albeit", **more}
    return subprocess.run(["bash", "-c", command], capture_output=True, check=False, env=env)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_no_result_is_lost_to_an_encoding(encoding: str) -> None:
    asked = "$ALBEIT score ref.txt -i good.txt 日本=bad.txt -m chrf -q"
    done = run(asked, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode(encoding)
    for part in ("chrf ^", "\\u65e5\\u672c", "----"):
        assert part in text
    done = run(f"{asked} -f json", PYTHONIOENCODING=encoding)
    found = json.loads(done.stdout.decode(encoding))
    assert [row["system"] for row in found["rows"]] == ["good", "日本"]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("$ALBEIT metrics >&-", 1),
        ("$ALBEIT metrics > /dev/full", 1),
        ("$ALBEIT --help > /dev/full", 1),
        ("set -o pipefail; $ALBEIT completion bash | true; exit ${PIPESTATUS[0]}", 1),
        ("$ALBEIT score ref.txt -i nosuch.txt 2>&-", 2),
    ],
)
def test_nowhere_to_write_is_a_status(command: str, status: int) -> None:
    done = run(command)
    assert done.returncode == status, done.stderr
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("name", "value"), [("ALBEIT_THREADS", "two"), ("ALBEIT_CACHE_LIMIT", "4GB")]
)
def test_bad_environment_variables_are_errors(
    albeit: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    done = albeit("parse ref.txt --layer tokens edus -f json")
    if name == "ALBEIT_THREADS" and done.status == 0:
        pytest.skip("the model is loaded in this process already")
    assert name in done.refused
    assert repr(value) in done.err


def test_a_model_by_its_folder(shell: Run, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_MODEL", str(files / "nothing"))
    message = shell("score ref.txt -i good.txt -m dr").refused
    assert f"ALBEIT_MODEL={files / 'nothing'}" in message
    assert "unset ALBEIT_MODEL" in message
    assert "Reinstall" not in message


@pytest.mark.parametrize(
    ("error", "status", "shown"),
    [(KeyboardInterrupt(), 130, "interrupted."), (OSError("disk full"), 1, "disk full")],
)
def test_what_fails_on_the_way(
    albeit: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, shown: str
) -> None:
    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(cli, "_run", fail)
    done = albeit("score")
    assert (done.status, done.err) == (status, f"albeit: error: {shown}\n")


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


STORING = ("bleu", "chrf", "dr", "meteor-pa(table=table.txt)", "terp-a(table=table.txt)")


def test_cache_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Run) -> None:
    """Nothing is written without a cache, by every metric that stores; folders are private."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / ".cache"))
    write_files(
        {
            "table.txt": "0.5\nthe cat\na cat\n0.1\nit slept\nit fell asleep\n",
            "ref.txt": "a cat sat\nso it fell asleep\n",
            "out.txt": "the cat sat\nso it slept\n",
            "lengths.py": "import sys\nfor line in sys.stdin: print(len(line))\n",
        }
    )
    program = f"program(command='{sys.executable} lengths.py')"
    metrics = " ".join(f'"{name}"' for name in (*STORING, program))

    def score_all(cache: str, option: str = "") -> str:
        monkeypatch.setenv("ALBEIT_CACHE", cache)
        return shell(f"score ref.txt -i out.txt -m {metrics} {option}").text

    before = sorted(tmp_path.iterdir())
    printed = [score_all(str(tmp_path / "none"), "--no-cache"), score_all("off")]
    assert sorted(path for path in tmp_path.iterdir() if path.name != "home") == before
    assert not (tmp_path / "home/.cache/albeit").exists()
    umask = os.umask(0o022)
    try:
        cache = tmp_path / "new" / "cache"
        assert [score_all(str(cache))] * 2 == printed
    finally:
        os.umask(umask)
    folders = [cache.parent, cache, *(path for path in cache.rglob("*") if path.is_dir())]
    assert {path.name for path in folders} >= {"runs", "paraphrases", "others"}
    assert {oct(path.stat().st_mode & 0o777) for path in folders} == {"0o700"}
