"""The training of sixteen languages: levels of judged sets, weights that preferences give."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from training.languages.fit import JUDGE_FACTS, MODES, Set, fitted, pearson, tau, within
from training.languages.segments import esa


def test_esa_scores_become_levels_like_mqm(tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    texts = {"src.txt": "a", "ref.txt": "b", "docids.txt": "d", "systems/x.txt": "c"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text + "\n")
    rows = "segment\tsystem\tesa\n1\tx\t90\n1\tx\t80\n1\tnobody\t10\n"
    (tmp_path / "judgments.tsv").write_text(rows)
    (segment,) = esa(tmp_path)
    assert segment.levels == {"x": -1.5}


def test_weights_follow_what_people_prefer() -> None:
    rng = np.random.default_rng(3)
    facts = rng.normal(size=(400, MODES["judge-src"].stop))
    level = 3 * facts[:, 0] - 2 * facts[:, 4] + 0.1 * rng.normal(size=400)
    segment = np.repeat(np.arange(40), 10)
    better, worse = within(level, segment, 1.0)
    assert (level[better] - level[worse] >= 1).all()
    assert (segment[better] == segment[worse]).all()
    systems = np.tile(np.array([f"s{k}" for k in range(10)]), 40)
    texts, times = np.ones((400, 2)), np.ones(len(better))
    one = Set("a/b", facts, level, segment.astype(str), systems, texts, better, worse, times)
    weights = fitted([one], JUDGE_FACTS, 0.1)
    assert weights.argmax() == 0
    assert weights.argmin() == 4
    scores = facts[:, JUDGE_FACTS] @ weights
    assert tau(one, scores) > 0.9
    assert pearson(one, scores) > 0.9
    assert tau(one, -scores) < -0.9
