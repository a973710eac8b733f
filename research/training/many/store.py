"""The training data of `judge-many` as arrays in one compressed file, and what each fold may learn from.

A *pair* is a translation with its reference, its source, or both; a *preference* says which of two pairs is
better. A fold leaves out whole sets, and every group that shares a reference or a translation with them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from training.judge.groups import KINDS, Group
from training.judge.store import FIRST, Array, Bools, Ints, Store, plain_forms, read_arrays

LONGEST = 512
"""Pieces that are read at once, marks included."""
MARKS = 4
"""Beginning, end, and a line break behind source and reference."""
SOURCE, REFERENCE, TRANSLATION = range(3)
"""Texts in the order in which they are read."""
MODES = {"reference": (REFERENCE,), "both": (SOURCE, REFERENCE), "source": (SOURCE,)}
"""What is read beside the translation."""
SAME = 65535
"""Facts are stored as whole numbers up to this."""
TESTS = ("wmt23/en-de", "wmt23/zh-en", "wmt24/en-zh")
"""Test sets: no fold learns from them."""
CHOICE = ("wmt22", "indicmt")
"""Sets that decide how much chrF counts: no fold learns from them, and they aren't test sets."""
FOLDS: dict[str, tuple[str, ...]] = {"b": ("newstest20", "bio", "remedy22/en-de"), "all": ()}
"""What a fold leaves out besides: sets or families of sets. WMT22 en-de with soft labels has the
translations of `wmt22`, so the choice is made with fold `b`."""


def outside(subset: str, fold: str) -> bool:
    """Whether a set, for example `wmt23/en-de`, is left out of a fold."""
    family = subset.split("/")[0]
    out = (*TESTS, *CHOICE, *FOLDS[fold])
    return subset in out or family in out


def may_learn(groups: Sequence[Group], subsets: Sequence[str], fold: str) -> Bools:
    """Which groups a fold may learn from."""
    forms = [plain_forms(group) for group in groups]
    out = [outside(subset, fold) for subset in subsets]
    seen = {form for own, left in zip(forms, out, strict=True) if left for form in own}
    return np.array([not left and not own & seen for own, left in zip(forms, out, strict=True)])


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
    def first(self) -> bool:
        """Whether it has the reference that figures are counted with."""
        key = self.group.key.split("|")
        return len(key) == 1 or key[1] in FIRST


def packed(
    entries: Sequence[Entry],
    ids: Sequence[Sequence[int]],
    number: dict[str, int],
    facts: Array,
    newline: int,
) -> dict[str, Array]:
    """The groups as arrays: `ids` are the pieces of each text, by its `number`."""
    groups, subsets = [entry.group for entry in entries], [entry.subset for entry in entries]

    def numbers(texts: Iterable[str]) -> Array:
        return np.array([number[" ".join(text.split())] for text in texts], np.int32)

    flat = np.concatenate([np.array(own, np.int64) for own in ids])
    special = [0, 1, 2, newline]
    pieces = np.array([*special, *sorted(set(np.unique(flat).tolist()) - set(special))])
    dense = np.zeros(int(pieces.max()) + 1, np.int32)
    dense[pieces] = np.arange(len(pieces))
    names = sorted({name for group in groups for name in group.names})
    place = {name: k for k, name in enumerate(names)}
    known = sorted(set(subsets))
    starts = np.concatenate(([0], np.cumsum([len(group.texts) for group in groups])))
    preferences = [
        (starts[k] + a, starts[k] + b, count, gap)
        for k, group in enumerate(groups)
        for a, b, count, gap in group.pairs
    ]
    levels = [np.nan if v is None else v for group in groups for v in group.levels]
    return {
        "pieces": pieces.astype(np.int32),
        "ids": dense[flat],
        "text_size": np.array([len(own) for own in ids], np.int32),
        "pair_text": numbers(text for group in groups for text in group.texts),
        "pair_group": np.repeat(np.arange(len(groups)), np.diff(starts)).astype(np.int32),
        "pair_name": np.array([place[n] for group in groups for n in group.names], np.int16),
        "pair_level": np.array(levels, np.float32),
        "pair_facts": np.round(facts * SAME).astype(np.uint16),
        "group_source": numbers(entry.source for entry in entries),
        "group_reference": numbers(group.reference for group in groups),
        "group_set": np.array([known.index(name) for name in subsets], np.int8),
        "group_kind": np.array([KINDS.index(group.kind) for group in groups], np.int8),
        "group_first": np.array([entry.first for entry in entries], np.bool_),
        "group_dev": np.array([group.dev for group in groups], np.bool_),
        "better": np.array([p[0] for p in preferences], np.int32),
        "worse": np.array([p[1] for p in preferences], np.int32),
        "count": np.array([p[2] for p in preferences], np.float32),
        "gap": np.array([p[3] for p in preferences], np.float32),
        "target": np.array(
            [v for e in entries for v in (e.targets or [np.nan] * len(e.group.texts))], np.float16
        ),
        **{f"use_{fold}": may_learn(groups, subsets, fold) for fold in FOLDS},
        "labels": np.frombuffer(json.dumps({"sets": known, "names": names}).encode(), np.uint8),
    }


def read_sizes(store: Store, mode: Ints) -> Ints:
    """How many pieces of source, reference and translation are read of each pair, [3, pairs]: all, or
    what fits, each in proportion. `mode`: by its place in `MODES`, for each group."""
    owner = store["pair_group"]
    texts = store["group_source"][owner], store["group_reference"][owner], store["pair_text"]
    read = np.array([[k in beside for k in (SOURCE, REFERENCE)] for beside in MODES.values()])
    sizes = np.stack([store["text_size"][text].astype(np.int64) for text in texts])
    sizes[:TRANSLATION] *= read[mode[owner]].T
    room = LONGEST - MARKS
    whole = np.maximum(sizes.sum(0), 1)
    cut = np.where(sizes > 0, np.maximum(1, sizes * room // whole), 0)
    return np.where(whole <= room, sizes, cut)


def load(path: Path) -> Store:
    """Read the file that `training.many.prepare` wrote; sizes are those beside the reference."""
    arrays = read_arrays(path)
    labels = json.loads(arrays.pop("labels").tobytes())
    size = arrays["text_size"].astype(np.int64)
    store = Store(
        arrays,
        labels["sets"],
        labels["names"],
        [],
        np.searchsorted(arrays["pair_group"], np.arange(len(arrays["group_set"]) + 1)),
        np.concatenate(([0], np.cumsum(size))),
        np.zeros(len(arrays["pair_group"]), np.int64),
    )
    return in_mode(store, np.zeros(len(arrays["group_set"]), np.int64))


def in_mode(store: Store, mode: Ints) -> Store:
    """The store with the lengths of what is read of each pair."""
    return replace(store, sizes=read_sizes(store, mode).sum(0) + MARKS)


def tested(store: Store, fold: str) -> dict[str, Ints]:
    """Pairs of machine translations against the first reference, by set: of sets that the fold leaves
    out, and of development documents."""
    chosen = store["group_first"] & store.groups(kinds=("judged",))
    human = np.array([name.lower().startswith("ref") for name in store.names])
    found = {}
    for k, name in enumerate(store.sets):
        if name.endswith("-en") and name not in TESTS:
            continue
        own = chosen & (store["group_set"] == k)
        if not outside(name, fold):
            own, name = own & store["group_dev"], f"{name} (development)"
        pairs = np.flatnonzero(own[store["pair_group"]] & ~human[store["pair_name"]])
        if len(pairs):
            found[name] = pairs
    return found
