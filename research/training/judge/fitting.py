"""Fit a judge until a given time; start again with another seed if it doesn't learn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from training.judge import losses, low_rank
from training.judge.batches import Feed
from training.judge.network import Judge, save, untrained
from training.judge.store import REFERENCE, Ints
from training.judge.teachers import LIKE_CHRF
from training.steps import Steps, Timed

INTERVAL = 25
"""Steps between two readings of the loss."""
READINGS = 8
"""Readings that are averaged."""
UNLEARNED = 0.66
"""A mean loss of preferences above this shows that a model doesn't learn (chance: 0.69)."""
CHECKS = (0.3, 0.6)
"""The shares of the training after which a teacher is compared with chrF."""
RESTARTS = 2
Check = Callable[[Judge], float]


@dataclass(kw_only=True)
class Settings(Timed):
    """The options of a training."""

    store: Path = Path("research/data/judge.npz.xz")
    base: Path = Path("research/data/mpnet")
    model: Literal["a", "all", "b"] = "all"
    layers: int = 6
    rank: int = 0
    """LoRA rank; 0 trains all weights."""
    lr: float = 6e-5
    """Of the encoder."""
    passes: int = 2
    budget: int = 16000
    """Subwords per batch, with padding."""
    soft: float = 0.0
    """The share of soft labels per pass."""
    teachers: list[Path] = field(default_factory=list)
    freeze_words: bool = False
    score_only: bool = False
    """Score with the weights in ``out``."""
    restart: float = 150
    """The least seconds for another seed."""
    keep: float = 120
    """Seconds between two saved states."""


class UnlearnedError(ArithmeticError):
    """A model that doesn't learn, or learns chrF alone."""


def make_optimizer(judge: Judge, lr: float, device: str) -> torch.optim.AdamW:
    """Return the optimizer: the head has a higher learning rate than the encoder."""
    encoder = [p for p in judge.encoder.parameters() if p.requires_grad]
    head = {"params": list(judge.head.parameters()), "lr": max(5 * lr, 2e-4)}
    groups = [{"params": encoder, "lr": lr}, head]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=device == "cuda")


def objective(
    out: tuple[Tensor, Tensor, Tensor], batch: dict[str, Tensor], spread: float
) -> dict[str, Tensor]:
    """Return the parts of the loss.

    A student's scores are in standard deviations; `spread` times these are logits of
    preferences."""
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
        "spread": 0.1 * losses.spread(score.detach(), sure, batch["people"]),
    }


def inputs(batch: dict[str, Tensor]) -> tuple[Tensor, ...]:
    """Return the input of a judge."""
    return batch["ids"], batch["mask"], batch["cases"], batch["facts"]


class Watch:
    """Raises an error if a teacher doesn't learn, or learns chrF alone."""

    def __init__(self, check: Check) -> None:
        self.check, self.checks = check, list(CHECKS)
        self.readings: list[float] = []

    def look(self, judge: Judge, steps: Steps, loss: Tensor) -> None:
        """Read the loss now and then, and compare the scores with chrF twice."""
        if steps.taken % INTERVAL == 0:
            self.read(loss.item(), steps.progress)
        if self.checks and steps.progress >= self.checks[0]:
            self.checks.pop(0)
            like = self.check(judge)
            judge.train()
            print(f"r with chrF after {steps.progress:.0%}: {like:.3f}", flush=True)
            if not abs(like) < LIKE_CHRF:
                raise UnlearnedError(f"r with chrF is {like:.3f}")

    def read(self, loss: float, progress: float) -> None:
        """Raise an error if the loss is near chance after a fifth of the training."""
        self.readings.append(loss)
        recent = self.readings[-READINGS:]
        if progress >= 0.2 and len(recent) == READINGS and not np.mean(recent) <= UNLEARNED:
            raise UnlearnedError(f"the loss of preferences is still {np.mean(recent):.3f}")


def fit(
    judge: Judge, feed: Feed, batches: list[Ints], settings: Settings, spread: float, check: Check
) -> None:
    """Train in place. A student is saved every few minutes, a teacher is compared with chrF."""
    minutes = max(settings.until - time.time(), 1.0) / 60
    optimizer = make_optimizer(judge, settings.lr, feed.device)
    steps = Steps(optimizer, len(batches), minutes)
    watch = None if settings.teachers else Watch(check)
    saved = time.time()
    judge.train()
    for groups in batches:
        batch = feed(groups)
        with torch.autocast(feed.device, dtype=torch.bfloat16, enabled=feed.device == "cuda"):
            out = judge(*inputs(batch))
        parts = objective(out, batch, spread)
        going = steps.take(parts)
        if watch:
            watch.look(judge, steps, parts["preference"])
        elif time.time() - saved > settings.keep:
            save(judge, settings.out)
            saved = time.time()
        if not going:
            break
    steps.end()


def train_judge(
    feed: Feed, plan: Callable[[], list[Ints]], settings: Settings, spread: float, check: Check
) -> tuple[Judge, list[tuple[int, float]]]:
    """Return a trained judge, and the seeds and learning rates that were tried."""
    tried: list[tuple[int, float]] = []
    while True:
        torch.manual_seed(settings.seed)
        judge = untrained(settings.base, settings.layers)
        if settings.freeze_words:
            judge.encoder.words.weight.requires_grad_(False)
        if settings.rank:
            low_rank.attach(judge.encoder, settings.rank)
        judge = judge.to(feed.device)
        batches = plan()
        tried.append((settings.seed, settings.lr))
        print(f"{len(batches)} batches, {settings.until - time.time():.0f}s left", flush=True)
        try:
            fit(judge, feed, batches, settings, spread, check)
        except ArithmeticError as error:
            if len(tried) <= RESTARTS and settings.until - time.time() >= settings.restart:
                settings.seed += 100
                settings.lr *= 0.7
                print(f"{error}; again with seed {settings.seed}, rate {settings.lr:g}", flush=True)
                continue
            print(f"{error}; no time for another seed", flush=True)
        low_rank.merge(judge.encoder)
        return judge, tried
