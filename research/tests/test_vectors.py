from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from training.evaluate import vectors


def test_greedy_f1_of_equal_and_empty_sets() -> None:
    rows = np.eye(3, dtype=np.float32)
    assert vectors.greedy_f1(rows, rows) == pytest.approx(1)
    assert vectors.greedy_f1(rows, rows[:0]) == 0
    assert vectors.greedy_f1(rows[:2], rows[:1]) == pytest.approx(2 * 0.5 * 1 / 1.5)


def test_tau_counts_metric_ties_as_discordant() -> None:
    pairs = [(0, "a", "b"), (1, "a", "b"), (2, "b", "a"), (3, "a", "b")]
    scores = {(s, n): float(s == "a") for s in "ab" for n in range(3)}
    scores |= {("a", 3): 0.5, ("b", 3): 0.5}
    assert vectors.tau(pairs, scores) == pytest.approx(0)


def test_five_way_rankings_become_untied_pairs(tmp_path: Path) -> None:
    names = [f"system{k}Id" for k in range(1, 6)] + [f"system{k}rank" for k in range(1, 6)]
    values = ["a", "b", "c", "d", "e", "1", "2", "2", "-1", "-1"]
    lines = [",".join(["srcIndex", *names]), ",".join(["7", *values])]
    (tmp_path / "judgments.csv").write_text("\n".join(lines) + "\n")
    assert vectors.wmt12_pairs(tmp_path) == [(6, "a", "b"), (6, "a", "c")]
