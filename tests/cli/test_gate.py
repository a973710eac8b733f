"""Conditions that end a command with status 3, and the workflow that uses them."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"
LINE = "one two three four five six seven eight\n"
WORSE = "one two four three five nine seven eight\n"


@pytest.fixture
def texts(files: Path) -> Path:
    """A reference, a perfect system, one that is worse throughout, one that is worse once."""
    (files / "r.txt").write_text(LINE * 40)
    (files / "base.txt").write_text(LINE * 40)
    (files / "bad.txt").write_text(WORSE * 40)
    (files / "once.txt").write_text(WORSE + LINE * 39)
    (files / "ids.txt").write_text("".join(f"d{i // 10}\n" for i in range(40)))
    return files


@pytest.mark.usefixtures("texts")
def test_fails_if_significantly_worse(albeit: Run) -> None:
    given = ("compare", "r.txt", "-i", "base.txt", "bad.txt", "once.txt", "-m", "chrf", "ter")
    assert albeit(*given).status == 0
    done = albeit(*given, "--fail-if-worse")
    assert done.status == 3
    assert "once" in done.out  # the table is there all the same
    failed = [line for line in done.err.splitlines() if line.startswith("albeit: failed: ")]
    assert len(failed) == 2
    assert failed[0].startswith("albeit: failed: bad: chrf is worse than base's by ")
    assert albeit(*given, "--fail-if-worse", "chrf").err.count("failed") == 1
    assert albeit(*given, "--fail-if-worse", "--margin", "90").status == 0
    assert albeit(*given, "--baseline", "bad", "--fail-if-worse").status == 0


@pytest.mark.usefixtures("texts")
def test_fails_under(albeit: Run) -> None:
    given = ("score", "r.txt", "-i", "base.txt", "bad.txt", "-m", "chrf", "ter")
    assert albeit(*given, "--fail-under", "chrf=20", "ter=60").status == 0
    done = albeit(*given, "--fail-under", "chrf=99", "ter=0")
    assert done.status == 3
    assert re.search(r"failed: bad: chrf is [\d.]+, below 99\.", done.err)
    assert re.search(r"failed: bad: ter is [\d.]+, above 0\.", done.err)
    assert "base: " not in done.err


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "--fail-under", "chrf"), "must be METRIC=NUMBER, not 'chrf'"),
        (("score", "--fail-under", "bleu=3"), "--fail-under: 'bleu' is not among the metrics"),
        (("compare", "--fail-if-worse", "bleu"), "--fail-if-worse: 'bleu' is not among"),
        (("compare", "--margin", "1"), "--margin goes with --fail-if-worse"),
        (("compare", "--all-pairs", "--fail-if-worse"), "--all-pairs has no baseline"),
    ],
)
def test_mistakes(albeit: Run, arguments: tuple[str, ...], message: str) -> None:
    command, *rest = arguments
    done = albeit(command, "r.txt", "-i", "base.txt", "bad.txt", "-m", "chrf", *rest)
    assert done.status == 2
    assert message in done.err


@pytest.mark.usefixtures("texts")
def test_where_a_system_loses(albeit: Run) -> None:
    given = ("compare", "r.txt", "-i", "base.txt", "once.txt", "-m", "chrf", "--docs", "ids.txt")
    tables = json.loads(albeit(*given, "--worst", "5", "-f", "json").out)
    _, segments, documents = tables
    assert segments["caption"] == "Where once loses to base: segments by chrf"
    (row,) = segments["rows"]  # the only one in which it loses
    assert (row["segment"], row["document"], row["baseline"]) == (1, "d0", 100)
    assert row["difference"] == row["system"] - 100 < 0
    assert row["text of once"] == WORSE.strip()
    assert [one["document"] for one in documents["rows"]] == ["d0"]
    tables = json.loads(albeit(*given, "--worst", "5", "--baseline", "once", "-f", "json").out)
    assert [table["rows"] for table in tables[1:]] == [[], []]


def test_documents_come_by_their_difference(albeit: Run, texts: Path) -> None:
    lines = (LINE * 10 + (WORSE + LINE) * 5 + WORSE * 10 + LINE * 9 + WORSE).splitlines()
    (texts / "mixed.txt").write_text("\n".join(lines) + "\n")
    given = ("compare", "r.txt", "-i", "base.txt", "mixed.txt", "-m", "ter", "--docs", "ids.txt")
    documents = json.loads(albeit(*given, "--worst", "2", "-f", "json").out)[2]
    assert [row["document"] for row in documents["rows"]] == ["d2", "d1"]


@pytest.mark.parametrize(("new", "status"), [("careful", 0), ("blunt", 3)])
def test_the_example_workflow(
    albeit: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: str, status: int
) -> None:
    demo, quality = EXAMPLES / "demo", tmp_path / "quality"
    quality.mkdir()
    for source, name in (
        ("ref.A.txt", "ref.txt"),
        ("docids.txt", "docids.txt"),
        ("systems/careful.txt", "baseline.txt"),
        (f"systems/{new}.txt", "new.txt"),
    ):
        shutil.copy(demo / source, quality / name)
    monkeypatch.chdir(tmp_path)
    workflow = (EXAMPLES / "ci" / "translation-quality.yml").read_text(encoding="utf-8")
    steps = re.findall(r"^ +- run: (albeit .*)$", workflow, re.MULTILINE)
    assert len(steps) == 2
    found = [albeit(*shlex.split(step)[1:]).status for step in steps]
    assert found == [status, 0]
