"""Train a judge: a teacher by people's preferences, or a student by its teachers' scores as well.

    T="python -m training.judge.train --store research/data/judge.npz.xz --base research/data/mpnet"
    $T --model all --layers 12 --lr 4e-5 --seed 1 --budget 12000 --out RUNS/t-all-1
    $T --model all --layers 12 --rank 32 --lr 2e-4 --seed 2 --soft 0.5 --budget 12000 --out RUNS/t-all-2
    $T --model all --layers 6 --lr 6e-5 --passes 3 --teachers RUNS/t-all-1 RUNS/t-all-2 --out RUNS/s-all

`--model` names what is left out (`training.judge.store.MODELS`). A run leaves `scores.npy` (one number
a pair of the store: what students learn from, what figures are counted on), `figures.json`, and of a
student its weights, `spread.npy` and `marks.npz`. Training ends after its passes, or at `--until`, and
scoring at `--latest`: what is there then counts. A student's weights are written every two minutes, so
that a run that is cut off leaves a judge; a run that does not learn begins again at half its rate.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from training.judge import figures, targets
from training.judge.batches import STEP, Feed, plan
from training.judge.fitting import inputs, trained
from training.judge.network import Judge, save
from training.judge.store import MODELS, REFERENCE, Bools, Ints, Store, load

TRAINED = "trained"
"""A file that says that a student's weights are its last ones."""


def pairs_of(store: Store, groups: Bools) -> Ints:
    """The pairs of these groups."""
    found: Ints = np.flatnonzero(groups[store["pair_group"]])
    return found


def thinned(store: Store, kinds: tuple[str, ...], share: float, rng: np.random.Generator) -> Bools:
    """All groups, but of these kinds only a share."""
    found: Bools = ~store.groups(kinds=kinds) | (rng.random(len(store["group_kind"])) < share)
    return found


def taught(store: Store, model: str) -> Bools:
    """The groups that teachers score for students: the same for all teachers of a model."""
    real = store.groups(kinds=("judged", "unlabelled", "damage"))
    rng = np.random.default_rng(7)
    return store[f"see_{model}"] & real & thinned(store, ("damage",), 0.25, rng)


def tested(store: Store, model: str) -> Bools:
    """What figures are counted on: sets left out, development documents, references beside
    themselves."""
    dev = store["group_dev"] & store.groups(kinds=("judged", "damage", "paragraph"))
    out = store.groups(sets=MODELS[model], kinds=("judged", "contrast", "paragraph"))
    found: Bools = dev | out | store.groups(kinds=("identity",))
    return found


def learnt(store: Store, args: argparse.Namespace, rng: np.random.Generator) -> Bools:
    """The groups of one pass."""
    allowed = store[f"see_{args.model}"] & ~store["group_dev"]
    if args.teachers:
        own = store.groups(kinds=("paragraph", "identity"))
        return allowed & (taught(store, args.model) | own)
    allowed &= store[f"use_{args.model}"]
    allowed &= store.groups(kinds=("judged", "damage", "paragraph", "identity", "soft"))
    for kinds, share in ((("soft",), args.soft), (("damage",), 0.15), (("paragraph",), 0.3)):
        allowed &= thinned(store, kinds, share, rng)
    many = store.groups(sets=("wmt13",), kinds=("judged",))
    allowed &= ~many | (rng.random(len(many)) < 0.6)
    return allowed


def batches(store: Store, args: argparse.Namespace) -> list[Ints]:
    """The batches of all passes."""
    rng, order = np.random.default_rng(args.seed), random.Random(args.seed)
    found: list[Ints] = []
    for _ in range(args.passes):
        groups = np.flatnonzero(learnt(store, args, rng))
        found += plan(store, groups, args.budget, order)
    return found[: args.limit or None]


def portions(store: Store, pairs: Ints, tokens: int) -> list[Ints]:
    """Pairs of similar length, about so many subwords together, in any order."""
    order = pairs[np.argsort(-store.sizes[pairs], kind="stable")]
    found: list[Ints] = []
    at = 0
    while at < len(order):
        found.append(order[at : at + max(1, tokens // (int(store.sizes[order[at]]) + STEP))])
        at += len(found[-1])
    random.Random(1).shuffle(found)
    return found


@torch.no_grad()
def scored(
    judge: Judge, feed: Feed, pairs: Ints, args: argparse.Namespace, exact: bool
) -> tuple[
    npt.NDArray[np.float32], npt.NDArray[np.float32], list[tuple[int, npt.NDArray[np.uint8]]]
]:
    """Scores and spreads, one a pair of the store (`nan` for those not asked for), and the marks of
    translations that experts marked. `exact`: in single precision."""
    store = feed.store
    found = np.full((2, len(store.sizes)), np.nan, np.float32)
    marks: list[tuple[int, npt.NDArray[np.uint8]]] = []
    judge.eval()
    for chosen in portions(store, pairs, args.tokens):
        if time.time() > args.latest:
            print("the time for scoring is over: some pairs have no score", flush=True)
            break
        batch = feed.read(chosen)
        half = feed.device == "cuda" and not exact
        with torch.autocast(feed.device, dtype=torch.bfloat16, enabled=half):
            score, spread, marked = judge(*inputs(batch, args.facts))
        found[:, chosen] = torch.stack([score, spread]).float().cpu().numpy()
        if exact and bool(batch["marked"].any()):
            shares = torch.round(torch.sigmoid(marked) * 255).byte().cpu().numpy()
            mine = ((batch["cases"] > 0) & (batch["cases"] < REFERENCE)).cpu().numpy()
            looked = batch["marked"].cpu().numpy()
            marks += [(int(p), shares[k][mine[k]]) for k, p in enumerate(chosen) if looked[k]]
    return found[0], found[1], marks


def train(args: argparse.Namespace) -> None:
    """Train, score, count, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    store = load(args.store)
    args.out.mkdir(parents=True, exist_ok=True)
    more, spread = {}, 1.0
    if args.teachers:
        goal = targets.make(store, [run / "scores.npy" for run in args.teachers], args.model)
        more, spread = {"target": goal.score, "people": goal.people}, goal.spread
        np.save(args.out / "people.npy", goal.people.astype(np.float16))
    feed = Feed(store, device, store[f"use_{args.model}"], **more)
    judge, rates = trained(feed, lambda: batches(store, args), args, spread)
    started = time.time()
    groups = tested(store, args.model)
    if not args.teachers:
        out = store.groups(sets=MODELS[args.model], kinds=("judged", "contrast"))
        groups = taught(store, args.model) | out
    else:
        save(judge, args.out)
        (args.out / TRAINED).touch()
    pairs = pairs_of(store, groups)
    if args.limit:
        pairs = pairs[:: max(1, len(pairs) // 400)]
    scores, sure, marks = scored(judge, feed, pairs, args, exact=bool(args.teachers))
    np.save(args.out / "scores.part.npy", scores if args.teachers else scores.astype(np.float16))
    if args.teachers:
        np.save(args.out / "spread.npy", sure.astype(np.float16))
        flat = [part for _, part in marks] or [np.zeros((0, 2), np.uint8)]
        which = np.array([pair for pair, _ in marks], np.int32)
        np.savez_compressed(args.out / "marks.npz", pairs=which, marks=np.concatenate(flat))
    (args.out / "scores.part.npy").rename(args.out / "scores.npy")  # others wait for it
    print(f"scored {len(pairs)} pairs in {time.time() - started:.0f}s", flush=True)
    report = {
        "arguments": {name: str(value) for name, value in vars(args).items()},
        "rates": rates,
        "tested": figures.tested(store, scores, MODELS[args.model]),
        "dev": figures.dev(store, scores, store[f"use_{args.model}"]),
    }
    (args.out / "figures.json").write_text(json.dumps(report, indent=1))
    print(json.dumps({**report, "arguments": None}), flush=True)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--store", type=Path, default=Path("research/data/judge.npz.xz"))
    p.add_argument("--base", type=Path, default=Path("research/data/mpnet"))
    p.add_argument("--model", choices=sorted(MODELS), default="all")
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--layers", type=int, default=6)
    p.add_argument("--rank", type=int, default=0, help="of what is learnt beside each product")
    p.add_argument("--lr", type=float, default=6e-5, help="of the encoder")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--passes", type=int, default=2)
    p.add_argument("--budget", type=int, default=16000, help="subwords a batch, padding included")
    p.add_argument("--soft", type=float, default=0.0, help="share of soft labels learnt, of a pass")
    p.add_argument("--teachers", type=Path, nargs="*", default=[], help="runs of the teachers")
    p.add_argument("--facts", action=argparse.BooleanOptionalAction, default=True)
    p.add_argument(
        "--until",
        type=float,
        default=time.time() + 3600,
        help="when training ends at the latest, in seconds of the epoch",
    )
    p.add_argument(
        "--latest",
        type=float,
        default=float("inf"),
        help="when scoring ends at the latest, likewise",
    )
    p.add_argument("--keep", type=float, default=120, help="seconds between two states kept")
    p.add_argument("--tokens", type=int, default=65536, help="subwords a batch that is only scored")
    p.add_argument("--limit", type=int, default=0, help="batches, to try things out")
    return p


if __name__ == "__main__":
    train(parser().parse_args())
