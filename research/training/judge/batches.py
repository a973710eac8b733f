"""Batches of whole groups: all translations of a segment are compared in one step.

Subwords of all texts are on the device; a batch is picked from them by index arithmetic, so that
only numbers of pairs travel.
"""

from __future__ import annotations

import random

import numpy as np
import torch
from torch import Tensor

from training.batch import CLS, SEP
from training.judge.store import REFERENCE, SHARES, Array, Bools, Ints, Store, fitted

STEP = 8
"""Widths are multiples of this, as attention on a GPU likes them."""
MARGIN = 1.0
"""Standard deviations of direct assessment between two translations that count as a preference."""


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
    return [np.array(sorted(batch), np.int64) for batch in found if batch]


def runs(starts: Ints, stops: Ints) -> Ints:
    """The numbers from each start to its stop, one run after another."""
    sizes = stops - starts
    ends = np.cumsum(sizes)
    found: Ints = np.arange(int(sizes.sum())) + np.repeat(starts - (ends - sizes), sizes)
    return found


class Preferences:
    """The preferences of a store, by groups, on a device."""

    def __init__(self, store: Store, device: str) -> None:
        self.store, self.device = store, device
        owner = store["pair_group"][store["better"]]
        self.kept = np.ones(len(owner), np.bool_)
        self.first = np.searchsorted(owner, np.arange(len(store.starts)))
        self.synthetic = store.groups(kinds=("synthetic",))

    def preferences(self, groups: Ints) -> tuple[Ints, dict[str, Array]]:
        """Return the pairs of groups in rising order, and their preferences by position in them.

        The weight of a segment is the square root of its preferences. Those with a synthetic error
        have points in place of a weight."""
        store = self.store
        pairs = runs(store.starts[groups], store.starts[groups + 1])
        chosen = runs(self.first[groups], self.first[groups + 1])
        which = np.repeat(np.arange(len(groups)), self.first[groups + 1] - self.first[groups])
        chosen, which = chosen[self.kept[chosen]], which[self.kept[chosen]]
        total = np.bincount(which, store["count"][chosen], len(groups))
        weight = store["count"][chosen] / np.sqrt(total[which]) if len(which) else total[:0]
        made = self.synthetic[groups][which]
        return pairs, {
            "better": np.searchsorted(pairs, store["better"][chosen]),
            "worse": np.searchsorted(pairs, store["worse"][chosen]),
            "weight": np.where(made, 0, weight).astype(np.float32),
            "points": np.where(made, store["gap"][chosen], np.nan).astype(np.float32),
        }

    def read(self, pairs: Ints) -> dict[str, Tensor]:
        """Return the input of a judge for these pairs."""
        raise NotImplementedError

    def __call__(self, groups: Ints) -> dict[str, Tensor]:
        """Return inputs, and preferences by their position in the batch."""
        pairs, arrays = self.preferences(groups)
        moved = {name: torch.from_numpy(value).to(self.device) for name, value in arrays.items()}
        return {**self.read(pairs), **moved}


class Feed(Preferences):
    """What the judge reads, and what it learns from, on a device."""

    def __init__(self, store: Store, device: str, judged: Bools, **more: Array) -> None:
        """`judged`: groups whose preferences may be learned; `more`: targets per pair."""
        super().__init__(store, device)
        flat = np.stack([store["ids"].astype(np.int32), store["cases"], store["major"]])
        self.flat = torch.from_numpy(np.concatenate([flat, store["minor"][None]])).to(device)
        text, reference = store["pair_text"], store["group_reference"][store["pair_group"]]
        n, m = fitted(store["text_size"][text], store["text_size"][reference])
        ours, theirs = store.text_start[text], store.text_start[reference]
        self.places = torch.from_numpy(np.stack([n, m, ours, theirs]).astype(np.int32)).to(device)
        self.facts = torch.from_numpy(store["pair_facts"].astype(np.float32)).to(device)
        self.marked = torch.from_numpy(store["text_marked"][store["pair_text"]]).to(device)
        self.more = {name: torch.from_numpy(value).to(device) for name, value in more.items()}
        owner = store["pair_group"][store["better"]]
        assessed = store.groups(sets=("wmt21",), kinds=("judged",))[owner]
        self.kept = judged[owner] & (~assessed | (store["gap"] >= MARGIN))

    def read(self, pairs: Ints) -> dict[str, Tensor]:
        """The judge's input for these pairs, and experts' marks where they looked."""
        width = -(-int(self.store.sizes[pairs].max()) // STEP) * STEP
        which = torch.from_numpy(pairs).to(self.device, non_blocking=True)
        n, m, ours, theirs = self.places[:, which].long().unsqueeze(2)
        at = torch.arange(width, device=self.device)[None]
        one = (at >= 1) & (at <= n)
        other = (at >= n + 2) & (at <= n + m + 1)
        place = torch.where(one, ours + at - 1, torch.where(other, theirs + at - n - 2, 0))
        ids, cases, major, minor = self.flat[:, place].long() * (one | other)
        ends = (at == n + 1) | (at == n + m + 2)
        return {
            "ids": ids + ends * SEP + (at == 0) * CLS,
            "mask": (at <= n + m + 2).long(),
            "cases": cases + REFERENCE * other,
            "facts": self.facts[which],
            "marks": torch.stack([major, minor], 2).float() * one.unsqueeze(2) / SHARES,
            "marked": self.marked[which],
            **{name: value[which] for name, value in self.more.items()},
        }
