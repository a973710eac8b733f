"""Fit a judge until a given time; start again with another seed if it doesn't learn."""

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
from training.judge.teachers import LIKE_CHRF
from training.steps import Steps

INTERVAL = 25
"""Steps between two readings of the loss."""
READINGS = 8
"""Readings that are averaged."""
UNLEARNED = 0.66
"""A mean logistic loss of preferences above this shows that a model doesn't learn (chance: 0.69)."""
CHECKS = (0.3, 0.6)
"""The shares of the training after which a teacher is compared with chrF."""
RESTARTS = 2
Check = Callable[[Judge], float]


class UnlearnedError(ArithmeticError):
    """A model that doesn't learn, or learns chrF alone."""


def make_optimizer(judge: Judge, lr: float, device: str) -> torch.optim.AdamW:
    """The head has a higher learning rate than the encoder."""
    encoder = [p for p in judge.encoder.parameters() if p.requires_grad]
    head = {"params": list(judge.head.parameters()), "lr": max(5 * lr, 2e-4)}
    groups = [{"params": encoder, "lr": lr}, head]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=device == "cuda")


def objective(
    out: tuple[Tensor, Tensor, Tensor], batch: dict[str, Tensor], spread: float
) -> dict[str, Tensor]:
    """The parts of the loss. A student's scores are in standard deviations; `spread` times these are
    logits of preferences."""
    score, sure, marks = out
    logits = score * spread
    better, worse = batch["better"], batch["worse"]
    preference = losses.preference(logits, better, worse, batch["weight"])
    difference = losses.DIFFERENCE * losses.difference(logits, better, worse, batch["points"])
    if "target" not in batch:
        return {"preference": preference, "difference": difference}
    marked = losses.marks(marks, batch["marks"], batch["cases"], batch["marked"], REFERENCE)
    return {
        "taught": losses.taught(score, batch["target"]),
        "preference": 0.3 * preference,
        "difference": difference,
        "marks": 0.2 * marked,
        "spread": 0.1 * losses.spread(score, sure, batch["people"]),
    }


def inputs(batch: dict[str, Tensor]) -> tuple[Tensor, ...]:
    """The input of a judge."""
    return batch["ids"], batch["mask"], batch["cases"], batch["facts"]


def check_loss(readings: list[float], progress: float) -> None:
    """Raise an error if the loss is near chance after a fifth of the training."""
    recent = readings[-READINGS:]
    if progress >= 0.2 and len(recent) == READINGS and not np.mean(recent) <= UNLEARNED:
        raise UnlearnedError(f"the loss of preferences is still {np.mean(recent):.3f}")


def fit(
    judge: Judge,
    feed: Feed,
    batches: list[Ints],
    args: argparse.Namespace,
    spread: float,
    check: Check,
) -> None:
    """Train in place. A student is saved every few minutes, a teacher is compared with chrF."""
    minutes = max(args.until - time.time(), 1.0) / 60
    steps = Steps(make_optimizer(judge, args.lr, feed.device), len(batches), minutes)
    judge.train()
    saved = time.time()
    readings: list[float] = []
    checks = [] if args.teachers else list(CHECKS)
    for groups in batches:
        batch = feed(groups)
        with torch.autocast(feed.device, dtype=torch.bfloat16, enabled=feed.device == "cuda"):
            out = judge(*inputs(batch))
        parts = objective(out, batch, spread)
        going = steps.take(parts)
        if not args.teachers and steps.taken % INTERVAL == 0:
            readings.append(parts["preference"].item())
            check_loss(readings, steps.progress)
        if checks and steps.progress >= checks[0]:
            checks.pop(0)
            like = check(judge)
            judge.train()
            print(f"r with chrF after {steps.progress:.0%}: {like:.3f}", flush=True)
            if not abs(like) < LIKE_CHRF:
                raise UnlearnedError(f"r with chrF is {like:.3f}")
        if args.teachers and time.time() - saved > args.keep:
            save(judge, args.out)
            saved = time.time()
        if not going:
            break
    steps.end()


def train_judge(
    feed: Feed,
    plan: Callable[[], list[Ints]],
    args: argparse.Namespace,
    spread: float,
    check: Check,
) -> tuple[Judge, list[tuple[int, float]]]:
    """A trained judge, and the seeds and learning rates that were tried."""
    tried: list[tuple[int, float]] = []
    while True:
        torch.manual_seed(args.seed)
        judge = untrained(args.base, args.layers)
        if args.freeze_words:
            judge.encoder.words.weight.requires_grad_(False)
        if args.rank:
            low_rank.attach(judge.encoder, args.rank)
        judge = judge.to(feed.device)
        batches = plan()
        tried.append((args.seed, args.lr))
        print(f"{len(batches)} batches, {args.until - time.time():.0f}s left", flush=True)
        try:
            fit(judge, feed, batches, args, spread, check)
        except ArithmeticError as error:
            if len(tried) > RESTARTS or args.until - time.time() < args.restart:
                print(f"{error}; no time for another seed", flush=True)
            else:
                args.seed += 100
                args.lr *= 0.7
                print(f"{error}; again with seed {args.seed}, rate {args.lr:g}", flush=True)
                continue
        low_rank.merge(judge.encoder)
        return judge, tried
