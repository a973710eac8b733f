"""Train a judge: a teacher by people's preferences, or a student by its teachers' scores as well.

    python -m training.judge.train --model all --base research/data/mpnet --out RUNS/t1 --seed 1
    python -m training.judge.train --model all --base research/data/base --out RUNS/s --lr 4e-4 \
        --targets RUNS/t1 RUNS/t2 --eight-bit-from 0.6

`--model` names what is left out (`training.judge.store.MODELS`). A run leaves `scores.npy` (one number
a pair of the store: what students learn from, what figures are counted on), `figures.json`, and the
weights of what was trained in 8 bits. Training ends after its passes, or by the clock.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import deque
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from training.judge import figures, losses
from training.judge.batches import Maker, ahead, learnable, one_pass, plan
from training.judge.network import Judge, save, untrained
from training.judge.score import scores
from training.judge.store import MODELS, REFERENCE, Ints, Store, load
from training.model import eight_bit
from training.steps import Steps

MASK = 103
"""BERT's subword for what is hidden."""
DEV_MARGIN = 0.5
"""Standard deviations between two assessments that count in development figures."""
FARTHEST = 5.0
"""Teachers' scores are cut at so many standard deviations."""


def scored(store: Store, model: str, thin: int) -> Ints:
    """The pairs that a run gives scores to: what students learn from, development and test.

    Of what is plentiful every `thin`-th group is enough for students."""
    use = store[f"use_{model}"] & ~store.groups(kinds=("contrast",))
    plenty = store.groups(sets=("wmt13",), kinds=("judged",)) | store.groups(
        kinds=("unlabelled", "damage")
    )
    thinned = ~plenty | (np.arange(len(use)) % thin == 0)
    tested = store.groups(sets=MODELS[model], kinds=("judged", "contrast"))
    chosen = tested | (use & (thinned | store["group_dev"]))
    found: Ints = np.flatnonzero(chosen[store["pair_group"]])
    return found


def teachers(runs: list[Path]) -> tuple[npt.NDArray[np.float32], float]:
    """The mean of the teachers' scores, each in its own standard deviations, and the mean of those."""
    parts = [np.load(run / "scores.npy") for run in runs]
    spreads = [float(np.nanstd(part)) for part in parts]
    mean = sum((p - np.nanmean(p)) / s for p, s in zip(parts, spreads, strict=True)) / len(parts)
    return np.clip(mean, -FARTHEST, FARTHEST).astype(np.float32), float(np.mean(spreads))


def optimiser(judge: Judge, args: argparse.Namespace, device: str) -> torch.optim.AdamW:
    """The head at its own rate; the encoder's rate falls from layer to layer downwards."""
    new = [*judge.head.parameters(), judge.encoder.cases.weight, judge.encoder.mix]
    groups = [{"params": new, "lr": args.head_lr}]
    depth = len(judge.encoder.blocks)
    for number, block in enumerate(judge.encoder.blocks):
        lr = args.lr * args.layer_decay ** (depth - 1 - number)
        groups.append({"params": list(block.parameters()), "lr": lr})
    rest = [judge.encoder.positions.weight, *judge.encoder.norm.parameters()]
    if args.words:
        words = {"params": [judge.encoder.words.weight], "weight_decay": 0.0}
        groups.append({**words, "lr": args.lr * args.layer_decay**depth})
    groups.append({"params": rest, "lr": args.lr * args.layer_decay**depth})
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01, fused=device == "cuda")


def objective(
    out: tuple[Tensor, Tensor], batch: dict[str, Tensor], args: argparse.Namespace, spread: float
) -> dict[str, Tensor]:
    """The parts of the loss. A student's scores are in standard deviations, preferences in logits."""
    logits = out[0] * spread
    share = args.gold if "target" in batch else 1.0
    parts = {
        "preference": share
        * losses.preference(logits, batch["better"], batch["worse"], batch["weight"]),
        "across": args.across * share * losses.across(logits, batch["level"]),
        "marks": args.marks
        * losses.marks(out[1], batch["marks"], batch["cases"], batch["marked"], REFERENCE),
    }
    if "target" in batch:
        taught = losses.taught(out[0], batch["target"], batch["group"], args.within)
        parts["taught"] = args.taught * taught
    return parts


def batches(
    store: Store, args: argparse.Namespace, targets: npt.NDArray[np.float32] | None
) -> list[Ints]:
    """The batches of all passes."""
    rng = random.Random(args.seed)
    allowed = learnable(store, args.model)
    if targets is None:
        kinds = ("judged", "crossed", "damage") if args.crossed else ("judged", "damage")
        allowed &= store.groups(kinds=kinds)
    else:
        allowed &= ~np.isnan(targets[store.starts[:-1]])
    if args.sets or args.kinds:
        allowed &= store.groups(sets=args.sets, kinds=args.kinds)
    groups = np.flatnonzero(allowed)
    if args.limit:
        groups = np.array(sorted(rng.sample(groups.tolist(), min(args.limit, len(groups)))))
    found: list[Ints] = []
    for _ in range(args.passes):
        chosen = one_pass(store, groups, rng, shares=targets is None)
        found += plan(store, chosen, args.budget, rng)
    return found


def hidden(ids: Tensor, cases: Tensor, share: float) -> Tensor:
    """Some subwords of both texts are masked, so that no sentence is learnt by heart."""
    chosen = (torch.rand(ids.shape, device=ids.device) < share) & (cases > 0)
    return torch.where(chosen, MASK, ids)


def fit(
    judge: Judge,
    maker: Maker,
    todo: list[Ints],
    args: argparse.Namespace,
    spread: float,
    device: str,
) -> None:
    """Train in place."""
    steps = Steps(optimiser(judge, args, device), len(todo), args.minutes)
    recent: deque[dict[str, Tensor]] = deque(maxlen=6)
    rounding = False
    judge.train()
    for arrays in ahead(maker, todo):
        batch = {name: torch.from_numpy(value).to(device) for name, value in arrays.items()}
        recent.append(batch)
        if not rounding and steps.progress > args.eight_bit_from:
            eight_bit.attach(judge.encoder, eight_bit.ranges(judge.encoder, recent))
            rounding = True
        if args.hidden:
            batch["ids"] = hidden(batch["ids"], batch["cases"], args.hidden)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            out = judge(batch["ids"], batch["mask"], batch["cases"])
        parts = objective(out, batch, args, spread)
        if not steps.take(parts):
            break
    steps.end()
    if rounding:
        eight_bit.attach(judge.encoder, eight_bit.ranges(judge.encoder, recent))


def train(args: argparse.Namespace) -> None:
    """Train, score, count, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    store = load(args.store)
    targets, spread = teachers(args.targets) if args.targets else (None, 1.0)
    torch.manual_seed(args.seed)
    forms = {name: getattr(args, name) for name in ("match", "plain", "words")}
    judge = untrained(args.base, args.dropout, args.inside, **forms).to(device)
    todo = batches(store, args, targets)
    args.out.mkdir(parents=True, exist_ok=True)
    fit(judge, Maker(store, args.margin, targets), todo, args, spread, device)
    if args.eight_bit_from < 1:
        save(judge, args.out / "model.safetensors", **vars(args))
    started = time.time()
    pairs = scored(store, args.model, args.thin)
    if args.dev_only:
        pairs = pairs[store["group_dev"][store["pair_group"][pairs]]]
    if args.limit:
        pairs = pairs[:: max(1, len(pairs) // args.limit)]
    found = scores(judge, store, pairs, device)
    np.save(args.out / "scores.npy", found)
    print(f"scored {len(pairs)} pairs in {time.time() - started:.0f}s", flush=True)
    use = store[f"use_{args.model}"]
    report: dict[str, object] = {
        "arguments": {name: str(value) for name, value in vars(args).items()},
        "dev": figures.dev(store, found, use, DEV_MARGIN),
        "damage": figures.damage(store, found, use & store["group_dev"]),
    }
    if not args.dev_only:
        report["tested"] = figures.tested(store, found, MODELS[args.model])
    (args.out / "figures.json").write_text(json.dumps(report, indent=1))
    print(json.dumps({**report, "arguments": None}), flush=True)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--store", type=Path, default=Path("research/data/judge.npz.xz"))
    p.add_argument("--base", type=Path, default=Path("research/data/base"))
    p.add_argument("--model", choices=sorted(MODELS), default="all")
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--passes", type=int, default=3)
    p.add_argument("--minutes", type=float, default=60.0, help="end by the clock at the latest")
    p.add_argument("--budget", type=int, default=16000, help="subwords a batch, padding included")
    p.add_argument("--lr", type=float, default=4e-5, help="of the encoder's top layer")
    p.add_argument("--head-lr", type=float, default=5e-4)
    p.add_argument("--layer-decay", type=float, default=0.95)
    p.add_argument("--dropout", type=float, default=0.1, help="in the head")
    p.add_argument("--inside", type=float, default=0.1, help="dropout in the encoder")
    p.add_argument("--hidden", type=float, default=0.0, help="share of subwords masked in training")
    p.add_argument("--plain", action="store_true", help="the head sees differences alone")
    p.add_argument("--match", action="store_true", help="match subwords in the middle layer too")
    p.add_argument("--words", action="store_true", help="learn a table of words of its own")
    p.add_argument("--margin", type=float, default=0.6, help="least gap of two assessments")
    p.add_argument(
        "--crossed",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="learn from human translations beside other references",
    )
    p.add_argument("--targets", type=Path, nargs="*", default=[], help="runs of the teachers")
    p.add_argument("--gold", type=float, default=0.3, help="a student's share of preferences")
    p.add_argument(
        "--taught", type=float, default=1.0, help="a student's share of its teachers' scores"
    )
    p.add_argument("--across", type=float, default=0.3, help="weight of levels across segments")
    p.add_argument("--marks", type=float, default=0.2, help="weight of experts' marks")
    p.add_argument("--sets", nargs="*", default=[], help="learn from these alone")
    p.add_argument("--kinds", nargs="*", default=[], help="learn from such groups alone")
    p.add_argument("--within", type=float, default=3.0, help="weight of differences in a segment")
    p.add_argument(
        "--eight-bit-from",
        type=float,
        default=2.0,
        help="share of the training after which the encoder is trained as if in 8 bits",
    )
    p.add_argument("--thin", type=int, default=2, help="score every n-th of the plentiful groups")
    p.add_argument("--dev-only", action="store_true", help="score the development part alone")
    p.add_argument("--limit", type=int, default=0, help="groups, to try things out")
    return p


if __name__ == "__main__":
    train(parser().parse_args())
