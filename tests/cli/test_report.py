"""``albeit report``: one file, from any input or earlier results; nothing is scored twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from albeit.evaluation import scoring
from tests.cli.conftest import Run, read_report, scores_of, write_files

TEXT = "ref.txt -i good.txt bad.txt --docs docs.txt"
METRICS = "-m chrf ter"


@pytest.fixture
def report(files: Path, albeit: Run) -> Any:
    """Make a report, and return its data."""

    def run(words: str) -> dict[str, Any]:
        done = albeit(f"report {words}")
        assert done.status == 0, done.err
        assert "wrote report.html" in done.err
        return read_report()

    return run


@pytest.fixture
def no_scoring(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Call this to make scoring fail from now on."""

    def fail(*_: object) -> None:
        raise AssertionError("scored again")

    return lambda: monkeypatch.setattr(scoring, "score_parts", fail)


def test_a_second_call_scores_nothing(report: Any, no_scoring: Any) -> None:
    command = f"{TEXT} {METRICS} --profile none --title 'My <b>title</b>'"
    first = report(command)
    assert first["title"] == "My <b>title</b>"
    no_scoring()
    assert report(command) == first
    assert first["command"].endswith("--profile none --title 'My <b>title</b>'")


def test_profile_explanations_and_scores_of_other_tools(report: Any) -> None:
    numbers = [n / 10 for n in range(4)]
    write_files({"theirs.seg.score": scores_of(good=numbers, bad=numbers)})
    data = report(f"{TEXT} -m chrf --scores theirs.seg.score --explain 1 --profile quick")
    assert [metric["name"] for metric in data["metrics"]] == ["chrf", "theirs"]
    assert len(data["metrics"][1]["interval"]) == 2  # means of segments can be resampled
    names = [row["name"] for row in data["profile"]]
    assert {"lexical cohesion", "discourse trees"} <= set(names)
    assert "coreference" in data["left_out"]
    ((_, explained),) = data["documents"].items()
    assert {"cohesion", "coref"} <= set(explained)  # though they did not score the set
    assert len(data["explanations"]) == 1
    assert {bucket["by"] for bucket in data["buckets"]} >= {"document"}


def test_a_set_for_which_no_metric_is_recommended_shows_the_profile(report: Any) -> None:
    given = "-i good.txt bad.txt --docs docs.txt --source ref.txt --source-lang de --lang de"
    assert report(f"{given} --profile quick")["metrics"] == []


@pytest.fixture
def kept(files: Path, albeit: Run) -> None:
    """The results of ``albeit score``."""
    assert albeit(f"score {TEXT} {METRICS} --out RUN --batch-size 2").status == 0


@pytest.mark.usefixtures("kept")
def test_a_kept_run_with_its_texts_is_the_report_of_the_texts(report: Any, no_scoring: Any) -> None:
    options = "--profile none --title x --explain 2"
    scored = report(f"{TEXT} {METRICS} {options}")
    no_scoring()
    again = report(f"{TEXT} --results RUN {options}")
    assert again["explanations"]
    for key in ("metrics", "lines", "explanations", "buckets", "tests", "words"):
        assert again[key] == scored[key], key


@pytest.mark.usefixtures("kept")
def test_a_kept_run_alone_has_everything_but_texts(report: Any) -> None:
    data = report("--results RUN")
    assert "lines" not in data
    assert len(data["metrics"][0]["segment"][0]) == data["set"]["segments"] == 4
    assert len(data["metrics"][0]["interval"]) == len(data["systems"]) == 2
    assert [bucket["by"] for bucket in data["buckets"]] == ["document"]


def test_printed_results(report: Any, albeit: Run) -> None:
    printed = albeit(f"score {TEXT} -m chrf ter cohesion -f json --confidence")
    write_files({"scores.json": printed.text})
    data, given = report("--results scores.json"), printed.data
    chrf, ter, cohesion = data["metrics"]
    assert (chrf["decimals"], ter["higher"], cohesion["decimals"]) == (2, False, 4)
    assert chrf["system"] == [row["chrf"]["value"] for row in given["rows"]]
    first = given["rows"][0]["chrf"]
    assert chrf["interval"][0] == [first["low"], first["high"]]
    assert [metric["signature"] for metric in data["metrics"]] == list(given["signatures"].values())
    assert any("resamples over documents" in note for note in data["interval_notes"])
    assert data["set"]["segments"] == 4


def test_warnings_come_with_scores_reports_and_kept_runs(report: Any, albeit: Run) -> None:
    write_files({"gaps.txt": "the cat sat\n\nso it slept\n\n"})
    empty = "system 'gaps': 2 of 4 lines are empty; they are scored as empty translations."
    few = "only 4 segments: intervals and p-values are unreliable"
    given = "ref.txt -i gaps.txt -m chrf"
    printed = albeit(f"score {given} -f json -q --confidence")
    assert (printed.err, printed.data["warnings"][0]) == ("", empty)
    first = report(f"{given} --profile none")["warnings"]
    assert (first[0], first[1][: len(few)]) == (empty, few)
    write_files({"scores.json": printed.text})
    assert empty in report("--results scores.json")["warnings"]
    words = "zebra quill umbra vortex plinth " * 20
    write_files({"odd.txt": f"{words}\n" * 4})
    assert albeit("score odd.txt -i odd.txt -m chrf --out RUN").status == 0
    assert "does not look like 'en'" in report("--results RUN")["warnings"][0]
