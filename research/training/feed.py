"""What training reads: batches of items as dictionaries of tensors on the device."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset

from training.batch import Arrays, Collator
from training.model.losses import Batch
from training.noise import noisy_item
from training.rows import Item, read_items

Plan = list[tuple[list[int], int]]
"""Batches as numbers of items, each with a seed for its noise."""


@dataclass(kw_only=True)
class FeedSettings:
    """Options of what is read."""

    data: Path = Path("research/data")
    out: Path
    seed: int = 1
    budget: int = 14000
    """Subwords per batch, with padding."""
    noise: float = 0.35
    """The share of items that get noise."""
    limit: int = 0
    """Items per corpus, for a trial."""
    workers: int = 2


class Batches(Dataset[Arrays]):
    """Every batch of the whole training, made on demand in loader processes."""

    def __init__(
        self, items: list[Item], plan: Plan, collator: Collator, foreign: list[str], noise: float
    ) -> None:
        self.items, self.plan, self.collator = items, plan, collator
        self.foreign, self.noise = foreign, noise

    def __len__(self) -> int:
        return len(self.plan)

    def __getitem__(self, number: int) -> Arrays:
        indices, seed = self.plan[number]
        rng = random.Random(seed)
        chosen = [self.items[k] for k in indices]
        for k, item in enumerate(chosen):
            if rng.random() < self.noise:
                chosen[k] = noisy_item(item, rng, self.foreign)
        return self.collator(chosen)


def epoch_batches(
    items: list[Item], sizes: list[int], chosen: Sequence[int], budget: int, rng: random.Random
) -> Plan:
    """Return batches of similar length with about `budget` subwords, padding included, shuffled.

    Subwords, not words: one web address among short sentences would pad them all to its length.
    """
    order = sorted(chosen, key=lambda k: sizes[k] * rng.uniform(0.9, 1.1) + rng.random())
    batches: list[list[int]] = [[]]
    rows = longest = 0
    for k in order:
        longest = max(longest, sizes[k])
        rows += len(items[k].rows)
        if batches[-1] and rows * longest > budget:
            batches.append([])
            rows, longest = len(items[k].rows), sizes[k]
        batches[-1].append(k)
    rng.shuffle(batches)
    return [(batch, rng.randrange(2**31)) for batch in batches if batch]


def load_items(settings: FeedSettings) -> tuple[list[Item], list[Item]]:
    """Return training items: sentences, and groups of neighboring sentences."""
    gum, groups, web = (
        list(read_items(settings.data / f"{name}.train.jsonl.gz"))
        for name in ("gum", "groups", "ewt")
    )
    if settings.limit:
        limit = settings.limit
        gum, groups, web = gum[:limit], groups[: limit // 4], web[:limit]
    return [*gum, *web], groups


class Annotated:
    """The corpora, with new noise in every epoch: every sentence, and a sample of the groups."""

    def __init__(
        self, settings: FeedSettings, epochs: int, sample: int, collator: Collator, device: str
    ) -> None:
        singles, groups = load_items(settings)
        items = [*singles, *groups]
        # the subwords of each item's longest sentence
        sizes = [max(map(collator.length, item.rows)) for item in items]
        rng = random.Random(settings.seed)
        self.plan: Plan = []
        for _ in range(epochs):
            some = rng.sample(range(len(singles), len(items)), min(sample, len(groups)))
            chosen = [*range(len(singles)), *some]
            epoch = epoch_batches(items, sizes, chosen, settings.budget, rng)
            rng.shuffle(epoch)
            self.plan += epoch
        foreign = (settings.data / "foreign.txt").read_text(encoding="utf-8").split()
        batches = Batches(items, self.plan, collator, foreign, settings.noise)
        count = settings.workers
        options = {"num_workers": count, "prefetch_factor": 8 if count else None}
        self.loader = DataLoader(batches, batch_size=None, **options)
        self.device = device

    def __len__(self) -> int:
        return len(self.plan)

    def __iter__(self) -> Iterator[Batch]:
        for arrays in self.loader:
            tensors = {name: torch.as_tensor(value) for name, value in arrays.items()}
            yield {k: value.to(self.device, non_blocking=True) for k, value in tensors.items()}
