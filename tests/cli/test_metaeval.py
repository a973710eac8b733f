"""``albeit metaeval`` and ``albeit tune``: metrics against human judgments."""

from __future__ import annotations

import csv
import json
import tarfile
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Run, scores_of, write_files

SYSTEMS = ("good", "fair", "poor")
RATED: dict[str, list[float]] = {
    name: [-(i % 3) - worse for i in range(60)]
    for name, worse in zip(SYSTEMS, (0.0, 0.5, 4.0), strict=True)
}


def ratings(first: int = 0) -> str:
    """A file of ratings, from a segment on."""
    rows = [f"{s}\t{i + 1}\t{RATED[s][i]}\n" for i in range(first, 60) for s in SYSTEMS]
    return "system\tsegment\tmqm\n" + "".join(rows)


@pytest.fixture(autouse=True)
def judged(files: Path) -> None:
    """Three systems of clearly different quality, and people who see it."""
    rng = np.random.default_rng(0)
    reference = [f"word{i} a b c d\n" for i in range(60)]
    rates = zip(SYSTEMS, (0.9, 0.6, 0.2), strict=True)
    right = {name: rng.random(60) < rate for name, rate in rates}
    for name, yes in right.items():
        lines = [line if y else "no\n" for line, y in zip(reference, yes, strict=True)]
        write_files({f"set/systems/{name}.txt": "".join(lines)})
    pairs = [
        f"{i + 1}\t{a}\t{b}\n"
        for i in range(60)
        for a, b in permutations(SYSTEMS, 2)
        if right[a][i] and not right[b][i]
    ]
    write_files(
        {
            "set/ref.txt": "".join(reference),
            "set/docids.txt": "".join(f"d{i // 5}\n" for i in range(60)),
            "set/pairwise.tsv": "segment\tbetter\tworse\n" + "".join(pairs),
            "noise.seg.score": scores_of(**{name: [*rng.random(60)] for name in SYSTEMS}),
            "mqm.tsv": ratings(),
        }
    )


@pytest.fixture
def metaeval(albeit: Run) -> Any:
    """Run ``metaeval``, and return its rows by metric."""

    def run(words: str) -> dict[str, dict[str, Any]]:
        return {row["metric"]: row for row in albeit(f"metaeval {words} -f json").data["rows"]}

    return run


def number(cell: Any) -> float:
    return float(cell["value"] if isinstance(cell, dict) else cell)


def test_ranks_metrics_and_external_scores(metaeval: Any) -> None:
    given = "set -m exact --scores noise.seg.score"
    found = metaeval(f"{given} --confidence --test both --resamples 200")
    assert list(found) == ["exact", "noise"]
    assert number(found["exact"]["value"]) == 1.0
    assert abs(number(found["noise"]["value"])) < 0.5
    assert found["noise"]["cluster"] == 2


def test_a_metric_without_segment_scores_leaves_its_cell_empty(albeit: Run) -> None:
    given = "metaeval set -m exact opening --level system -f json"
    out = albeit(f"{given} --statistic spa").data
    assert [row["value"] is None for row in out["rows"]] == [False, True]
    assert "opening has no segment scores" in json.dumps(out)
    out = albeit(f"{given} --statistic spearman --test input").data
    assert [row["cluster"] for row in out["rows"] if row["metric"] == "opening"] == [None]
    assert "opening has no segment scores, and is in no cluster" in json.dumps(out)


@pytest.mark.parametrize("margin", ["", "--margin 2"])
def test_raters_are_compared_with_each_other(albeit: Run, margin: str) -> None:
    head, *lines = ratings().splitlines()
    twice = "".join(f"{line}\tr1\n{line}\tr2\n" for line in lines)
    write_files({"raters.tsv": f"{head}\trater\n{twice}"})
    done = albeit(f"metaeval set -m exact --judgments raters.tsv {margin}")
    assert done.status == 0
    assert "2 raters; one against the mean of the others" in done.err


def test_levels_are_columns(albeit: Run, metaeval: Any) -> None:
    given = "set -m exact chrf --judgments mqm.tsv"
    both = albeit(f"metaeval {given} -f json --level segment system").data
    names = ["segment tau-wmt14", "system pearson"]
    assert [each["measure"] for each in both["measures"]] == names
    for name in names:
        alone = metaeval(f"{given} --level {name.split()[0]}")
        for row in both["rows"]:
            assert number(row[f"{name}.value"]) == number(alone[row["metric"]]["value"])


@pytest.mark.parametrize("option", ["", "--judged-only"])
def test_scores_join_by_the_numbers_of_the_set(metaeval: Any, option: str) -> None:
    """Segments 31 to 60 are judged; the file scores all 60, and its first 30 are all wrong."""
    told = {s: [x if i >= 30 else -x for i, x in enumerate(RATED[s])] for s in SYSTEMS}
    write_files({"mqm.tsv": ratings(30), "told.seg.score": scores_of(**told)})
    found = metaeval(f"set --judgments mqm.tsv --scores told.seg.score {option}")
    assert number(found["told"]["value"]) == 1.0


@pytest.mark.parametrize("command", ["score", "compare", "metaeval"])
def test_systems_that_are_not_compared_are_left_out_of_score_files(
    albeit: Run, command: str
) -> None:
    with Path("noise.seg.score").open("a") as file:
        file.write("refA\t1\n" * 60)
    done = albeit(f"{command} set --systems good fair --scores noise.seg.score")
    assert done.status == 0
    assert "not compared here: 'poor', 'refA'; ignored" in done.err


@pytest.mark.shared
def test_official_scores_of_wmt23(
    albeit: Run, discourse_data: Path, shared_data: Path, tmp_path: Path
) -> None:
    """The table of all metrics in one command, against figures computed here by hand."""
    with tarfile.open(shared_data / "judgments.tar.xz") as archive:
        wanted = "judgments/wmt23-metric-scores/zh-en/"
        members = [m for m in archive if m.name.startswith(wanted)]
        archive.extractall(tmp_path, members, filter="data")
    scores = tmp_path / wanted
    given = f"metaeval {discourse_data / 'wmt23-mqm' / 'zh-en'} --scores {scores}"
    done = albeit(f"{given} --judged-only --level segment system -f json")
    assert "'synthetic_ref', 'refA'; ignored" in done.err
    found = {row["metric"]: row for row in done.data["rows"]}
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
    with path.open(encoding="utf-8") as file:
        for system, score in csv.reader(file, delimiter="\t"):
            found.setdefault(system, []).append(float("nan") if score == "None" else float(score))
    return found
