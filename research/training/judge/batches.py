"""Batches of whole groups: all translations of a segment are compared in one step."""

from __future__ import annotations

import random
from collections.abc import Iterator
from queue import Queue
from threading import Thread

import numpy as np
import numpy.typing as npt

from training.judge.store import Array, Ints, Store

STEP = 8
"""Widths are multiples of this, as attention on a GPU likes them."""
LONGEST = 320
"""Longer pairs are not trained on."""
SHARES = {("wmt13", "judged"): 0.4, ("", "damage"): 0.2}
"""How many of a kind's groups one pass of a teacher takes, where not all."""
Bools = npt.NDArray[np.bool_]


def learnable(store: Store, model: str) -> Bools:
    """The groups that a model may learn from: no development, nothing tested, nothing too long."""
    longest = np.maximum.reduceat(store.sizes, store.starts[:-1])
    allowed: Bools = (
        store[f"use_{model}"]
        & ~store["group_dev"]
        & ~store.groups(kinds=("contrast",))
        & (longest <= LONGEST)
    )
    return allowed


def one_pass(store: Store, groups: Ints, rng: random.Random, shares: bool) -> Ints:
    """The groups of one pass: of the plentiful kinds a share."""
    kept = np.ones(len(groups), np.bool_)
    if shares:
        chance = np.array([rng.random() for _ in groups])
        for (data, kind), share in SHARES.items():
            of = store.groups(sets=(data,) if data else (), kinds=(kind,))
            kept &= ~of[groups] | (chance < share)
    return groups[kept]


def plan(store: Store, groups: Ints, budget: int, rng: random.Random) -> list[Ints]:
    """Batches of groups of similar length with about `budget` subwords, in random order."""
    count = np.diff(store.starts)[groups]
    longest = np.maximum.reduceat(store.sizes, store.starts[:-1])[groups]
    order = np.argsort(longest * np.array([rng.uniform(0.9, 1.1) for _ in groups]))
    found: list[list[int]] = [[]]
    rows = width = 0
    for k in order.tolist():
        rows, width = rows + int(count[k]), max(width, int(longest[k]))
        if found[-1] and rows * width > budget:
            found.append([])
            rows, width = int(count[k]), int(longest[k])
        found[-1].append(int(groups[k]))
    rng.shuffle(found)
    return [np.array(sorted(batch), np.int64) for batch in found]


def runs(starts: Ints, stops: Ints) -> Ints:
    """The numbers from each start to its stop, one run after another."""
    sizes = stops - starts
    ends = np.cumsum(sizes)
    found: Ints = np.arange(int(sizes.sum())) + np.repeat(starts - (ends - sizes), sizes)
    return found


class Maker:
    """The arrays of a batch of groups."""

    def __init__(self, store: Store, margin: float, targets: Array | None) -> None:
        self.store, self.targets = store, targets
        owner = store["pair_group"][store["better"]]
        assessed = store.groups(sets=("wmt21",), kinds=("judged", "crossed"))[owner]
        self.kept = ~assessed | (store["gap"] >= margin)
        self.first = np.searchsorted(owner, np.arange(len(store.starts)))

    def __call__(self, groups: Ints) -> dict[str, Array]:
        """Inputs, and preferences by their place in the batch."""
        store = self.store
        pairs = runs(store.starts[groups], store.starts[groups + 1])
        sizes = store.starts[groups + 1] - store.starts[groups]
        group = np.repeat(np.arange(len(groups)), sizes)
        place = np.cumsum(sizes) - sizes - store.starts[groups]
        chosen = runs(self.first[groups], self.first[groups + 1])
        which = np.repeat(np.arange(len(groups)), self.first[groups + 1] - self.first[groups])
        kept = self.kept[chosen]
        chosen, which = chosen[kept], which[kept]
        total = np.bincount(which, store["count"][chosen], len(groups))
        weight = store["count"][chosen] / total[which] * sizes[which] if len(which) else total[:0]
        arrays = store.batch(pairs, STEP)
        arrays.update(
            group=group,
            level=store["pair_level"][pairs],
            better=store["better"][chosen] + place[which],
            worse=store["worse"][chosen] + place[which],
            weight=weight.astype(np.float32),
        )
        if self.targets is not None:
            arrays["target"] = self.targets[pairs]
        return arrays


def ahead(maker: Maker, batches: list[Ints], depth: int = 6) -> Iterator[dict[str, Array]]:
    """The batches in order, made by a thread while the GPU works."""
    queue: Queue[dict[str, Array] | BaseException | None] = Queue(depth)

    def work() -> None:
        try:
            for groups in batches:
                queue.put(maker(groups))
            queue.put(None)
        except BaseException as error:
            queue.put(error)

    Thread(target=work, daemon=True).start()
    while (made := queue.get()) is not None:
        if isinstance(made, BaseException):
            raise made
        yield made
