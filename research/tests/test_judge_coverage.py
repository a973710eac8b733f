"""Standard errors: the right coverage, also at the top of the scale, and within it."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from training.judge import coverage, groups, store
from training.judge.segments import Segment


def simulated(seed: int, count: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    """Scores, and experts' scores whose spread falls toward the top of the scale."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(30, 99, count)
    experts = scores + rng.normal(size=count) * (3 + 0.3 * (100 - scores))
    return scores, np.clip(experts, 0, 100)


def test_two_thirds_of_experts_are_within_one_standard_error_everywhere() -> None:
    scores, experts = simulated(1)
    sets = np.where(np.arange(len(scores)) % 3, "one", "other")
    weights = coverage.fit_errors(scores, experts, sets)
    tested, true = simulated(2)
    errors = coverage.standard_errors(weights, tested)
    for low, high in ((30, 60), (60, 85), (85, 99)):
        own = (tested >= low) & (tested < high)
        found = coverage.coverage(errors[own], tested[own], true[own])["1"]
        assert found == pytest.approx(coverage.WITHIN, abs=0.06)


def test_the_standard_error_of_the_network_is_used_where_there_is_one() -> None:
    rng = np.random.default_rng(3)
    scores, spread = rng.uniform(40, 60, 3000), rng.choice([2.0, 10.0], 3000)
    experts = scores + spread * rng.normal(size=3000)
    sets = np.full(3000, "one")
    weights = coverage.fit_errors(scores, experts, sets, spread)
    errors = coverage.standard_errors(weights, scores, spread)
    assert np.median(errors[spread == 10]) > 3 * np.median(errors[spread == 2])


def test_standard_errors_stay_within_the_scale() -> None:
    scores = np.array([0.0, 50.0, 100.0])
    errors = coverage.standard_errors(np.array([9.0, 0.0, 0.0]), scores)
    assert errors.tolist() == [100, 50, 100]
    least = coverage.standard_errors(np.array([-9.0, 0.0, 0.0]), scores)
    assert (least == coverage.LEAST).all()


def test_penalties_count_sets_alike_and_errors_in_references(tmp_path: Path) -> None:
    calibrate = pytest.importorskip("training.judge.calibrate", reason="training needs PyTorch")
    made: list[groups.Group] = []
    for data, count in (("newstest20", 3), ("newstest21", 6)):
        for k in range(count):
            text = f"He said on Monday that {k} was easy."
            texts = {"ref-A": text, "ref-B": f"Easy {k}, he said."}
            outputs = {"x": f"He say {k} easy.", "y": f"He said {k} was easy."}
            levels = {"x": -5.0, "y": -1.0}
            one = Segment(data, f"{data}/zh-en:{k}", f"d{k}", "源", texts, outputs, levels=levels)
            made += groups.judged(one)
            made += groups.probe(one, groups.Synthesizer([one], random.Random(1)))
    tokenizer = Path("src/albeit/parsing/weights/tokenizer.json")
    store.compress(store.pack(made, store.Cutter(tokenizer)), tmp_path / "s.npz.xz")
    packed = store.load(tmp_path / "s.npz.xz")
    dev = packed.groups(kinds=("judged",)) & packed["group_first"]
    known = calibrate.penalties(packed, dev, 512)
    assert set(known.sets) == {"newstest20", "newstest21", "probes"}
    total = {name: known.weight[known.sets == name].sum() for name in set(known.sets)}
    assert total["newstest20"] == pytest.approx(total["newstest21"])
    assert total["probes"] == pytest.approx(calibrate.PROBES * total["newstest21"])
    assert set(known.lost[known.sets == "probes"]) == {5.0, 25.0}
    assert set(known.lost[known.real]) == {1.0, 5.0}
