"""The judge of many languages beside what is there: rows of two files matched, scores combined."""

from __future__ import annotations

import numpy as np
import pytest

from training.judge.store import Array, Store
from training.languages.fit import MODES, Set, within
from training.many import combine

SYSTEMS = ["x", "y", "z"]


def both(segments: int = 6) -> tuple[Store, Set, Array]:
    """A store and facts of the same translations; a store has its systems in another order."""
    rng = np.random.default_rng(1)
    rows = segments * len(SYSTEMS)
    level = rng.normal(scale=3, size=rows).astype(np.float32)
    segment = np.repeat(np.arange(segments), len(SYSTEMS))
    facts = rng.normal(size=(rows, MODES["judge-src"].stop))
    facts[:, 0] = 0.5 + level / 100
    better, worse = within(level.astype(np.float64), segment, 1.0)
    one = Set(
        "wmt23/en-de",
        facts,
        level.astype(np.float64),
        np.array([f"wmt23/en-de:{k}" for k in segment]),
        np.tile(np.array(SYSTEMS), segments),
        np.ones((rows, 2)),
        better,
        worse,
        np.ones(len(better)),
    )
    order = np.concatenate([own[::-1] for own in np.split(np.arange(rows), segments)])
    arrays = {
        "pair_group": segment + 4,
        "pair_name": np.tile(np.array([2, 1, 0]), segments),
        "pair_level": level[order],
        "pair_facts": np.round(facts[order] * 65535),
    }
    none = np.empty(0, np.int64)
    return Store(arrays, ["wmt23/en-de"], SYSTEMS, [], none, none, np.ones(rows, int)), one, order


def test_rows_are_matched_by_segment_and_system() -> None:
    store, one, order = both()
    assert combine.matched(store, np.arange(len(order)), one).tolist() == order.tolist()


def test_another_choice_of_translations_is_refused() -> None:
    store, one, order = both()
    with pytest.raises(SystemExit, match="wmt23/en-de: the store and the facts"):
        combine.matched(store, np.arange(len(order) - 3), one)
    store.arrays["pair_level"] = store["pair_level"] + 1
    with pytest.raises(SystemExit, match="not made from the same translations"):
        combine.matched(store, np.arange(len(order)), one)


def test_a_set_is_weighed_by_other_families_and_languages() -> None:
    _, one, _ = both()
    sets = [one._replace(name=name) for name in ("wmt23/en-de", "ted/en-de", "wmt24/en-zh")]
    assert [s.name for s in combine.by_facts(sets[0], sets, ())[1]] == ["ted/en-de", "wmt24/en-zh"]
    assert [s.name for s in combine.by_facts(sets[0], sets, ("de",))[1]] == ["wmt24/en-zh"]
