"""The training data of `judge-many` as arrays in one compressed file, and what each fold may learn.

A *pair* is a translation with its reference, its source, or both; a *preference* says which of two
pairs is better. A fold leaves out whole sets, and every group that shares a reference or a
translation with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from training.judge.groups import Group
from training.judge.store import (
    FIRST,
    Array,
    Ints,
    Store,
    may_learn,
    pack_groups,
    plain_forms,
    read_arrays,
)

LONGEST = 512
"""Pieces that are read at once, marks included."""
MARKS = 4
"""Beginning, end, and a line break behind source and reference."""
SOURCE, REFERENCE, TRANSLATION = range(3)
"""Texts in the order in which they are read."""
MODES = {"reference": (REFERENCE,), "both": (SOURCE, REFERENCE), "source": (SOURCE,)}
"""What is read with the translation."""
SAME = 65535
"""Facts are stored as whole numbers up to this."""
TESTS = ("wmt23/en-de", "wmt23/zh-en", "wmt24/en-zh")
"""Test sets: no fold learns from them."""
CHOICE = ("wmt22", "indicmt")
"""Sets that decide how much chrF counts: no fold learns from them, and they aren't test sets."""
FOLDS: dict[str, tuple[str, ...]] = {"b": ("newstest20", "bio", "remedy22/en-de"), "all": ()}
"""What a fold leaves out in addition: sets or families of sets. WMT22 en-de with soft labels has
the
translations of `wmt22`, so the choice is made with fold `b`."""


def held_out(subset: str, fold: str) -> bool:
    """Return whether a set, for example `wmt23/en-de`, is left out of a fold."""
    out = (*TESTS, *CHOICE, *FOLDS[fold])
    return subset in out or subset.split("/")[0] in out


LEAST = 1.0
"""MQM points (ten ESA points) between two translations that count as a preference."""
SAMPLES = 1000


def spaced(text: str) -> str:
    """Return a text with single spaces."""
    return " ".join(text.split())


class Entry(NamedTuple):
    """A group, its set, its source, and what else is known of it."""

    subset: str
    source: str
    group: Group
    english: int = -1
    """Where its pairs begin in the store of `judge`."""
    targets: tuple[float, ...] = ()
    """Soft labels, one per translation."""

    @property
    def all_texts(self) -> list[str]:
        """Source, reference, and translations, with single spaces."""
        return [spaced(text) for text in (self.source, self.group.reference, *self.group.texts)]

    @property
    def first(self) -> bool:
        """Whether it has the reference that figures are counted with."""
        key = self.group.key.split("|")
        return len(key) == 1 or key[1] in FIRST


def pack(
    entries: Sequence[Entry],
    ids: Sequence[Sequence[int]],
    number: dict[str, int],
    facts: Array,
    newline: int,
) -> dict[str, Array]:
    """Return the groups as arrays: `ids` are the pieces of each text, by its `number`."""
    groups, subsets = [entry.group for entry in entries], [entry.subset for entry in entries]

    def numbers(texts: Iterable[str]) -> Array:
        return np.array([number[spaced(text)] for text in texts], np.int32)

    flat = np.concatenate([np.array(own, np.int64) for own in ids])
    special = [0, 1, 2, newline]
    pieces = np.array([*special, *sorted(set(np.unique(flat).tolist()) - set(special))])
    dense = np.zeros(int(pieces.max()) + 1, np.int32)
    dense[pieces] = np.arange(len(pieces))
    forms = [plain_forms(group) for group in groups]
    targets = [v for e in entries for v in (e.targets or [np.nan] * len(e.group.texts))]
    return pack_groups(groups, subsets) | {
        "pieces": pieces.astype(np.int32),
        "ids": dense[flat],
        "text_size": np.array([len(own) for own in ids], np.int32),
        "pair_text": numbers(text for group in groups for text in group.texts),
        "pair_facts": np.round(facts * SAME).astype(np.uint16),
        "group_source": numbers(entry.source for entry in entries),
        "group_reference": numbers(group.reference for group in groups),
        "group_first": np.array([entry.first for entry in entries], np.bool_),
        "target": np.array(targets, np.float16),
        **{
            f"use_{fold}": may_learn(groups, [held_out(s, fold) for s in subsets], forms)
            for fold in FOLDS
        },
    }


def read_sizes(store: Store, mode: Ints) -> Ints:
    """Return how many pieces of source, reference and translation are read of each pair, [3,
    pairs].

    All, or what fits, each in proportion. `mode`: by its position in `MODES`, for each group."""
    owner = store["pair_group"]
    texts = store["group_source"][owner], store["group_reference"][owner], store["pair_text"]
    read = np.array([[k in own for k in (SOURCE, REFERENCE)] for own in MODES.values()])
    sizes = np.stack([store["text_size"][text].astype(np.int64) for text in texts])
    sizes[:TRANSLATION] *= read[mode[owner]].T
    room = LONGEST - MARKS
    whole = np.maximum(sizes.sum(0), 1)
    cut = np.where(sizes > 0, np.maximum(1, sizes * room // whole), 0)
    return np.where(whole <= room, sizes, cut)


def load(path: Path) -> Store:
    """Read the file that `training.many.prepare` wrote; sizes are those with the reference."""
    arrays = read_arrays(path)
    store = Store.of(arrays, np.zeros(0, np.int64))
    return in_mode(store, np.zeros(len(arrays["group_set"]), np.int64))


def in_mode(store: Store, mode: Ints) -> Store:
    """Return the store with the lengths of what is read of each pair."""
    return replace(store, sizes=read_sizes(store, mode).sum(0) + MARKS)


def tested(store: Store, fold: str) -> dict[str, Ints]:
    """Return pairs of machine translations against the first reference, by set.

    Of sets that the fold leaves out, and of development documents."""
    chosen = store["group_first"] & store.groups(kinds=("judged",))
    human = np.array([name.lower().startswith("ref") for name in store.names])
    found = {}
    for k, name in enumerate(store.sets):
        if name.endswith("-en") and name not in TESTS:
            continue
        own = chosen & (store["group_set"] == k)
        if not held_out(name, fold):
            own, name = own & store["group_dev"], f"{name} (development)"
        pairs = store.pairs(own)
        pairs = pairs[~human[store["pair_name"][pairs]]]
        if len(pairs):
            found[name] = pairs
    return found


def within(level: Array, segment: Array) -> tuple[Ints, Ints]:
    """Translations of one segment far enough apart, the better one first."""
    pairs: list[tuple[int, int]] = []
    starts = np.flatnonzero(np.diff(segment)) + 1
    for rows in np.split(np.arange(len(segment)), starts):
        for a, b in combinations(rows.tolist(), 2):
            if abs(level[a] - level[b]) >= LEAST:
                pairs.append((a, b) if level[a] > level[b] else (b, a))
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def measure(store: Store, pairs: Ints, ways: dict[str, Array]) -> dict[str, float]:
    """Figures of each way's scores, one a pair, with chrF's, and the standard error of the
    difference
    of both τ over samples of segments. Where a score is missing, figures are `nan`."""
    level, segment = store["pair_level"][pairs].astype(np.float64), store["pair_group"][pairs]
    system = store["pair_name"][pairs]
    better, worse = within(level, segment)
    found: dict[str, float] = {"pairs": len(better), "segments": len(np.unique(segment))}
    if not len(better):
        return found
    _, place = np.unique(segment[better], return_inverse=True)
    sizes = np.bincount(place)
    equal = np.full(len(sizes), 1 / len(sizes))
    drawn = np.random.default_rng(1).multinomial(len(sizes), equal, SAMPLES)
    chrf = store["pair_facts"][pairs, 0] / SAME
    base = np.sign(chrf[better] - chrf[worse])
    names = np.unique(system)
    people = [level[system == n].mean() for n in names]
    for name, scores in {"chrf": chrf, **ways}.items():
        sign = np.sign(scores[better] - scores[worse])
        gain = np.bincount(place, sign - base)
        found[f"{name} tau"] = float(sign.mean())
        found[f"{name} error"] = float((drawn @ gain / (drawn @ sizes)).std())
        means = [scores[system == n].mean() for n in names]
        found[f"{name} r"] = float(np.corrcoef(means, people)[0, 1])
    return found
