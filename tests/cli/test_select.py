from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"line {n} says that {n * n} birds sang in tree {n % 7}" for n in range(30)]
    Path("ref.txt").write_text("\n".join(lines) + "\n")
    Path("a.txt").write_text("\n".join(line.replace("birds", "bird") for line in lines) + "\n")
    Path("b.txt").write_text("\n".join(line[: 30 - n % 5] for n, line in enumerate(lines)) + "\n")


@pytest.mark.usefixtures("texts")
def test_a_plan_with_weights_and_power(albeit: Run) -> None:
    words = ("select", "ref.txt", "-i", "a.txt", "b.txt", "-m", "chrf", "--budget", "10")
    found = json.loads(albeit(*words, "-f", "json").out)
    assert len(found["rows"]) == 10
    assert sum(row["weight"] for row in found["rows"]) == pytest.approx(30)
    assert {row["by"] for row in found["rows"]} == {"use", "chance"}
    out = albeit(*words).out
    assert "10 of 30 segments: 8 that separate systems, 2 drawn at random" in out
    assert "(albeit compare --power)" in out


@pytest.mark.usefixtures("texts")
def test_a_budget_that_is_too_small(albeit: Run) -> None:
    done = albeit("select", "ref.txt", "-i", "a.txt", "b.txt", "-m", "chrf", "--budget", "2")
    assert done.status == 2
    assert "at least 5 segments must be chosen" in done.err
