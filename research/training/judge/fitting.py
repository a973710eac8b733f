"""A judge fitted by the clock: its losses, its steps, and another try where it does not learn."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from training.judge import losses, low_rank
from training.judge.batches import Feed
from training.judge.network import Judge, save, untrained
from training.judge.store import REFERENCE, Ints
from training.steps import Steps

LOOK = 25
"""Steps between two looks at the loss."""
READINGS = 8
"""Looks that are averaged."""
UNLEARNT = 0.66
"""Above this mean logistic loss of preferences (.69: nothing is told apart) a run does not learn."""
RESTARTS = 2


class UnlearningError(ArithmeticError):
    """A run whose loss does not fall."""


def optimiser(judge: Judge, lr: float, device: str) -> torch.optim.AdamW:
    """The head learns faster than the encoder."""
    encoder = [p for p in judge.encoder.parameters() if p.requires_grad]
    head = {"params": list(judge.head.parameters()), "lr": max(5 * lr, 2e-4)}
    groups = [{"params": encoder, "lr": lr}, head]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=device == "cuda")


def objective(
    out: tuple[Tensor, Tensor, Tensor], batch: dict[str, Tensor], spread: float
) -> dict[str, Tensor]:
    """The parts of the loss. A student's scores are in standard deviations, preferences in logits."""
    score, sure, marks = out
    preference = losses.preference(score * spread, batch["better"], batch["worse"], batch["weight"])
    if "target" not in batch:
        return {"preference": preference}
    marked = losses.marks(marks, batch["marks"], batch["cases"], batch["marked"], REFERENCE)
    return {
        "taught": losses.taught(score, batch["target"]),
        "preference": 0.3 * preference,
        "marks": 0.2 * marked,
        "spread": 0.1 * losses.spread(score, sure, batch["people"]),
    }


def inputs(batch: dict[str, Tensor], facts: bool) -> tuple[Tensor, ...]:
    """What the judge reads; without facts about characters, they say nothing."""
    told = batch["facts"] if facts else torch.full_like(batch["facts"], 0.5)
    return batch["ids"], batch["mask"], batch["cases"], told


def falling(readings: list[float], progress: float) -> None:
    """Raise an error where a fifth of the training has taught nothing."""
    recent = readings[-READINGS:]
    if progress >= 0.2 and len(recent) == READINGS and not np.mean(recent) <= UNLEARNT:
        raise UnlearningError(f"preferences still cost {np.mean(recent):.3f}")


def fit(
    judge: Judge, feed: Feed, todo: list[Ints], args: argparse.Namespace, spread: float
) -> None:
    """Train in place; a student is kept every now and then."""
    minutes = max(args.until - time.time(), 1.0) / 60
    steps = Steps(optimiser(judge, args.lr, feed.device), len(todo), minutes)
    judge.train()
    kept = time.time()
    readings: list[float] = []
    for groups in todo:
        batch = feed(groups)
        with torch.autocast(feed.device, dtype=torch.bfloat16, enabled=feed.device == "cuda"):
            out = judge(*inputs(batch, args.facts))
        parts = objective(out, batch, spread)
        going = steps.take(parts)
        if not args.teachers and steps.taken % LOOK == 0:
            readings.append(parts["preference"].item())
            falling(readings, steps.progress)
        if args.teachers and time.time() - kept > args.keep:
            save(judge, args.out)
            kept = time.time()
        if not going:
            break
    steps.end()


def trained(
    feed: Feed, plan: Callable[[], list[Ints]], args: argparse.Namespace, spread: float
) -> tuple[Judge, list[float]]:
    """A trained judge, and the rates that were tried: where one teaches nothing, half of it is."""
    rates: list[float] = []
    while True:
        torch.manual_seed(args.seed + len(rates))
        judge = untrained(args.base, args.layers)
        if args.rank:
            low_rank.attach(judge.encoder, args.rank)
        judge = judge.to(feed.device)
        todo = plan()
        rates.append(args.lr)
        print(f"{len(todo)} batches planned, {args.until - time.time():.0f}s to go", flush=True)
        try:
            fit(judge, feed, todo, args, spread)
        except ArithmeticError as error:
            if len(rates) > RESTARTS or args.until - time.time() < 60:
                print(f"{error}; no time for another rate than {args.lr:g}", flush=True)
            else:
                args.lr /= 2
                print(f"{error}; again at {args.lr:g}", flush=True)
                continue
        return judge, rates
