"""Train a judge of many languages by people's preferences, by the clock, and score what it has not seen.

    T="python -m training.many.train --store research/data/many/store.npz.xz --base research/data/many"
    $T --fold a --out RUNS/a-rank

Folds: `a` never saw WMT23, `b` never newstest20, biomedical abstracts, nor any judgment of Russian, Chinese
or Spanish translations; `all` leaves out one document in sixteen, as they do. A run leaves `scores.npz`
(pairs of the store and their scores), `figures.json`, and what it learnt (`adapter.safetensors`). The loss
of preferences by chrF alone is printed beforehand: what learns gets below it.
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
from training.judge.store import Array, Ints, Store, fitted
from training.judge.train import portions, thinned
from training.many.base import load as load_base
from training.many.figures import figures
from training.many.network import REFERENCE, TRANSLATION, Judge
from training.many.store import FAMILIES, SAME, load, tested
from training.steps import Steps

END, BEGIN, BREAK = 1, 2, 3
"""Pieces of the store that stand around texts."""
SETTLE = 8
"""Batches whose states the head is settled by."""


class Feed:
    """What the judge reads, and the preferences that it learns from, on a device."""

    def __init__(self, store: Store, device: str) -> None:
        self.store, self.device = store, device
        texts = store["pair_text"], store["group_reference"][store["pair_group"]]
        n, m = fitted(*(store["text_size"][which] for which in texts))
        starts = [store.text_start[which] for which in texts]
        self.ids = torch.from_numpy(store["ids"].astype(np.int32)).to(device)
        self.places = torch.from_numpy(np.stack([n, m, *starts])).to(device)
        self.facts = torch.from_numpy((store["pair_facts"] / SAME).astype(np.float32)).to(device)
        owner = store["pair_group"][store["better"]]
        self.first = np.searchsorted(owner, np.arange(len(store.starts)))

    def read(self, pairs: Ints) -> dict[str, Tensor]:
        """The judge's input for these pairs."""
        width = -(-int(self.store.sizes[pairs].max()) // STEP) * STEP
        which = torch.from_numpy(pairs).to(self.device, non_blocking=True)
        n, m, ours, theirs = self.places[:, which].unsqueeze(2)
        at = torch.arange(width, device=self.device)[None]
        other = (at >= 1) & (at <= m)
        one = (at >= m + 2) & (at <= m + n + 1)
        place = torch.where(other, theirs + at - 1, torch.where(one, ours + at - m - 2, 0))
        ids = self.ids[place].long() * (one | other)
        ids = ids + (at == 0) * BEGIN + (at == m + 1) * BREAK + (at == m + n + 2) * END
        sides = other * REFERENCE + one * TRANSLATION
        return {"ids": ids, "sides": sides, "mask": at <= m + n + 2, "facts": self.facts[which]}

    def preferences(self, groups: Ints) -> tuple[Ints, Ints, Array]:
        """Better and worse pairs of these groups, and weights: a group weighs the root of its
        preferences."""
        chosen = runs(self.first[groups], self.first[groups + 1])
        which = np.repeat(np.arange(len(groups)), self.first[groups + 1] - self.first[groups])
        count = self.store["count"][chosen]
        total = np.bincount(which, count, len(groups))
        return (
            self.store["better"][chosen],
            self.store["worse"][chosen],
            count / total[which] ** 0.5,
        )

    def __call__(self, groups: Ints) -> dict[str, Tensor]:
        """Inputs, and preferences by their place in the batch; groups are in rising order."""
        pairs = runs(self.store.starts[groups], self.store.starts[groups + 1])
        better, worse, weight = self.preferences(groups)
        arrays = {
            "better": np.searchsorted(pairs, better),
            "worse": np.searchsorted(pairs, worse),
            "weight": weight.astype(np.float32),
        }
        moved = {name: torch.from_numpy(value).to(self.device) for name, value in arrays.items()}
        return {**self.read(pairs), **moved}


def learnt(store: Store, args: argparse.Namespace, rng: np.random.Generator) -> Ints:
    """The groups of one pass: what the fold may see, a share of groups into English, of soft labels,
    and of further references, whose judgments are those of the first."""
    into = np.array([name.endswith("-en") for name in store.sets])[store["group_set"]]
    allowed = store[f"use_{args.fold}"] & ~store["group_dev"]
    allowed &= thinned(store, ("soft",), args.soft, rng)
    allowed &= ~into | (rng.random(len(into)) < args.into)
    allowed &= store["group_first"] | (rng.random(len(into)) < args.further)
    allowed[np.setdiff1d(np.arange(len(into)), store["pair_group"][store["better"]])] = False
    found: Ints = np.flatnonzero(allowed)
    return found


def by_characters(feed: Feed, groups: Ints) -> tuple[float, float]:
    """What chrF's whole scale is worth in logits, and the loss of preferences by it alone."""
    better, worse, weight = feed.preferences(groups)
    chrf = feed.store["pair_facts"][:, 0] / SAME
    apart = chrf[better] - chrf[worse]
    scales = np.arange(0, 15, 0.25)
    lost = [float(np.average(np.logaddexp(0, -s * apart), weights=weight)) for s in scales]
    return float(scales[int(np.argmin(lost))]), min(lost)


def fit(judge: Judge, feed: Feed, todo: list[Ints], args: argparse.Namespace) -> None:
    """Train in place."""
    own = [p for name, p in judge.named_parameters() if p.requires_grad and "layers." in name]
    head = [*judge.head.parameters(), *judge.sides.parameters()]
    groups = [{"params": own, "lr": args.lr}, {"params": head, "lr": 5 * args.lr}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01, fused=feed.device == "cuda")
    steps = Steps(optimiser, len(todo), max(args.until - time.time(), 1.0) / 60)
    judge.train()
    for batch in map(feed, todo):
        with torch.autocast(feed.device, dtype=torch.bfloat16, enabled=feed.device == "cuda"):
            scores = judge(batch["ids"], batch["sides"], batch["mask"], batch["facts"])
        lost = losses.preference(scores, batch["better"], batch["worse"], batch["weight"])
        if not steps.take({"preference": lost}):
            break
    steps.end()


def trained(feed: Feed, args: argparse.Namespace) -> tuple[Judge, dict[str, object]]:
    """A trained judge, and what chrF alone is worth."""
    store = feed.store
    torch.manual_seed(args.seed)
    rng, order = np.random.default_rng(args.seed), random.Random(args.seed)
    todo: list[Ints] = []
    for _ in range(args.passes):
        todo += plan(store, learnt(store, args, rng), args.budget, order)
    scale, known = by_characters(feed, np.unique(np.concatenate(todo)))
    todo = todo[: args.limit or None]
    base = load_base(args.base, args.layers)
    judge = Judge(base, args.layers, args.rank, scale).to(feed.device)
    judge.settle(feed(groups) for groups in todo[:SETTLE])
    print(f"{len(todo)} batches planned, {args.until - time.time():.0f}s to go", flush=True)
    print(f"chrF is worth {scale} logits and costs {known:.4f}", flush=True)
    fit(judge, feed, todo, args)
    return judge, {"chrf logits": scale, "chrf loss": known}


@torch.no_grad()
def scored(judge: Judge, feed: Feed, pairs: Ints, args: argparse.Namespace) -> Array:
    """A score for each pair of the store, `nan` where none was asked for or time was over."""
    found = np.full(len(feed.store.sizes), np.nan, np.float32)
    judge.eval()
    for chosen in portions(feed.store, pairs, args.tokens):
        if time.time() > args.latest:
            print("the time for scoring is over: some pairs have no score", flush=True)
            break
        batch = feed.read(chosen)
        with torch.autocast(feed.device, dtype=torch.bfloat16, enabled=feed.device == "cuda"):
            scores = judge(batch["ids"], batch["sides"], batch["mask"], batch["facts"])
        found[chosen] = scores.float().cpu().numpy()
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
        sets = {name: pairs[:200] for name, pairs in sets.items()}
    pairs = np.concatenate(list(sets.values()))
    started = time.time()
    scores = scored(judge, feed, pairs, args)
    print(f"scored {len(pairs)} pairs in {time.time() - started:.0f}s", flush=True)
    np.savez(args.out / "scores.npz", pairs=pairs, scores=scores[pairs])
    report = {
        "arguments": {name: str(value) for name, value in vars(args).items()},
        **tried,
        "sets": {
            name: figures(store, which, {"judge": scores[which]}) for name, which in sets.items()
        },
    }
    (args.out / "figures.json").write_text(json.dumps(report, indent=1))
    for name, found in report["sets"].items():  # type: ignore[attr-defined]
        print(name, {key: round(value, 4) for key, value in found.items()}, flush=True)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--store", type=Path, default=Path("research/data/many/store.npz.xz"))
    p.add_argument("--base", type=Path, default=Path("research/data/many"), help="its folder")
    p.add_argument("--fold", choices=sorted(FAMILIES), default="all", help="what is left out")
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--layers", type=int, default=12)
    p.add_argument("--rank", type=int, default=32, help="of what is learnt beside each product")
    p.add_argument("--lr", type=float, default=2e-4, help="of the layers; the head's is five times")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--passes", type=int, default=4)
    p.add_argument("--into", type=float, default=0.6, help="share of groups into English, a pass")
    p.add_argument("--further", type=float, default=0.5, help="share of further references, a pass")
    p.add_argument("--soft", type=float, default=0.5, help="share of soft labels, a pass")
    p.add_argument("--budget", type=int, default=12000, help="pieces a batch, padding included")
    p.add_argument("--tokens", type=int, default=65536, help="pieces a batch that is only scored")
    until = time.time() + 3600
    p.add_argument("--until", type=float, default=until, help="when training ends at the latest")
    p.add_argument("--latest", type=float, default=float("inf"), help="when scoring does")
    p.add_argument("--limit", type=int, default=0, help="batches, to try things out")
    return p


if __name__ == "__main__":
    train(parser().parse_args())
