"""Train the judge of sixteen languages, with and without a reference.

    python -m training.languages.train --model no23 --store triples.npz.xz --encoder encoder.npz --out RUNS/no23

`--model` names what is left out (`training.languages.store.MODELS`). A run leaves `scores.npz` (a score
a pair that was not learnt from, by what stood beside it), `figures.json` and the weights.
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

from training.judge import losses
from training.judge.batches import STEP, Maker, ahead, plan
from training.judge.figures import preferences, tau
from training.judge.store import Ints
from training.languages.encoder import Encoder
from training.languages.network import Judge, Whole
from training.languages.store import MODES, Triples, read
from training.steps import Steps

LONGEST = 480
"""Longer rows are not trained on."""
Scores = dict[str, npt.NDArray[np.float32]]


def batches(store: Triples, args: argparse.Namespace) -> list[Ints]:
    """The batches of all passes."""
    rng = random.Random(args.seed)
    longest = np.maximum.reduceat(store.sizes, store.starts[:-1])
    allowed = store[f"use_{args.model}"] & ~store["group_dev"] & (longest <= LONGEST)
    groups = np.flatnonzero(allowed)
    if args.limit:
        groups = np.array(sorted(rng.sample(groups.tolist(), min(args.limit, len(groups)))))
    return [batch for _ in range(args.passes) for batch in plan(store, groups, args.budget, rng)]


def fit(
    whole: Whole, store: Triples, todo: list[Ints], args: argparse.Namespace, device: str
) -> None:
    """Train in place, for all batches or until the clock says stop."""
    judge = whole.judge
    optimiser = torch.optim.AdamW(
        judge.parameters(), lr=args.lr, betas=(0.9, 0.98), weight_decay=0.02, fused=device == "cuda"
    )
    steps = Steps(optimiser, len(todo), args.minutes, told=200)
    judge.train()
    store.mode = None
    for arrays in ahead(Maker(store, args.margin, None), todo):
        batch = {name: torch.from_numpy(value).to(device) for name, value in arrays.items()}
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            score, marks = whole(batch["ids"], batch["side"], batch["chrf"])
        chosen = batch["marked"].float()
        lost = torch.nn.functional.binary_cross_entropy_with_logits(
            marks, batch["marks"], reduction="none"
        )
        parts = {
            "preference": losses.preference(
                score, batch["better"], batch["worse"], batch["weight"]
            ),
            "across": 0.3 * losses.across(score, batch["level"]),
            "marks": 0.2 * (lost * chosen).sum() / chosen.sum().clamp(min=1.0),
        }
        if not steps.take(parts):
            break
    steps.end()


@torch.no_grad()
def scored(
    whole: Whole, store: Triples, pairs: Ints, mode: str, device: str
) -> npt.NDArray[np.float32]:
    """One score a pair of the store, `nan` for those not asked for."""
    found = np.full(len(store.sizes), np.nan, np.float32)
    whole.eval()
    store.mode = mode
    order = pairs[np.argsort(store.sizes[pairs], kind="stable")]
    at = 0
    while at < len(order):
        count = max(1, 49152 // int(store.sizes[order[min(at + 512, len(order) - 1)]]))
        arrays = store.batch(order[at : at + count], STEP)
        inputs = [torch.from_numpy(arrays[n]).to(device) for n in ("ids", "side", "chrf")]
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            found[order[at : at + count]] = whole(*inputs)[0].cpu().numpy()
        at += count
    return found


def figures(
    store: Triples, scores: Scores, only: npt.NDArray[np.bool_]
) -> dict[str, dict[str, float]]:
    """τ (WMT14's) over preferences at least a point apart, by set and direction, beside chrF's."""
    found: dict[str, dict[str, float]] = {}
    for number, name in enumerate(store.subsets):
        groups = only & (store["group_subset"] == number) & store["group_first"]
        groups &= store.groups(kinds=("judged",))
        chosen = preferences(store, groups) & (store["gap"] >= (0.5 if "wmt21" in name else 1.0))
        better, worse, count = (store[n][chosen] for n in ("better", "worse", "count"))
        if not len(better):
            continue
        chrf = store["pair_chrf"].astype(np.float32)
        found[name] = {
            "pairs": len(better),
            "chrf": tau(chrf, better, worse, count, True),
            **{mode: tau(values, better, worse, count, True) for mode, values in scores.items()},
        }
    return found


def train(args: argparse.Namespace) -> None:
    """Train, score what was not learnt from, count, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(args.seed)
    encoder = Encoder(args.encoder)
    store = read(args.store, encoder.vocabulary, args.seed)
    whole = Whole(encoder, Judge(args.width, args.layers, args.dropout)).to(device)
    args.out.mkdir(parents=True, exist_ok=True)
    fit(whole, store, batches(store, args), args, device)
    state = {name: value.half().cpu() for name, value in whole.judge.state_dict().items()}
    torch.save(state, args.out / "judge.pt")
    kept = ~store[f"use_{args.model}"] | store["group_dev"]
    judged = store.groups(kinds=("judged",)) & store["group_first"]
    pairs = np.flatnonzero((kept & judged)[store["pair_group"]])
    if args.limit:
        pairs = pairs[: 4 * args.limit]
    started = time.time()
    scores = {mode: scored(whole, store, pairs, mode, device) for mode in MODES}
    print(f"scored {len(pairs)} pairs in {time.time() - started:.0f}s", flush=True)
    np.savez_compressed(
        args.out / "scores.npz", pairs=pairs, **{m: s[pairs] for m, s in scores.items()}
    )
    report = {
        "arguments": {name: str(value) for name, value in vars(args).items()},
        "dev": figures(store, scores, store[f"use_{args.model}"] & store["group_dev"]),
        "tested": figures(store, scores, ~store[f"use_{args.model}"]),
    }
    (args.out / "figures.json").write_text(json.dumps(report, indent=1))
    for part in ("dev", "tested"):
        for name, values in report[part].items():
            print(args.model, part, name, {k: round(v, 3) for k, v in values.items()}, flush=True)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--model", default="all")
    p.add_argument("--store", type=Path, required=True)
    p.add_argument("--encoder", type=Path, required=True)
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--passes", type=int, default=4)
    p.add_argument("--minutes", type=float, default=4.0)
    p.add_argument("--budget", type=int, default=36864, help="subwords of a batch")
    p.add_argument("--lr", type=float, default=5e-4)
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--width", type=int, default=256)
    p.add_argument("--layers", type=int, default=4)
    p.add_argument("--margin", type=float, default=0.5, help="standard deviations of assessments")
    p.add_argument("--limit", type=int, default=0, help="groups, to try things out")
    return p


if __name__ == "__main__":
    train(parser().parse_args())
