"""``albeit metaeval``: the table of WMT23 in one command."""

from __future__ import annotations

import csv
import tarfile
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run


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
        assert row["segment tau-wmt14.value"] == pytest.approx(tau, abs=1e-12)
        r = np.corrcoef(metric[:, judged].mean(axis=1), human[:, judged].mean(axis=1))[0, 1]
        assert row["system pearson.value"] == pytest.approx(r, abs=1e-9)
    published = {
        "COMET-refA": 0.299,
        "XCOMET-Ensemble-refA": 0.358,
        "MetricX-23-QE-c-src": 0.366,
        "BLEURT-20-refA": 0.310,
        "BERTscore-refA": 0.256,
        "chrF-refA": 0.219,
    }
    for name, tau in published.items():
        assert found[name]["segment tau-wmt14.value"] == pytest.approx(tau, abs=0.0005)


def _score_file(path: Path) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    with path.open(encoding="utf-8") as file:
        for system, score in csv.reader(file, delimiter="\t"):
            found.setdefault(system, []).append(float("nan") if score == "None" else float(score))
    return found
