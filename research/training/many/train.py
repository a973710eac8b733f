"""Train `judge-many` on soft labels and preferences, then on expert judgments; score what it hasn't seen.

    T="python -m training.many.train --store research/data/many/store.npz.xz --base research/data/many"
    $T --fold all --out RUNS/all-12

Folds (`training.many.store.FOLDS`): `b` leaves out newstest20, biomedical abstracts, and WMT22 en-de; `all`
only what no fold sees. Three quarters of the time go to everything (regression on soft labels, preferences
within a segment, synthetic errors), the last quarter to expert judgments. Source or reference are left out
at random, so that each works alone. A run writes `scores.npz` (pairs of the store and their scores),
`figures.json`, and `adapter.safetensors`, which is also saved between both phases.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from training.judge import losses
from training.judge.batches import STEP, plan, runs
from training.judge.segments import DEEPEST
from training.judge.store import Array, Ints, Store
from training.judge.train import portions, thin
from training.many.base import load as load_base
from training.many.figures import figures
from training.many.network import REFERENCE, SOURCE, TRANSLATION, Judge
from training.many.store import FOLDS, MODES, SAME, in_mode, load, read_sizes, tested
from training.steps import Steps

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


class Feed:
    """What the judge reads, and what it learns from, on a device. `modes`: of each group, what is read
    beside the translation, by its place in `MODES`."""

    def __init__(self, store: Store, device: str) -> None:
        self.store, self.device = store, device
        owner = store["pair_group"]
        texts = store["group_source"][owner], store["group_reference"][owner], store["pair_text"]
        self.ids = torch.from_numpy(store["ids"].astype(np.int32)).to(device)
        self.starts = torch.from_numpy(np.stack([store.text_start[t] for t in texts])).to(device)
        self.facts = torch.from_numpy((store["pair_facts"] / SAME).astype(np.float32)).to(device)
        told = store["target"], store["pair_level"]
        self.told = torch.from_numpy(np.stack(told).astype(np.float32)).to(device)
        self.first = np.searchsorted(owner[store["better"]], np.arange(len(store.starts)))
        self.synthetic = store.groups(kinds=("synthetic",))
        self.read_in(np.zeros(len(store["group_set"]), np.int64))

    def read_in(self, modes: Ints) -> Store:
        """Read these texts of each group from now on; the store with the lengths of that."""
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
            "target": self.told[0, which],
            "level": self.told[1, which],
        }

    def preferences(self, groups: Ints) -> tuple[Ints, Ints, Array, Array]:
        """Better and worse pairs of these groups, and weights: the weight of a group is the square
        root of its preferences. Pairs with a synthetic error have points in place of a weight."""
        chosen = runs(self.first[groups], self.first[groups + 1])
        which = np.repeat(np.arange(len(groups)), self.first[groups + 1] - self.first[groups])
        count = self.store["count"][chosen]
        total = np.bincount(which, count, len(groups))
        made = self.synthetic[groups][which]
        return (
            self.store["better"][chosen],
            self.store["worse"][chosen],
            np.where(made, 0, count / total[which] ** 0.5),
            np.where(made, self.store["gap"][chosen], np.nan),
        )

    def __call__(self, groups: Ints) -> dict[str, Tensor]:
        """Inputs, and preferences by their place in the batch; groups are in rising order."""
        pairs = runs(self.store.starts[groups], self.store.starts[groups + 1])
        better, worse, weight, points = self.preferences(groups)
        arrays = {
            "better": np.searchsorted(pairs, better),
            "worse": np.searchsorted(pairs, worse),
            "weight": weight.astype(np.float32),
            "points": points.astype(np.float32),
        }
        moved = {name: torch.from_numpy(value).to(self.device) for name, value in arrays.items()}
        return {**self.read(pairs), **moved}


def training_groups(
    store: Store, args: argparse.Namespace, rng: np.random.Generator, expert: bool
) -> Ints:
    """The groups of one pass: of all that the fold may see, a share by kind; or expert judgments and
    a part of the rest, so that what was learned before isn't lost."""
    into = np.array([name.endswith("-en") for name in store.sets])[store["group_set"]]
    allowed = store[f"use_{args.fold}"] & ~store["group_dev"]
    allowed &= thin(store, ("soft",), 0.1 if expert else args.soft, rng)
    allowed &= thin(store, ("synthetic",), 0.3 if expert else 1.0, rng)
    allowed &= ~into | (rng.random(len(into)) < args.into)
    allowed &= store["group_first"] | (rng.random(len(into)) < args.further)
    told = np.isfinite(store["target"].astype(np.float32))
    known = np.union1d(store["pair_group"][store["better"]], store["pair_group"][told])
    allowed[np.setdiff1d(np.arange(len(into)), known)] = False
    found: Ints = np.flatnonzero(allowed)
    return found


def by_characters(feed: Feed, groups: Ints) -> tuple[float, float]:
    """What chrF's whole scale is worth in logits, and the loss of preferences by it alone."""
    better, worse, weight, _ = feed.preferences(groups)
    chrf = feed.store["pair_facts"][:, 0] / SAME
    apart = chrf[better] - chrf[worse]
    scales = np.arange(0, 15, 0.25)
    lost = [float(np.average(np.logaddexp(0, -s * apart), weights=weight)) for s in scales]
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
    return {
        "preference": losses.preference(LOGITS * score, better, worse, batch["weight"]),
        "difference": losses.DIFFERENCE * difference,
        "taught": losses.taught(score, batch["target"]),
        "across": 0.3 * losses.across(LOGITS * score, batch["level"]),
        "error": 0.1 * unsure(judge, score.detach(), error, people(batch["level"])),
    }


def unsure(judge: Judge, score: Tensor, error: Tensor, said: Tensor) -> Tensor:
    """How far people are from the line over scores (`nan`: no expert looked): a normal distribution. The
    scores themselves do not learn from it."""
    slope, offset = judge.head.people
    known = ~torch.isnan(said)
    apart = (said.nan_to_num() - slope * score - offset) * torch.exp(-error)
    lost = error + 0.5 * apart.square().clamp(max=50.0)
    return (lost * known).sum() / known.sum().clamp(min=1)


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
    going = True
    for modes, batches in passes:
        feed.read_in(modes)
        for chosen in batches:
            batch = feed(chosen)
            with torch.autocast(feed.device, dtype=torch.bfloat16, enabled=feed.device == "cuda"):
                parts = objective(judge, batch)
            going = steps.take(parts)
            if not going:
                break
        if not going:
            break
    steps.end()


def make_passes(feed: Feed, args: argparse.Namespace, count: int, expert: bool) -> Batches:
    """The batches of several passes, each with its own choice of what is read."""
    seed = args.seed + 1000 * expert
    rng, order = np.random.default_rng(seed), random.Random(seed)
    found: Batches = []
    for _ in range(count):
        modes = rng.choice(len(MODES), len(feed.store["group_set"]), p=SHARES)
        store = feed.read_in(modes)
        batches = plan(store, training_groups(store, args, rng, expert), args.budget, order)
        found.append((modes, batches[: args.limit or None]))
    return found


def trained(feed: Feed, args: argparse.Namespace) -> tuple[Judge, dict[str, object]]:
    """A trained judge, and the loss of preferences with chrF alone."""
    torch.manual_seed(args.seed)
    first = make_passes(feed, args, args.passes, expert=False)
    every = np.unique(np.concatenate([own for _, batches in first for own in batches]))
    scale, known = by_characters(feed, every)
    base = load_base(args.base, args.layers)
    judge = Judge(base, args.layers, args.rank, scale / LOGITS).to(feed.device)
    feed.read_in(first[0][0])
    judge.settle(feed(groups) for groups in first[0][1][:SETTLE])
    print(f"{[len(b) for _, b in first]} batches, {args.until - time.time():.0f}s left", flush=True)
    print(f"chrF alone: {scale} logits, loss {known:.4f}", flush=True)
    now = time.time()
    fit(judge, feed, first, args.lr, now + FIRST * (args.until - now))
    save_file(judge.learnt(), args.out / "adapter.safetensors")
    fit(judge, feed, make_passes(feed, args, 2, expert=True), SLOWER * args.lr, args.until)
    return judge, {"chrf logits": scale, "chrf loss": known}


@torch.no_grad()
def scored(judge: Judge, feed: Feed, pairs: Ints, mode: int, args: argparse.Namespace) -> Array:
    """Score and logarithm of its standard error of each pair of the store, read in this mode, [2, pairs];
    `nan` where none was asked for or time was over."""
    found = np.full((2, len(feed.store.sizes)), np.nan, np.float32)
    feed.read_in(np.full(len(feed.store["group_set"]), mode))
    judge.eval()
    for chosen in portions(feed.store, pairs, args.tokens):
        if time.time() > args.latest:
            print("the time for scoring is over: some pairs have no score", flush=True)
            break
        batch = feed.read(chosen)
        with torch.autocast(feed.device, dtype=torch.bfloat16, enabled=feed.device == "cuda"):
            both = judge(batch["ids"], batch["sides"], batch["mask"], batch["facts"])
        found[:, chosen] = torch.stack(both).float().cpu().numpy()
    return found


def train(args: argparse.Namespace) -> None:
    """Train, score, count, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    args.out.mkdir(parents=True, exist_ok=True)
    feed = Feed(load(args.store), device)
    store = feed.store
    judge, tried = trained(feed, args)
    save_file(judge.learnt(), args.out / "adapter.safetensors")
    sets = tested(store, args.fold)
    if args.limit:
        sets = {name: pairs[:12] for name, pairs in sets.items()}
    pairs = np.concatenate(list(sets.values()))
    started = time.time()
    found = {name: scored(judge, feed, pairs, mode, args) for mode, name in enumerate(MODES)}
    print(
        f"scored {len(pairs)} pairs {len(MODES)} times in {time.time() - started:.0f}s", flush=True
    )
    arrays = {name: both[:, pairs] for name, both in found.items()}
    np.savez(args.out / "scores.npz", pairs=pairs, **arrays)  # type: ignore[arg-type]
    report = {
        "arguments": {k: str(v) for k, v in vars(args).items()},
        **tried,
        "sets": {
            name: figures(store, which, {mode: both[0, which] for mode, both in found.items()})
            for name, which in sets.items()
        },
    }
    (args.out / "figures.json").write_text(json.dumps(report, indent=1))
    for name, own in report["sets"].items():  # type: ignore[attr-defined]
        print(name, {key: round(v, 4) for key, v in own.items() if "tau" in key}, flush=True)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--store", type=Path, default=Path("research/data/many/store.npz.xz"))
    p.add_argument("--base", type=Path, default=Path("research/data/many"), help="its folder")
    p.add_argument("--fold", choices=sorted(FOLDS), default="all", help="what is left out")
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--layers", type=int, default=12)
    p.add_argument("--rank", type=int, default=32, help="LoRA rank")
    p.add_argument(
        "--lr",
        type=float,
        default=2e-4,
        help="learning rate of the layers; five times that of the head",
    )
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--passes", type=int, default=2)
    p.add_argument("--into", type=float, default=0.3, help="share of groups into English per pass")
    p.add_argument(
        "--further", type=float, default=0.5, help="share of further references per pass"
    )
    p.add_argument("--soft", type=float, default=1.0, help="share of soft labels per pass")
    p.add_argument("--budget", type=int, default=12000, help="pieces per batch, with padding")
    p.add_argument("--tokens", type=int, default=65536, help="pieces per batch when scoring")
    until = time.time() + 3600
    p.add_argument("--until", type=float, default=until, help="end of training (epoch seconds)")
    p.add_argument("--latest", type=float, default=float("inf"), help="end of scoring")
    p.add_argument("--limit", type=int, default=0, help="batches per pass, for a trial")
    return p


if __name__ == "__main__":
    train(parser().parse_args())
