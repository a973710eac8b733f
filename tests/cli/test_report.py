"""``albeit report``: one file, from any input; nothing is scored twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit.evaluation import scoring
from tests.cli.conftest import Run
from tests.report.page.conftest import data_of

COMMAND = (
    "report",
    "ref.txt",
    "-i",
    "good.txt",
    "bad.txt",
    "--docs",
    "docs.txt",
    "-m",
    "chrf",
    "ter",
)


def test_a_report_and_its_second_call_which_scores_nothing(
    files: Path, albeit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = albeit(*COMMAND, "--profile", "none", "-o", "out.html", "--title", "My <b>title</b>")
    assert done.status == 0, done.err
    assert "wrote out.html" in done.err
    first = (files / "out.html").read_text(encoding="utf-8")
    assert data_of(first)["title"] == "My <b>title</b>"

    def fail(*_: object) -> None:
        raise AssertionError("scored again")

    monkeypatch.setattr(scoring, "score_parts", fail)
    again = albeit(*COMMAND, "--profile", "none", "-o", "again.html", "--title", "My <b>title</b>")
    assert again.status == 0, again.err
    second = (files / "again.html").read_text(encoding="utf-8")
    assert data_of(second) | {"command": ""} == data_of(first) | {"command": ""}
    assert data_of(second)["command"].endswith("-o again.html --title 'My <b>title</b>'")


def test_profile_explanations_and_scores_of_other_tools(files: Path, albeit: Run) -> None:
    scores = "".join(f"{system}\t{n / 10}\n" for system in ("good", "bad") for n in range(4))
    (files / "theirs.seg.score").write_text(scores)
    done = albeit(
        "report",
        "ref.txt",
        "-i",
        "good.txt",
        "bad.txt",
        "--docs",
        "docs.txt",
        "-m",
        "chrf",
        "--scores",
        "theirs.seg.score",
        "--explain",
        "1",
        "--profile",
        "quick",
    )
    assert done.status == 0, done.err
    data = data_of((files / "report.html").read_text(encoding="utf-8"))
    assert [metric["name"] for metric in data["metrics"]] == ["chrf", "theirs"]
    assert len(data["metrics"][1]["interval"]) == 2  # means of segments can be resampled
    names = [row["name"] for row in data["profile"]]
    assert {"lexical cohesion", "discourse trees"} <= set(names)
    assert "coreference" in data["left_out"]
    ((_, explained),) = data["documents"].items()
    assert {"cohesion", "coref"} <= set(explained)  # though they did not score the set
    assert len(data["explanations"]) == 1
    assert {bucket["by"] for bucket in data["buckets"]} >= {"document"}


def test_a_judged_folder_shows_agreement(files: Path, albeit: Run) -> None:
    folder = files / "set"
    (folder / "systems").mkdir(parents=True)
    for name, place in {
        "ref.txt": "ref.txt",
        "good.txt": "systems/good.txt",
        "bad.txt": "systems/bad.txt",
    }.items():
        (folder / place).write_text((files / name).read_text())
    (folder / "pairwise.tsv").write_text("segment\tbetter\tworse\n1\tgood\tbad\n3\tgood\tbad\n")
    done = albeit("report", "set", "-m", "chrf", "--profile", "none", "--explain", "none")
    assert done.status == 0, done.err
    data = data_of((files / "report.html").read_text(encoding="utf-8"))
    assert [table["rows"][0][0] for table in data["agreement"]] == ["chrf", "chrf"]
    assert "explanations" not in data


def test_the_whole_profile_is_had_for_the_asking(files: Path, albeit: Run) -> None:
    done = albeit(*COMMAND, "--profile", "all", "--explain", "none")
    assert done.status == 0, done.err
    data = data_of((files / "report.html").read_text(encoding="utf-8"))
    assert "coreference" in {row["name"] for row in data["profile"]}
    assert "documents" not in data


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--explain", "some"), "must be a number, 'all' or 'none'"),
        (("-o", "."), "is a folder"),
        (("-o", "docs.txt"), "albeit did not write it"),
        (("--judgments", "a", "b"), "one test set"),
        (("-m", "blue"), "Did you mean bleu"),
    ],
)
def test_mistakes_are_reported(albeit: Run, options: tuple[str, ...], said: str) -> None:
    done = albeit("report", "ref.txt", "-i", "good.txt", *options)
    assert done.status == 2
    assert said in done.err
