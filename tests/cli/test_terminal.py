"""Results reach whoever reads them, in whatever encoding; if not, the status says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from albeit.cli.outputs import _plain
from tests.cli.conftest import Run
from tests.conftest import ROOT

SCORE = ("score", "ref.txt", "-i", "good.txt", "日本=bad.txt", "-m", "chrf", "-q")


def run(command: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """A line of shell, in which $ALBEIT is the command."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONUTF8"}
    env |= {"PYTHONPATH": str(ROOT / "src"), "ALBEIT": f"{sys.executable} -m albeit", **more}
    return subprocess.run(["bash", "-c", command], capture_output=True, check=False, env=env)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_no_result_is_lost_to_an_encoding(encoding: str) -> None:
    asked = " ".join(SCORE)
    done = run(f"$ALBEIT {asked}", PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode(encoding)
    assert "chrf ^" in text
    assert "\\u65e5\\u672c" in text
    assert "----" in text
    done = run(f"$ALBEIT {asked} -f json", PYTHONIOENCODING=encoding)
    found = json.loads(done.stdout.decode(encoding))
    assert [row["system"] for row in found["rows"]] == ["good", "日本"]


def test_what_stands_for_a_character() -> None:
    assert [_plain(c) for c in "↑│╭é𝄞"] == ["^", "|", "+", "\\u00e9", "\\ud834\\udd1e"]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "command",
    [
        "$ALBEIT metrics >&-",
        "$ALBEIT metrics > /dev/full",
        "$ALBEIT --help > /dev/full",
        "set -o pipefail; $ALBEIT metrics | true; exit ${PIPESTATUS[0]}",
    ],
)
def test_nowhere_to_write_is_status_1(command: str) -> None:
    done = run(command)
    assert done.returncode == 1, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.usefixtures("files")
def test_closed_stderr_leaves_stdout_alone() -> None:
    done = run("$ALBEIT score ref.txt -i nosuch.txt 2>&-")
    assert done.returncode == 2
    assert done.stdout == b""


@pytest.mark.parametrize(
    ("name", "value"), [("ALBEIT_THREADS", "two"), ("ALBEIT_CACHE_LIMIT", "4GB")]
)
@pytest.mark.usefixtures("files")
def test_bad_environment_variables_are_errors(
    albeit: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    done = albeit("parse", "ref.txt", "--layer", "tokens", "edus", "-f", "json")
    if name == "ALBEIT_THREADS" and done.status == 0:
        pytest.skip("the model is loaded in this process already")
    assert done.status == 2
    assert name in done.err
    assert repr(value) in done.err


def test_another_model_is_asked_for_by_its_folder(
    shell: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALBEIT_MODEL", str(files / "nothing"))
    done = shell("score", "ref.txt", "-i", "good.txt", "-m", "dr")
    assert done.status == 2
    assert f"ALBEIT_MODEL={files / 'nothing'}" in done.err
    assert "unset ALBEIT_MODEL" in done.err
    assert "Reinstall" not in done.err


@pytest.mark.usefixtures("files")
def test_warnings_of_many_files_are_two_lines(albeit: Run, files: Path) -> None:
    names = [f"s{n}.txt" for n in range(9)]
    for name in names:
        (files / name).write_text("a &amp; b\nit was late\nso\nthe end\n")
    done = albeit("score", "ref.txt", "-i", *names, "-m", "chrf")
    assert done.err.splitlines() == [
        "albeit: warning: s0.txt: 1 line with HTML entities (like &quot;), kept as text;"
        " they can be resolved with --unescape.",
        "albeit: warning: the same 8 times more: s1.txt, s2.txt, s3.txt ….",
    ]
