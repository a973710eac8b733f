"""What every training does with its losses: a step down, a rate that falls, an end by the clock."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor


def rate(progress: float, warm: float = 0.06) -> float:
    """Return the learning rate's factor: linear up, then linear down to zero."""
    return min(progress / warm, max(0.0, 1 - progress) / (1 - warm))


@dataclass(kw_only=True)
class Timed:
    """The options of a training that ends by the clock."""

    out: Path
    seed: int = 1
    until: float = 0.0
    """The end of training in epoch seconds; 0: in an hour."""
    latest: float = float("inf")
    """The end of scoring."""
    tokens: int = 65536
    """Subwords per batch when scoring."""
    limit: int = 0
    """Batches, for a trial."""

    def __post_init__(self) -> None:
        self.until = self.until or time.time() + 3600


class Steps:
    """The steps of a training of ``total`` batches that ends after ``minutes`` at the latest."""

    def __init__(
        self,
        optimiser: torch.optim.Optimizer,
        total: int,
        minutes: float,
        *,
        every: int = 100,
        clip: float = 1.0,
    ) -> None:
        self.optimiser, self.total, self.minutes = optimiser, total, minutes
        self.every, self.clip = every, clip
        groups = [group["params"] for group in optimiser.param_groups]
        self.parameters = [each for group in groups for each in group]
        self.taken = 0
        self.started = time.time()
        self.schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda _: rate(self.progress))

    @property
    def progress(self) -> float:
        """How much of the training is done with the next step, by batches or by the clock."""
        return max((self.taken + 1) / self.total, self.seconds / (60 * self.minutes))

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.time() - self.started

    def take(self, parts: Mapping[str, Tensor]) -> bool:
        """Take a step down the sum of these losses; return false after the last."""
        loss = torch.stack(list(parts.values())).sum()
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.parameters, self.clip)
        self.optimiser.step()
        last = self.progress >= 1
        if self.taken % self.every == 0:
            seen = {name: round(part.item(), 4) for name, part in parts.items()}
            print(f"{self.taken}/{self.total} {self.seconds:.0f}s {seen}", flush=True)
            if not math.isfinite(loss.item()):
                raise FloatingPointError("the loss is not finite")
        self.taken += 1
        self.schedule.step()
        return not last

    def end(self) -> None:
        """Print how many steps it took."""
        print(f"trained {self.taken} steps of {self.total} in {self.seconds:.0f}s", flush=True)
