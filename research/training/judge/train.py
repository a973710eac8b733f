"""Train a judge: a teacher on preferences and synthetic errors, or a student on teachers' scores too.

    T="python -m training.judge.train --store research/data/judge.npz.xz --base research/data/mpnet"
    $T --model all --layers 12 --lr 4e-5 --seed 1 --budget 12000 --out RUNS/t-all-1
    $T --model all --layers 12 --rank 32 --lr 2e-4 --seed 2 --soft 0.5 --budget 12000 --out RUNS/t-all-3
    $T --model all --layers 6 --lr 6e-5 --passes 3 --teachers RUNS/t-all-1 RUNS/t-all-3 --out RUNS/s-all

`--model` names the fold: the sets that a model must not see (`training.judge.store.MODELS`). A run writes
`scores.npy` (one score per pair of the store), `figures.json`, weights, and for a student `spread.npy` and
`marks.npz`. A teacher also writes `check.json`, which `training.judge.teachers` reads. Training ends after
its passes or at `--until`, scoring at `--latest`; pairs that come last may then have no score. A run that
was interrupted while scoring continues with `--score-only`.
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
from training.judge.fitting import inputs, train_judge
from training.judge.network import Judge, load, save
from training.judge.store import MODELS, REFERENCE, Bools, Ints, Store
from training.judge.store import load as load_store

TRAINED = "trained"
"""A file that marks a run's weights as final."""
SAMPLE = 3000
"""Development pairs that a teacher is compared with chrF on during training."""
Floats = npt.NDArray[np.float32]


def pairs_of(store: Store, groups: Bools) -> Ints:
    """The pairs of these groups."""
    found: Ints = np.flatnonzero(groups[store["pair_group"]])
    return found


def thin(store: Store, kinds: tuple[str, ...], share: float, rng: np.random.Generator) -> Bools:
    """All groups, but only a share of the groups of these kinds."""
    found: Bools = ~store.groups(kinds=kinds) | (rng.random(len(store["group_kind"])) < share)
    return found


def held_out(store: Store, model: str) -> Bools:
    """Groups for figures: held-out sets, development documents, identical texts, probes."""
    dev = store["group_dev"] & store.groups(kinds=("judged", "synthetic", "paragraph"))
    out = store.groups(sets=MODELS[model], kinds=("judged", "contrast", "paragraph"))
    found: Bools = dev | out | store.groups(kinds=("identity", "probe"))
    return found


def scoring_order(store: Store, model: str, student: bool) -> list[Ints]:
    """Pairs to score, in order of priority. A teacher scores development documents first, because
    they decide whether it is used; then all that students learn from, and then the rest."""
    if student:
        return [pairs_of(store, held_out(store, model))]
    seen = store[f"see_{model}"]
    parts = [
        seen & store["group_dev"] & store.groups(kinds=("judged", "synthetic")),
        seen & store.groups(kinds=("judged", "synthetic")),
        store.groups(sets=MODELS[model], kinds=("judged", "contrast", "synthetic")),
        store.groups(kinds=("probe", "identity")),
        seen & store.groups(kinds=("unjudged",)),
    ]
    done = np.zeros(len(store["group_kind"]), np.bool_)
    found = []
    for groups in parts:
        found.append(pairs_of(store, groups & ~done))
        done |= groups
    return found


def training_groups(store: Store, args: argparse.Namespace, rng: np.random.Generator) -> Bools:
    """The groups of one pass."""
    allowed = store[f"see_{args.model}"] & ~store["group_dev"]
    if args.teachers:
        return allowed & store.groups(
            kinds=("judged", "unjudged", "synthetic", "paragraph", "identity")
        )
    allowed &= store[f"use_{args.model}"]
    allowed &= store.groups(kinds=("judged", "synthetic", "paragraph", "soft"))
    for kinds, share in ((("soft",), args.soft), (("paragraph",), 0.3)):
        allowed &= thin(store, kinds, share, rng)
    many = store.groups(sets=("wmt13",), kinds=("judged",))
    allowed &= ~many | (rng.random(len(many)) < 0.6)
    return allowed


def make_batches(store: Store, args: argparse.Namespace) -> list[Ints]:
    """The batches of all passes."""
    rng, order = np.random.default_rng(args.seed), random.Random(args.seed)
    found: list[Ints] = []
    for _ in range(args.passes):
        groups = np.flatnonzero(training_groups(store, args, rng))
        found += plan(store, groups, args.budget, order)
    return found[: args.limit or None]


def portions(store: Store, pairs: Ints, tokens: int) -> list[Ints]:
    """Pairs of similar length, about so many subwords each, in random order."""
    order = pairs[np.argsort(-store.sizes[pairs], kind="stable")]
    found: list[Ints] = []
    at = 0
    while at < len(order):
        found.append(order[at : at + max(1, tokens // (int(store.sizes[order[at]]) + STEP))])
        at += len(found[-1])
    random.Random(1).shuffle(found)
    return found


class Scorer:
    """Scores and standard errors, one per pair of the store (`nan`: none), and marks."""

    def __init__(self, judge: Judge, feed: Feed, args: argparse.Namespace, exact: bool) -> None:
        self.judge, self.feed, self.args, self.exact = judge.eval(), feed, args, exact
        self.scores, self.spread = np.full((2, len(feed.store.sizes)), np.nan, np.float32)
        self.marks: list[tuple[int, npt.NDArray[np.uint8]]] = []

    @torch.no_grad()
    def score(self, pairs: Ints) -> bool:
        """Score these pairs; false if the time was over. `exact`: in single precision."""
        feed = self.feed
        for chosen in portions(feed.store, pairs, self.args.tokens):
            if time.time() > self.args.latest:
                print("the time for scoring is over: some pairs have no score", flush=True)
                return False
            batch = feed.read(chosen)
            half = feed.device == "cuda" and not self.exact
            with torch.autocast(feed.device, dtype=torch.bfloat16, enabled=half):
                score, spread, marks = self.judge(*inputs(batch))
            self.scores[chosen] = score.float().cpu().numpy()
            self.spread[chosen] = spread.float().cpu().numpy()
            if self.exact and bool(batch["marked"].any()):
                shares = torch.round(torch.sigmoid(marks) * 255).byte().cpu().numpy()
                own = ((batch["cases"] > 0) & (batch["cases"] < REFERENCE)).cpu().numpy()
                marked = batch["marked"].cpu().numpy()
                self.marks += [
                    (int(p), shares[k][own[k]]) for k, p in enumerate(chosen) if marked[k]
                ]
        return True


def check(store: Store, scores: Floats, model: str) -> dict[str, float]:
    """What decides whether a teacher is used: τ on development documents of the sets that it may
    learn from, and r with chrF there. Held-out test sets are not used for this choice."""
    use = store[f"use_{model}"]
    dev = figures.dev(store, scores, use)
    return {"tau": dev["mean"], "chrf": figures.with_chrf(store, scores, use & store["group_dev"])}


def save_scores(folder: Path, scorer: Scorer, student: bool) -> None:
    """Write what was scored; students wait for `scores.npy`."""
    scores = scorer.scores if student else scorer.scores.astype(np.float16)
    np.save(folder / "scores.part.npy", scores)
    if student:
        np.save(folder / "spread.npy", scorer.spread.astype(np.float16))
        flat = [part for _, part in scorer.marks] or [np.zeros((0, 2), np.uint8)]
        which = np.array([pair for pair, _ in scorer.marks], np.int32)
        np.savez_compressed(folder / "marks.npz", pairs=which, marks=np.concatenate(flat))
    (folder / "scores.part.npy").rename(folder / "scores.npy")


def train(args: argparse.Namespace) -> None:
    """Train, check, score, and write figures."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    store = load_store(args.store)
    args.out.mkdir(parents=True, exist_ok=True)
    student = bool(args.teachers)
    more, spread = {}, 1.0
    if student and not args.score_only:
        goal = targets.make(store, [run / "scores.npy" for run in args.teachers], args.model)
        more, spread = {"target": goal.score, "people": goal.people}, goal.spread
        np.save(args.out / "people.npy", goal.people.astype(np.float16))
    feed = Feed(store, device, store[f"use_{args.model}"], **more)
    parts = scoring_order(store, args.model, student)
    if args.limit:
        parts[1:] = [own[:: max(1, len(own) // 200)] for own in parts[1:]]
    tried: list[tuple[int, float]] = []
    if args.score_only:
        judge = load(args.out).to(device)
    else:
        some = parts[0][:: max(1, len(parts[0]) // SAMPLE)]

        def like_chrf(judge: Judge) -> float:
            own = Scorer(judge, feed, args, exact=False)
            own.score(some)
            return figures.with_chrf(store, own.scores, np.ones(len(store.starts) - 1, np.bool_))

        judge, tried = train_judge(feed, lambda: make_batches(store, args), args, spread, like_chrf)
        save(judge, args.out)
        (args.out / TRAINED).touch()
    started = time.time()
    scorer = Scorer(judge, feed, args, exact=student)
    for number, pairs in enumerate(parts):
        going = scorer.score(pairs)
        if number == 0 and not student:
            found = {**check(store, scorer.scores, args.model), "seed": args.seed}
            (args.out / "check.json").write_text(json.dumps(found))
            print(f"check: {found}", flush=True)
        if not going:
            break
    save_scores(args.out, scorer, student)
    count, wanted = int(np.isfinite(scorer.scores).sum()), sum(map(len, parts))
    print(f"scored {count} of {wanted} pairs in {time.time() - started:.0f}s", flush=True)
    report = {
        "arguments": {name: str(value) for name, value in vars(args).items()},
        "tried": tried,
        "scored": [count, wanted],
        "tested": figures.tested(store, scorer.scores, MODELS[args.model]),
        "dev": figures.dev(store, scorer.scores, store[f"use_{args.model}"]),
        "synthetic": figures.synthetic(store, scorer.scores, store["group_dev"]),
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
    p.add_argument("--rank", type=int, default=0, help="LoRA rank; 0 trains all weights")
    p.add_argument("--lr", type=float, default=6e-5, help="learning rate of the encoder")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--passes", type=int, default=2)
    p.add_argument("--budget", type=int, default=16000, help="subwords per batch, with padding")
    p.add_argument("--soft", type=float, default=0.0, help="share of soft labels per pass")
    p.add_argument("--teachers", type=Path, nargs="*", default=[], help="runs of the teachers")
    p.add_argument("--freeze-words", action="store_true", help="keep the word embeddings")
    p.add_argument("--score-only", action="store_true", help="score with the weights in --out")
    p.add_argument(
        "--until", type=float, default=time.time() + 3600, help="end of training (epoch seconds)"
    )
    p.add_argument(
        "--latest", type=float, default=float("inf"), help="end of scoring (epoch seconds)"
    )
    p.add_argument("--restart", type=float, default=150, help="least seconds for another seed")
    p.add_argument("--keep", type=float, default=120, help="seconds between two saved states")
    p.add_argument("--tokens", type=int, default=65536, help="subwords per batch when scoring")
    p.add_argument("--limit", type=int, default=0, help="batches, for a trial")
    return p


if __name__ == "__main__":
    train(parser().parse_args())
