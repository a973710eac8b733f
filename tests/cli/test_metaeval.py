from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run


@pytest.fixture
def judged(files: Path) -> Path:
    """Three systems of clearly different quality, and people who see it."""
    rng = np.random.default_rng(0)
    reference = [f"word{i} a b c d" for i in range(60)]
    rates = {"good": 0.9, "fair": 0.6, "poor": 0.2}
    right = {name: rng.random(60) < rate for name, rate in rates.items()}
    (files / "set" / "systems").mkdir(parents=True)
    (files / "set" / "ref.txt").write_text("\n".join(reference) + "\n")
    (files / "set" / "docids.txt").write_text("".join(f"d{i // 5}\n" for i in range(60)))
    for name, yes in right.items():
        lines = [line if y else "no" for line, y in zip(reference, yes, strict=True)]
        (files / "set" / "systems" / f"{name}.txt").write_text("\n".join(lines) + "\n")
    pairs = ["segment\tbetter\tworse"]
    pairs += [
        f"{i + 1}\t{a}\t{b}"
        for i in range(60)
        for a in rates
        for b in rates
        if right[a][i] and not right[b][i]
    ]
    (files / "set" / "pairwise.tsv").write_text("\n".join(pairs) + "\n")
    scores = [f"{name}\t{rng.random()}" for name in rates for _ in range(60)]
    (files / "broken.json").write_text("word\n")
    (files / "noise.seg.score").write_text("\n".join(scores) + "\n")
    return files


def read(text: str) -> dict[str, dict[str, object]]:
    rows = json.loads(text)["rows"]
    return {row["metric"]: row for row in rows}


def number(cell: object) -> float:
    return float(cell["value"] if isinstance(cell, dict) else cell)  # type: ignore[arg-type]


@pytest.mark.usefixtures("judged")
def test_ranks_metrics_and_external_scores(albeit: Run) -> None:
    run = albeit(
        "metaeval",
        "set",
        "-m",
        "exact",
        "--scores",
        "noise.seg.score",
        "--confidence",
        "--test",
        "both",
        "--resamples",
        "200",
        "-f",
        "json",
    )
    assert run.status == 0, run.err
    found = read(run.out)
    assert list(found) == ["exact", "noise"]
    assert number(found["exact"]["value"]) == 1.0
    assert abs(number(found["noise"]["value"])) < 0.5
    assert found["noise"]["cluster"] == 2


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize("level", ["segment", "document", "system"])
def test_levels(albeit: Run, level: str) -> None:
    run = albeit("metaeval", "set", "-m", "exact", "--level", level)
    assert run.status == 0, run.err
    assert "exact" in run.out


@pytest.mark.usefixtures("judged")
def test_a_metric_without_segment_scores_leaves_its_cell_empty(albeit: Run) -> None:
    given = ("metaeval", "set", "-m", "exact", "opening", "--level", "system", "-f", "json")
    run = albeit(*given, "--statistic", "spa")
    assert run.status == 0, run.err
    found = read(run.out)
    assert found["opening"]["value"] is None
    assert found["exact"]["value"] is not None
    assert "opening has no segment scores" in run.out
    run = albeit(*given, "--statistic", "spearman", "--test", "input")
    assert run.status == 0, run.err
    assert read(run.out)["opening"]["cluster"] is None
    assert "opening has no segment scores, and is in no cluster" in run.out


@pytest.mark.usefixtures("judged")
def test_a_test_that_does_not_exist_is_refused_before_the_work(
    albeit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def worked(*_: object, **__: object) -> None:
        raise AssertionError("scored before refusing")

    monkeypatch.setattr("albeit.engine.Evaluation.score", worked)
    for more in (
        ("--level", "system", "--statistic", "spa", "--test", "input"),
        ("--test", "williams"),
        ("--by", "item", "--test", "both"),
    ):
        run = albeit("metaeval", "set", "-m", "exact", *more)
        assert run.status == 2, run.err


def test_scores_can_be_of_what_was_judged_alone(albeit: Run, judged: Path) -> None:
    """The fair system is best on the one segment that was judged, and not on the others."""
    for name, first in {"good": "no", "fair": "word0 a b c d", "poor": "no"}.items():
        path = judged / "set" / "systems" / f"{name}.txt"
        path.write_text("\n".join([first, *path.read_text().splitlines()[1:]]) + "\n")
    ratings = ["system\tsegment\tmqm", "good\t1\t-9", "fair\t1\t-1", "poor\t1\t-5"]
    (judged / "few.tsv").write_text("\n".join(ratings) + "\n")
    asked = (
        "metaeval",
        "set",
        "--judgments",
        "few.tsv",
        "-m",
        "exact",
        "-f",
        "json",
        "--level",
        "system",
        "--statistic",
        "pearson",
    )
    whole, part = (albeit(*asked, *more) for more in ((), ("--judged-only",)))
    assert whole.status == part.status == 0, part.err
    assert number(read(part.out)["exact"]["value"]) > 0.8
    assert number(read(whole.out)["exact"]["value"]) < 0


@pytest.mark.usefixtures("judged")
def test_several_sets_and_a_uniform_combination(albeit: Run) -> None:
    shutil.copytree("set", "other")
    run = albeit(
        "metaeval",
        "set",
        "other",
        "-m",
        "exact",
        "wrong",
        "--uniform",
        "u=exact+wrong",
        "-f",
        "json",
    )
    assert run.status == 0, run.err
    found = read(run.out)
    assert set(found) == {"exact", "wrong", "u"}
    assert found["u"]["set"] == found["u"]["other"]
    again = albeit("metaeval", "set", "set", "-m", "exact")
    assert again.status == 2
    assert "two test sets are called 'set'" in again.err


@pytest.mark.usefixtures("judged")
def test_tune_saves_a_model_that_scores(albeit: Run, judged: Path) -> None:
    run = albeit(
        "tune", "set", "-m", "exact", "--scores", "noise.seg.score", "--folds", "4", "-o", "x.json"
    )
    assert run.status == 0, run.err
    assert "tuned (held out)" in run.out
    run = albeit("tune", "set", "-m", "exact", "bleu", "--folds", "4", "-o", "m.json")
    assert run.status == 0, run.err
    content = json.loads((judged / "m.json").read_text())
    assert [f["metric"] for f in content["features"]] == ["exact", "bleu"]
    assert content["training"]["cross_validation"]["folds"] == 4
    scored = albeit("score", "set", "-m", "m.json", "exact", "-f", "json")
    assert scored.status == 0, scored.err
    rows = {row["system"]: number(row["m.json"]) for row in json.loads(scored.out)["rows"]}
    assert rows["good"] > rows["fair"] > rows["poor"]


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("metaeval", "ref.txt", "-i", "good.txt"), "no judgments given"),
        (("metaeval", "set", "--statistic", "rho"), "no statistic 'rho'"),
        (("metaeval", "set", "--judgments", "a", "b"), "2 files of judgments"),
        (("metaeval", "set", "-m", "bleu", "--uniform", "bleu+none"), "'none' is not among"),
        (("metaeval", "ref.txt", "-i", "good.txt", "--judgments", "set/pairwise.tsv"), "fair"),
        # refused before anything is scored: this metric fails when it scores
        (("tune", "set", "-m", "failing", "--folds", "99"), "99 folds"),
        (("tune", "set", "-m", "bleu", "-o", "set"), "would overwrite an input"),
        (("tune", "set", "-m", "bleu", "-o", "set/systems"), "is a folder"),
        (("score", "set", "-m", "absent.json"), "cannot be read"),
        (("score", "set", "-m", "set/ref.txt"), "no saved model"),
        (("score", "set", "-m", "broken.json"), "not JSON"),
    ],
)
def test_mistakes_are_one_line(albeit: Run, arguments: tuple[str, ...], says: str) -> None:
    run = albeit(*arguments)
    assert run.status == 2
    assert says in run.err
    assert "Traceback" not in run.err
