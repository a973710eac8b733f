"""``albeit report --results``: the results of an earlier ``albeit score``, without scoring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from albeit.evaluation import scoring
from tests.cli.conftest import Run
from tests.report.page.conftest import data_of

TEXTS = ("ref.txt", "-i", "good.txt", "bad.txt", "--docs", "docs.txt")


@pytest.fixture
def kept(files: Path, albeit: Run) -> Path:
    done = albeit("score", *TEXTS, "-m", "chrf", "ter", "--out", "RUN", "--batch-size", "2")
    assert done.status == 0, done.err
    return files


def shown(folder: Path) -> dict[str, Any]:
    return data_of((folder / "report.html").read_text(encoding="utf-8"))


def test_a_kept_run_with_its_texts_is_the_report_of_the_texts(kept: Path, albeit: Run) -> None:
    options = ("--profile", "none", "--title", "x", "--explain", "2")
    assert albeit("report", *TEXTS, "-m", "chrf", "ter", *options).status == 0
    scored = shown(kept)
    done = albeit("report", *TEXTS, "--results", "RUN", *options)
    assert done.status == 0, done.err
    again = shown(kept)
    assert again["explanations"]
    for key in ("metrics", "lines", "explanations", "buckets", "tests", "words"):
        assert again[key] == scored[key], key


def test_a_kept_run_is_not_scored_again(
    kept: Path, albeit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("scored again")

    monkeypatch.setattr(scoring, "score_parts", fail)
    done = albeit("report", *TEXTS, "--results", "RUN", "--profile", "none", "--explain", "none")
    assert done.status == 0, done.err


def test_a_kept_run_alone_has_everything_but_texts(kept: Path, albeit: Run) -> None:
    done = albeit("report", "--results", "RUN")
    assert done.status == 0, done.err
    data = shown(kept)
    assert "lines" not in data
    assert len(data["metrics"][0]["segment"][0]) == data["set"]["segments"] == 4
    assert len(data["metrics"][0]["interval"]) == len(data["systems"]) == 2
    assert [bucket["by"] for bucket in data["buckets"]] == ["document"]


def test_printed_results(files: Path, albeit: Run) -> None:
    printed = albeit("score", *TEXTS, "-m", "chrf", "ter", "cohesion", "-f", "json", "--confidence")
    (files / "scores.json").write_text(printed.out)
    done = albeit("report", "--results", "scores.json")
    assert done.status == 0, done.err
    data = shown(files)
    given = json.loads(printed.out)
    chrf, ter, cohesion = data["metrics"]
    assert (chrf["decimals"], ter["higher"], cohesion["decimals"]) == (2, False, 4)
    assert chrf["system"] == [row["chrf"]["value"] for row in given["rows"]]
    assert chrf["interval"][0] == [
        given["rows"][0]["chrf"]["low"],
        given["rows"][0]["chrf"]["high"],
    ]
    assert [metric["signature"] for metric in data["metrics"]] == list(given["signatures"].values())
    assert any("resamples over documents" in note for note in data["interval_notes"])
    assert data["set"]["segments"] == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("RUN", "ref.txt", "-i", "bad.txt", "good.txt", "--docs", "docs.txt"), "other texts"),
        (("RUN", "-m", "bleu"), "--metrics cannot be combined with --results"),
        (("nowhere",), "nowhere"),
        (("docs.txt",), "is not JSON"),
        (("other.json",), "does not have the scores of systems"),
        (("segments.json",), "not of systems"),
        (("system.json", *TEXTS), "no scores of segments"),
    ],
)
def test_mistakes_are_reported(
    kept: Path, albeit: Run, options: tuple[str, ...], said: str
) -> None:
    (kept / "other.json").write_text('{"rows": [1]}')
    (kept / "system.json").write_text(albeit("score", *TEXTS, "-f", "json").out)
    (kept / "segments.json").write_text(
        albeit("score", *TEXTS, "-f", "json", "--level", "segment").out
    )
    done = albeit("report", "--results", *options)
    assert done.status == 2
    assert said in done.err
