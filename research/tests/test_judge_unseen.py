"""Scores of experts' sets by runs that had not seen them: placed by system and line, and kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from training.judge import groups, store, unseen
from training.judge.segments import Segment

TOKENIZER = Path("src/albeit/parsing/weights/tokenizer.json")


@pytest.fixture
def packed(tmp_path: Path) -> store.Store:
    made = [
        group
        for line in (0, 2)
        for group in groups.judged(
            Segment(
                "newstest21",
                f"newstest21/zh-en:{line}",
                "d",
                "原文",
                {"ref.A": f"The first said {line}.", "ref.B": f"The second said {line}."},
                {"one": f"A machine say {line}.", "two": f"Machines say {line}."},
                levels={"one": -5.0, "two": -1.0, "ref.B": 0.0},
            )
        )
    ]
    store.save(store.pack(made, store.Cutter(TOKENIZER)), tmp_path / "s.npz.xz")
    return store.load(tmp_path / "s.npz.xz")


def test_scores_stand_at_their_system_and_line_beside_the_first_reference(
    packed: store.Store,
) -> None:
    first = packed["group_first"][packed["pair_group"]]
    line = packed["group_line"][packed["pair_group"]]
    number = {name: k for k, name in enumerate(packed.names)}
    scores = np.where(first, 10.0 * line + packed["pair_name"], np.nan)
    found = unseen.by_system(packed, scores, "newstest21/zh-en")
    assert sorted(found) == ["one", "ref.B", "two"]
    for name, row in found.items():
        assert row[[0, 2]].tolist() == [number[name], 20 + number[name]]
        assert np.isnan(row[1])


def test_what_is_kept_comes_back(packed: store.Store, tmp_path: Path) -> None:
    scores = np.arange(len(packed.sizes), dtype=np.float64)
    found = {"newstest21/zh-en": unseen.by_system(packed, scores, "newstest21/zh-en")}
    unseen.keep(found, tmp_path / "kept.npz.xz")
    again = unseen.kept(tmp_path / "kept.npz.xz")["newstest21/zh-en"]
    for name, row in found["newstest21/zh-en"].items():
        assert np.array_equal(again[name], row, equal_nan=True)


def test_a_set_is_scored_by_a_run_that_has_seen_nothing_of_it() -> None:
    for data in unseen.SETS:
        model = unseen.model_for(data)
        assert data in store.MODELS[model]
        assert data not in store.SEEN[model]


def test_runs_of_another_store_are_refused(packed: store.Store, tmp_path: Path) -> None:
    (tmp_path / "s-a").mkdir()
    np.save(tmp_path / "s-a/scores.npy", np.zeros(3))
    with pytest.raises(SystemExit, match="has 3 scores and the store"):
        unseen.gather(packed, tmp_path)


def test_what_the_repository_keeps_has_every_set() -> None:
    found = unseen.kept()
    assert {subset.split("/")[0] for subset in found} == set(unseen.SETS)
    values = np.concatenate([row for rows in found.values() for row in rows.values()])
    known = values[~np.isnan(values)]
    assert len(known) > 50_000
    assert known.min() >= 0
    assert known.max() <= 100
