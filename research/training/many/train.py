"""Train `judge-many` on soft labels and preferences, then on expert judgments; score what it
hasn't seen.

    T="python -m training.many.train --base research/data/many"
    $T --fold all --out RUNS/all-12

Folds (`training.many.store.FOLDS`): `b` leaves out newstest20, biomedical abstracts, and WMT22
en-de; `all` only what no fold sees. Three quarters of the time go to everything (regression on
soft labels, preferences within a segment, synthetic errors), the last quarter to expert judgments.
Source or reference are left out at random, so that each works alone. A run writes `scores.npz`
(pairs of the store and their scores), `figures.json`, and `adapter.safetensors`, which is also
saved between both phases.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from training.judge import losses
from training.judge.batches import STEP, Preferences, plan
from training.judge.segments import DEEPEST
from training.judge.store import Array, Ints, Store
from training.judge.train import portions, thin
from training.many.base import load as load_base
from training.many.network import REFERENCE, SOURCE, TRANSLATION, Judge
from training.many.store import MODES, SAME, in_mode, load, measure, read_sizes, tested
from training.options import read_options
from training.steps import Steps, Timed

END, BEGIN, BREAK = 1, 2, 3
"""Pieces of the store that stand around texts."""
SETTLE = 8
"""Batches whose states the head is settled by."""
SIDES = (SOURCE, REFERENCE, TRANSLATION)
"""In the order in which they are read."""
SHARES = (0.35, 0.3, 0.35)
"""How often a group is read with the reference, with both, and with the source."""
FIRST = 0.75
"""The share of the time for soft labels and all other data; the rest is for expert judgments."""
SLOWER = 0.4
"""The learning rate of the second phase, as a share of the first one's."""
LOGITS = 2.0
"""Logits of preferences a unit of the scale: about what those of the English judge are."""


@dataclass(kw_only=True)
class Settings(Timed):
    """The options of a training."""

    store: Path = Path("research/data/many/store.npz.xz")
    base: Path = Path("research/data/many")
    fold: Literal["all", "b"] = "all"
    layers: int = 12
    rank: int = 32
    """LoRA rank."""
    lr: float = 2e-4
    """Of the layers; five times that of the head."""
    passes: int = 2
    into: float = 0.3
    """The share of groups into English per pass."""
    further: float = 0.5
    """The share of further references per pass."""
    soft: float = 1.0
    """The share of soft labels per pass."""
    budget: int = 12000
    """Pieces per batch, with padding."""


class Feed(Preferences):
    """What the judge reads, and what it learns from, on a device."""

    def __init__(self, store: Store, device: str) -> None:
        super().__init__(store, device)
        self.modes: Ints | None = None
        owner = store["pair_group"]
        texts = store["group_source"][owner], store["group_reference"][owner], store["pair_text"]
        self.ids = torch.from_numpy(store["ids"].astype(np.int32)).to(device)
        self.starts = torch.from_numpy(np.stack([store.text_start[t] for t in texts])).to(device)
        self.facts = torch.from_numpy((store["pair_facts"] / SAME).astype(np.float32)).to(device)
        known = store["target"], store["pair_level"]
        self.known = torch.from_numpy(np.stack(known).astype(np.float32)).to(device)
        self.read_in(np.zeros(len(store["group_set"]), np.int64))

    def read_in(self, modes: Ints) -> Store:
        """Read these texts of each group from now on; return the store with the lengths of that.

        `modes`: of each group, what is read with the translation, by its position in `MODES`."""
        if modes is self.modes:
            return self.store
        self.modes = modes
        self.sizes = torch.from_numpy(read_sizes(self.store, modes)).to(self.device)
        self.store = in_mode(self.store, modes)
        return self.store

    def read(self, pairs: Ints) -> dict[str, Tensor]:
        """The judge's input for these pairs."""
        width = -(-int(self.store.sizes[pairs].max()) // STEP) * STEP
        which = torch.from_numpy(pairs).to(self.device, non_blocking=True)
        at = torch.arange(width, device=self.device)[None]
        ids = (at == 0) * BEGIN
        sides = torch.zeros_like(ids)
        begin = torch.ones(len(pairs), 1, dtype=torch.int64, device=self.device)
        for side, size, start in zip(
            SIDES, self.sizes[:, which, None], self.starts[:, which, None], strict=True
        ):
            within = (at >= begin) & (at < begin + size)
            own = self.ids[torch.where(within, start + at - begin, 0)].long()
            mark = BREAK if side != TRANSLATION else END
            there = (at == begin + size) & ((size > 0) | (side == TRANSLATION))
            ids = ids + own * within + mark * there
            sides = sides + side * within
            begin = begin + size + ((size > 0) | (side == TRANSLATION)).long()
        return {
            "ids": ids.expand(len(pairs), -1),
            "sides": sides.expand(len(pairs), -1),
            "mask": at < begin,
            "facts": self.facts[which],
            "target": self.known[0, which],
            "level": self.known[1, which],
        }


def training_groups(
    store: Store, settings: Settings, rng: np.random.Generator, expert: bool
) -> Ints:
    """The groups of one pass: of all that the fold may see, a share by kind; or expert judgments
    and
    a part of the rest, so that what was learned before isn't lost."""
    into = np.array([name.endswith("-en") for name in store.sets])[store["group_set"]]
    allowed = store[f"use_{settings.fold}"] & ~store["group_dev"]
    allowed &= thin(store, ("soft",), 0.1 if expert else settings.soft, rng)
    allowed &= thin(store, ("synthetic",), 0.3 if expert else 1.0, rng)
    allowed &= ~into | (rng.random(len(into)) < settings.into)
    allowed &= store["group_first"] | (rng.random(len(into)) < settings.further)
    told = np.isfinite(store["target"].astype(np.float32))
    known = np.union1d(store["pair_group"][store["better"]], store["pair_group"][told])
    allowed[np.setdiff1d(np.arange(len(into)), known)] = False
    found: Ints = np.flatnonzero(allowed)
    return found


def by_characters(feed: Feed, groups: Ints) -> tuple[float, float]:
    """What chrF's whole scale is worth in logits, and the loss of preferences by it alone."""
    pairs, known = feed.preferences(groups)
    chrf = feed.store["pair_facts"][pairs, 0] / SAME
    apart = chrf[known["better"]] - chrf[known["worse"]]
    scales = np.arange(0, 15, 0.25)
    lost = [float(np.average(np.logaddexp(0, -s * apart), weights=known["weight"])) for s in scales]
    return float(scales[int(np.argmin(lost))]), min(lost)


def people(levels: Tensor) -> Tensor:
    """What experts took off, as the logit of a share of 25 points; `nan` stays."""
    lost = (-levels).clamp(0.0, DEEPEST)
    return torch.log((DEEPEST - lost + 0.5) / (lost + 0.5))


def objective(judge: Judge, batch: dict[str, Tensor]) -> dict[str, Tensor]:
    """The parts of the loss. Scores are on the English judge's scale, preferences in logits."""
    score, error = judge(batch["ids"], batch["sides"], batch["mask"], batch["facts"])
    better, worse = batch["better"], batch["worse"]
    difference = losses.difference(LOGITS * score, better, worse, batch["points"])
    slope, offset = judge.head.people
    line = slope * score.detach() + offset  # what people say, by scores that don't learn from it
    return {
        "preference": losses.preference(LOGITS * score, better, worse, batch["weight"]),
        "difference": losses.DIFFERENCE * difference,
        "taught": losses.taught(score, batch["target"]),
        "across": 0.3 * losses.across(LOGITS * score, batch["level"]),
        "error": 0.1 * losses.spread(line, error, people(batch["level"])),
    }


Batches = list[tuple[Ints, list[Ints]]]
"""Passes: how each group is read, and batches of groups."""


def fit(judge: Judge, feed: Feed, passes: Batches, lr: float, until: float) -> None:
    """Train in place, until a given time."""
    own = [p for name, p in judge.named_parameters() if p.requires_grad and "layers." in name]
    head = [*judge.head.parameters(), *judge.sides.parameters()]
    groups = [{"params": own, "lr": lr}, {"params": head, "lr": 5 * lr}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=feed.device == "cuda")
    total = sum(len(batches) for _, batches in passes)
    steps = Steps(optimizer, total, max(until - time.time(), 1.0) / 60)
    judge.train()
    for modes, chosen in ((modes, groups) for modes, batches in passes for groups in batches):
        feed.read_in(modes)
        batch = feed(chosen)
        with torch.autocast(feed.device, dtype=torch.bfloat16, enabled=feed.device == "cuda"):
            parts = objective(judge, batch)
        if not steps.take(parts):
            break
    steps.end()


def make_passes(feed: Feed, settings: Settings, count: int, expert: bool) -> Batches:
    """The batches of several passes, each with its own choice of what is read."""
    seed = settings.seed + 1000 * expert
    rng, order = np.random.default_rng(seed), random.Random(seed)
    found: Batches = []
    for _ in range(count):
        modes = rng.choice(len(MODES), len(feed.store["group_set"]), p=SHARES)
        store = feed.read_in(modes)
        batches = plan(store, training_groups(store, settings, rng, expert), settings.budget, order)
        found.append((modes, batches[: settings.limit or None]))
    return found


def trained(feed: Feed, settings: Settings) -> tuple[Judge, dict[str, object]]:
    """A trained judge, and the loss of preferences with chrF alone."""
    torch.manual_seed(settings.seed)
    first = make_passes(feed, settings, settings.passes, expert=False)
    every = np.unique(np.concatenate([own for _, batches in first for own in batches]))
    scale, known = by_characters(feed, every)
    base = load_base(settings.base, settings.layers)
    judge = Judge(base, settings.layers, settings.rank, scale / LOGITS).to(feed.device)
    feed.read_in(first[0][0])
    judge.settle(feed(groups) for groups in first[0][1][:SETTLE])
    now = time.time()
    print(f"{[len(b) for _, b in first]} batches, {settings.until - now:.0f}s left", flush=True)
    print(f"chrF alone: {scale} logits, loss {known:.4f}", flush=True)
    fit(judge, feed, first, settings.lr, now + FIRST * (settings.until - now))
    save_file(judge.learnt(), settings.out / "adapter.safetensors")
    second = make_passes(feed, settings, 2, expert=True)
    fit(judge, feed, second, SLOWER * settings.lr, settings.until)
    return judge, {"chrf logits": scale, "chrf loss": known}


@torch.no_grad()
def scored(judge: Judge, feed: Feed, pairs: Ints, mode: int, settings: Settings) -> Array:
    """Score and logarithm of its standard error of each pair of the store, read in this mode, [2,
    pairs];
    `nan` where none was asked for or time was over."""
    found = np.full((2, len(feed.store.sizes)), np.nan, np.float32)
    feed.read_in(np.full(len(feed.store["group_set"]), mode))
    judge.eval()
    for chosen in portions(feed.store, pairs, settings.tokens):
        if time.time() > settings.latest:
            print("the time for scoring is over: some pairs have no score", flush=True)
            break
        batch = feed.read(chosen)
        with torch.autocast(feed.device, dtype=torch.bfloat16, enabled=feed.device == "cuda"):
            both = judge(batch["ids"], batch["sides"], batch["mask"], batch["facts"])
        found[:, chosen] = torch.stack(both).float().cpu().numpy()
    return found


def train(settings: Settings) -> None:
    """Train, score, count, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    settings.out.mkdir(parents=True, exist_ok=True)
    feed = Feed(load(settings.store), device)
    store = feed.store
    judge, tried = trained(feed, settings)
    save_file(judge.learnt(), settings.out / "adapter.safetensors")
    sets = tested(store, settings.fold)
    if settings.limit:
        sets = {name: pairs[:12] for name, pairs in sets.items()}
    pairs = np.concatenate(list(sets.values()))
    started = time.time()
    found = {name: scored(judge, feed, pairs, mode, settings) for mode, name in enumerate(MODES)}
    seconds = time.time() - started
    print(f"scored {len(pairs)} pairs {len(MODES)} times in {seconds:.0f}s", flush=True)
    arrays = {name: both[:, pairs] for name, both in found.items()}
    np.savez(settings.out / "scores.npz", pairs=pairs, **arrays)  # type: ignore[arg-type]
    measured = {}
    for name, which in sets.items():
        own = measure(store, which, {mode: both[0, which] for mode, both in found.items()})
        print(name, {key: round(v, 4) for key, v in own.items() if "tau" in key}, flush=True)
        measured[name] = own
    arguments = {k: str(v) for k, v in asdict(settings).items()}
    report = {"arguments": arguments, **tried, "sets": measured}
    (settings.out / "figures.json").write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    train(read_options(Settings))
