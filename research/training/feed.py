"""What training reads: batches of annotated items, or batches that teachers have looked at.

A batch is a dictionary of tensors on the device; with it comes what the teachers said, or None.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from training.batch import Arrays, Collator
from training.corpora.gum import PERMISSIVE
from training.model.losses import Batch
from training.noise import noisy_item
from training.rows import Item, read_items

Plan = list[tuple[list[int], int]]
"""Batches as numbers of items, each with a seed for its noise."""
Soft = dict[str, Tensor]


class Source(Protocol):
    """Gives batches."""

    width: int
    """Of the teachers' word vectors; 0 without teachers."""

    def __len__(self) -> int:
        """How many batches at most."""

    def __iter__(self) -> Iterator[tuple[Batch, Soft | None]]:
        """The batches, in a new order at each round."""


class Batches(Dataset[Arrays]):
    """Every batch of the whole training, made on demand in loader processes."""

    def __init__(
        self,
        items: list[Item],
        plan: list[tuple[list[int], int]],
        collator: Collator,
        foreign: list[str],
        noise: float,
    ) -> None:
        self.items, self.plan, self.collator = items, plan, collator
        self.foreign, self.noise = foreign, noise

    def __len__(self) -> int:
        return len(self.plan)

    def __getitem__(self, number: int) -> Arrays:
        indices, seed = self.plan[number]
        rng = random.Random(seed)
        chosen = [
            noisy_item(self.items[k], rng, self.foreign)
            if rng.random() < self.noise
            else self.items[k]
            for k in indices
        ]
        arrays = self.collator(chosen)
        if chosen[0].kind == "silver":
            arrays["silver"] = np.ones(1, np.bool_)
        return arrays


def epoch_batches(
    items: list[Item], sizes: list[int], chosen: list[int], budget: int, rng: random.Random
) -> Iterator[list[int]]:
    """Batches of similar length with about `budget` subwords, padding included, in random order.

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
    yield from batches


def annotated_plan(
    items: list[Item], sizes: list[int], singles: int, args: argparse.Namespace
) -> Plan:
    """The batches of all epochs: every sentence, and a sample of the groups, which follow them."""
    rng = random.Random(args.seed)
    plan: Plan = []
    groups = range(singles, len(items))
    for _ in range(args.epochs):
        chosen = [*range(singles), *rng.sample(groups, min(args.groups, len(groups)))]
        batches = epoch_batches(items, sizes, chosen, args.budget, rng)
        plan.extend((batch, rng.randrange(2**31)) for batch in batches)
    return plan


def loader(
    items: list[Item], plan: Plan, collator: Collator, args: argparse.Namespace
) -> DataLoader[Arrays]:
    """Makes the batches of a plan in processes of its own."""
    foreign = (args.data / "foreign.txt").read_text(encoding="utf-8").split()
    return DataLoader(
        Batches(items, plan, collator, foreign, args.noise),
        batch_size=None,
        num_workers=args.workers,
        prefetch_factor=8 if args.workers else None,
    )


def sizes_of(items: Sequence[Item], collator: Collator) -> list[int]:
    """Subwords of each item's longest sentence."""
    return [max(collator.length(row) for row in item.rows) for item in items]


def to(device: str, arrays: Arrays) -> Batch:
    """A batch on the device."""
    return {
        k: (v if isinstance(v, Tensor) else torch.from_numpy(v)).to(device, non_blocking=True)
        for k, v in arrays.items()
    }


def load_items(args: argparse.Namespace) -> tuple[list[Item], list[Item]]:
    """Training items (sentences, and groups of neighbouring sentences)."""
    gum = list(read_items(args.data / "gum.train.jsonl.gz"))
    groups = list(read_items(args.data / "groups.train.jsonl.gz"))
    web = list(read_items(args.data / "ewt.train.jsonl.gz"))
    if args.permissive:
        gum = [item for item in gum if item.rows[0].genre in PERMISSIVE]
        groups = [item for item in groups if item.rows[0].genre in PERMISSIVE]
    if args.limit:
        gum, groups, web = gum[: args.limit], groups[: args.limit // 4], web[: args.limit]
    extra: list[Item] = []
    for name in args.extra:
        extra.extend(read_items(args.data / f"{name}.jsonl.gz"))
    return [*gum, *web, *extra], groups


class Annotated:
    """The corpora, noised anew in every epoch."""

    width = 0

    def __init__(self, args: argparse.Namespace, collator: Collator, device: str) -> None:
        singles, groups = load_items(args)
        items = [*singles, *groups]
        self.plan = annotated_plan(items, sizes_of(items, collator), len(singles), args)
        self.loader = loader(items, self.plan, collator, args)
        self.device = device

    def __len__(self) -> int:
        return len(self.plan)

    def __iter__(self) -> Iterator[tuple[Batch, Soft | None]]:
        for arrays in self.loader:
            yield to(self.device, arrays), None


class Taught:
    """Batches with what teachers said of them (`training.teach`), kept on the device."""

    def __init__(self, folder: Path, rounds: int, seed: int, device: str) -> None:
        self.kept: list[tuple[Batch, Soft]] = []
        for path in sorted(folder.glob("*.pt")):
            self.kept += torch.load(path, map_location=device, weights_only=True)
        self.width = self.kept[0][1]["words"].shape[-1]
        self.rounds, self.rng = rounds, random.Random(seed)

    def __len__(self) -> int:
        return self.rounds * len(self.kept)

    def __iter__(self) -> Iterator[tuple[Batch, Soft | None]]:
        order = list(range(len(self.kept)))
        for _ in range(self.rounds):
            self.rng.shuffle(order)
            for k in order:
                yield self.kept[k]
