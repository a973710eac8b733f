from __future__ import annotations

import json
import shutil
import tarfile
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

    monkeypatch.setattr("albeit.evaluation.Evaluation.score", worked)
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
    scored = albeit("score", "set", "-m", "m.json", "exact", "-f", "json", "--trust")
    assert scored.status == 0, scored.err
    rows = {row["system"]: number(row["m.json"]) for row in json.loads(scored.out)["rows"]}
    assert rows["good"] > rows["fair"] > rows["poor"]


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("metaeval", "ref.txt", "-i", "good.txt"), "no judgments given"),
        (("metaeval", "set", "--statistic", "rho"), "'rho' isn't a statistic"),
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


RATED = ["system\tsegment\tmqm"] + [
    f"{name}\t{i + 1}\t{-(i % 3) - worse}"
    for i in range(60)
    for name, worse in (("good", 0.0), ("fair", 0.5), ("poor", 4.0))
]


def test_the_statistic_is_by_the_kind_of_judgments(albeit: Run, judged: Path) -> None:
    """Rankings as at WMT12; ratings with a margin, as τ of WMT14; how many pairs is always said."""
    ranked = albeit("metaeval", "set", "-m", "exact").out
    assert "segment tau-wmt12 over" in ranked
    assert "judged pairs\n" in ranked
    (judged / "mqm.tsv").write_text("\n".join(RATED) + "\n")
    given = ("metaeval", "set", "-m", "exact", "--judgments", "mqm.tsv")
    rated = albeit(*given).out
    assert "segment tau-wmt14 over 120 judged pairs that people put 1 or more apart" in rated
    assert "over 180 judged pairs\n" in albeit(*given, "--margin", "0").out
    assert "segment accuracy-ties over 180 judged pairs\n" in (
        albeit(*given, "--statistic", "accuracy-ties").out
    )
    found = json.loads(albeit(*given, "--level", "system", "-f", "json").out)
    assert (found["measure"], found["counted"]) == ("system pearson", [3])


def test_raters_are_compared_with_each_other(albeit: Run, judged: Path) -> None:
    rows = ["system\tsegment\tmqm\trater", *(f"{line}\tr{n}" for line in RATED[1:] for n in (1, 2))]
    (judged / "mqm.tsv").write_text("\n".join(rows) + "\n")
    for more in ((), ("--margin", "2")):
        done = albeit("metaeval", "set", "-m", "exact", "--judgments", "mqm.tsv", *more)
        assert done.status == 0, done.err
        assert "2 raters; one against the mean of the others" in done.err


def test_levels_stand_side_by_side(albeit: Run, judged: Path) -> None:
    (judged / "mqm.tsv").write_text("\n".join(RATED) + "\n")
    given = ("metaeval", "set", "-m", "exact", "chrf", "--judgments", "mqm.tsv", "-f", "json")
    both = json.loads(albeit(*given, "--level", "segment", "system").out)
    assert [each["measure"] for each in both["measures"]] == ["segment tau-wmt14", "system pearson"]
    for level, name in (("segment", "segment tau-wmt14"), ("system", "system pearson")):
        alone = read(albeit(*given, "--level", level).out)
        for row in both["rows"]:
            assert number(row[f"{name}.value"]) == number(alone[row["metric"]]["value"])
    wrong = albeit(*given, "--level", "segment", "system", "--statistic", "pearson")
    assert wrong.status == 2
    assert "one for each level" in wrong.err


def test_scores_join_by_the_numbers_of_the_set(albeit: Run, judged: Path) -> None:
    """Segments 31 to 60 are judged; the file scores all 60, and its first 30 are all wrong."""
    lines = [line for line in RATED if line == RATED[0] or int(line.split("\t")[1]) > 30]
    (judged / "mqm.tsv").write_text("\n".join(lines) + "\n")
    scores: dict[str, list[float]] = {line.split("\t")[0]: [] for line in RATED[1:]}
    for line in RATED[1:]:
        name, segment, mqm = line.split("\t")
        scores[name].append(float(mqm) if int(segment) > 30 else -float(mqm))
    for name in ("good", "fair", "poor"):
        assert len(scores[name]) == 60
    text = "".join(f"{name}\t{score}\n" for name, own in scores.items() for score in own)
    (judged / "told.seg.score").write_text(text)
    given = ("metaeval", "set", "--judgments", "mqm.tsv", "--scores", "told.seg.score")
    for more in ((), ("--judged-only",)):
        found = read(albeit(*given, *more, "-f", "json").out)
        assert number(found["told"]["value"]) == 1.0
    (judged / "told.sys.score").write_text("good\t3\nfair\t2\npoor\t1\n")
    done = albeit(*given[:-1], "told.sys.score", "--judged-only", "--level", "system")
    assert done.status == 2
    assert "told.sys.score: scores systems as wholes" in done.err


def test_systems_that_are_not_compared_are_left_out_of_score_files(
    albeit: Run, judged: Path
) -> None:
    text = (judged / "noise.seg.score").read_text() + "refA\t1\n" * 60
    (judged / "noise.seg.score").write_text(text)
    given = ("set", "--systems", "good", "fair", "--scores", "noise.seg.score")
    for command in ("score", "compare", "metaeval"):
        done = albeit(command, *given)
        assert done.status == 0, done.err
        assert "not compared here: 'poor', 'refA'; left out" in done.err


def test_a_tree_has_its_own_judgments_and_scores(albeit: Run, judged: Path) -> None:
    tree = judged / "wmt99"
    for folder in ("references", "system-outputs/de-en", "human-scores", "metric-scores/de-en"):
        (tree / folder).mkdir(parents=True)
    shutil.copy(judged / "set" / "ref.txt", tree / "references" / "de-en.refA.txt")
    for name in ("good", "fair", "poor"):
        place = tree / "system-outputs" / "de-en" / f"{name}.txt"
        shutil.copy(judged / "set" / "systems" / f"{name}.txt", place)
    rows = [line.split("\t") for line in RATED[1:]]
    by_system = [r for name in ("good", "fair", "poor") for r in rows if r[0] == name]
    mqm = "".join(f"{name}\t{score}\n" for name, _, score in by_system) + "refA\t0\n" * 60
    (tree / "human-scores" / "de-en.mqm.seg.score").write_text(mqm)
    (tree / "human-scores" / "de-en.da-sqm.seg.score").write_text(
        "".join(f"{name}\t{50 - float(score)}\n" for name, _, score in by_system)
    )
    scores = tree / "metric-scores" / "de-en"
    (scores / "Told-refA.seg.score").write_text(mqm)
    shutil.copy(judged / "noise.seg.score", scores / "Noise-src.seg.score")
    for given in (("wmt99",), ("wmt99/de-en",), ("wmt99", "--language-pair", "de-en")):
        done = albeit("metaeval", *given, "-f", "json")
        assert done.status == 0, done.err
        found = read(done.out)
        assert list(found) == ["Told-refA", "Noise-src"]
        assert number(found["Told-refA"]["value"]) == 1.0
    assert "judgments are mqm; --human-column chooses another: da-sqm" in done.err
    other = read(albeit("metaeval", "wmt99", "--human-column", "da-sqm", "-f", "json").out)
    assert list(other)[-1] == "Told-refA"
    done = albeit("metaeval", "wmt99", "--human-column", "esa")
    assert done.status == 2
    assert "has no judgments 'esa' for de-en; there are da-sqm, mqm" in done.err


@pytest.mark.shared
def test_official_scores_of_wmt23(
    albeit: Run, discourse_data: Path, shared_data: Path, tmp_path: Path
) -> None:
    """The table of all metrics in one command, against figures computed here by hand."""
    with tarfile.open(shared_data / "judgments.tar.xz") as archive:
        wanted = "judgments/wmt23-metric-scores/zh-en/"
        archive.extractall(
            tmp_path, [m for m in archive if m.name.startswith(wanted)], filter="data"
        )
    scores = tmp_path / "judgments" / "wmt23-metric-scores" / "zh-en"
    folder = discourse_data / "wmt23-mqm" / "zh-en"
    done = albeit(
        "metaeval",
        str(folder),
        "--scores",
        str(scores),
        "--judged-only",
        "--level",
        "segment",
        "system",
        "-f",
        "json",
    )
    assert done.status == 0, done.err
    assert "'synthetic_ref', 'refA'; left out" in done.err
    found = read(done.out)
    assert len(found) == 26
    people = _score_file(scores / "HUMAN.mqm.seg.score")
    systems = [name for name in people if name not in ("refA", "synthetic_ref")]
    assert len(systems) == 15
    human = np.array([people[name] for name in systems])
    judged = ~np.isnan(human).any(axis=0)
    first, second = np.triu_indices(15, k=1)
    gap = human[first] - human[second]
    apart = np.abs(gap) >= 1
    for name, row in found.items():
        own = _score_file(scores / f"{name}.seg.score")
        metric = np.array([own[system] for system in systems])
        agreed = np.sign(metric[first] - metric[second])[apart] * np.sign(gap[apart])
        tau = ((agreed > 0).sum() - (agreed < 0).sum()) / apart.sum()
        assert number(row["segment tau-wmt14.value"]) == pytest.approx(tau, abs=1e-12)
        r = np.corrcoef(metric[:, judged].mean(axis=1), human[:, judged].mean(axis=1))[0, 1]
        assert number(row["system pearson.value"]) == pytest.approx(r, abs=1e-9)
    published = {
        "COMET-refA": 0.299,
        "XCOMET-Ensemble-refA": 0.358,
        "MetricX-23-QE-c-src": 0.366,
        "BLEURT-20-refA": 0.310,
        "BERTscore-refA": 0.256,
        "chrF-refA": 0.219,
    }
    for name, tau in published.items():
        assert number(found[name]["segment tau-wmt14.value"]) == pytest.approx(tau, abs=0.0005)


def _score_file(path: Path) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for line in path.read_text().splitlines():
        system, score = line.split()
        found.setdefault(system, []).append(float("nan") if score == "None" else float(score))
    return found
