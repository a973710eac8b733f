"""Train a judge: a teacher on preferences and synthetic errors, or a student on teachers' scores
too.

    T="python -m training.judge.train --store research/data/judge.npz.xz --base research/data/mpnet"
    $T --model all --layers 12 --lr 4e-5 --seed 1 --budget 12000 --out RUNS/t-all-1
    $T --model all --layers 12 --rank 32 --lr 2e-4 --seed 2 --soft 0.5 --out RUNS/t-all-3
    $T --model all --layers 6 --lr 6e-5 --passes 3 --teachers RUNS/t-all-1 --out RUNS/s-all

`--model` names the fold: the sets that a model must not see (`training.judge.store.MODELS`). A run
writes `scores.npy` (one score per pair of the store), `figures.json`, weights, and for a student
`spread.npy` and `marks.npz`. A teacher also writes `check.json`, which `training.judge.teachers`
reads. Training ends after its passes or at `--until`, scoring at `--latest`; pairs that come last
may then have no score. A run that was interrupted while scoring continues with `--score-only`.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from training.judge import figures, targets
from training.judge.batches import STEP, Feed, plan
from training.judge.fitting import Settings, inputs, train_judge
from training.judge.network import Judge, load, save
from training.judge.store import MODELS, REFERENCE, Bools, Ints, Store
from training.judge.store import load as load_store
from training.options import read_options

SAMPLE = 3000
"""Development pairs that a teacher is compared with chrF on during training."""
Floats = npt.NDArray[np.float32]


def thin(store: Store, kinds: tuple[str, ...], share: float, rng: np.random.Generator) -> Bools:
    """Return all groups, but only a share of the groups of these kinds."""
    return ~store.groups(kinds=kinds) | (rng.random(len(store["group_kind"])) < share)


def scoring_order(store: Store, model: str, student: bool) -> list[Ints]:
    """Return pairs to score, in order of priority.

    A student scores what figures need: held-out sets, development documents, identical texts,
    probes. A teacher scores development documents first, because they decide whether it is used;
    then all that students learn from, and then the rest."""
    tests, seen, dev = MODELS[model], store[f"see_{model}"], store["group_dev"]
    if student:
        chosen = dev & store.groups(kinds=("judged", "synthetic", "paragraph"))
        chosen |= store.groups(sets=tests, kinds=("judged", "contrast", "paragraph"))
        return [store.pairs(chosen | store.groups(kinds=("identity", "probe")))]
    parts = [
        seen & dev & store.groups(kinds=("judged", "synthetic")),
        seen & store.groups(kinds=("judged", "synthetic")),
        store.groups(sets=tests, kinds=("judged", "contrast", "synthetic")),
        store.groups(kinds=("probe", "identity")),
        seen & store.groups(kinds=("unjudged",)),
    ]
    done = np.zeros(len(store["group_kind"]), np.bool_)
    found = []
    for groups in parts:
        found.append(store.pairs(groups & ~done))
        done |= groups
    return found


def training_groups(store: Store, settings: Settings, rng: np.random.Generator) -> Bools:
    """Return the groups of one pass."""
    allowed = store[f"see_{settings.model}"] & ~store["group_dev"]
    if settings.teachers:
        kinds = ("judged", "unjudged", "synthetic", "paragraph", "identity")
        return allowed & store.groups(kinds=kinds)
    allowed &= store[f"use_{settings.model}"]
    allowed &= store.groups(kinds=("judged", "synthetic", "paragraph", "soft"))
    for own, share in ((("soft",), settings.soft), (("paragraph",), 0.3)):
        allowed &= thin(store, own, share, rng)
    many = store.groups(sets=("wmt13",), kinds=("judged",))
    return allowed & (~many | (rng.random(len(many)) < 0.6))


def make_batches(store: Store, settings: Settings) -> list[Ints]:
    """Return the batches of all passes."""
    rng, order = np.random.default_rng(settings.seed), random.Random(settings.seed)
    found: list[Ints] = []
    for _ in range(settings.passes):
        groups = np.flatnonzero(training_groups(store, settings, rng))
        found += plan(store, groups, settings.budget, order)
    return found[: settings.limit or None]


def portions(store: Store, pairs: Ints, tokens: int) -> list[Ints]:
    """Return pairs of similar length, about so many subwords each, in random order."""
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

    def __init__(self, judge: Judge, feed: Feed, settings: Settings, exact: bool) -> None:
        self.judge, self.feed, self.settings, self.exact = judge.eval(), feed, settings, exact
        self.scores, self.spread = np.full((2, len(feed.store.sizes)), np.nan, np.float32)
        self.marks: list[tuple[int, npt.NDArray[np.uint8]]] = []

    @torch.no_grad()
    def score(self, pairs: Ints) -> bool:
        """Score these pairs; false if the time was over. `exact`: in single precision."""
        feed = self.feed
        for chosen in portions(feed.store, pairs, self.settings.tokens):
            if time.time() > self.settings.latest:
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
                for k in torch.nonzero(batch["marked"]).flatten().tolist():
                    self.marks.append((int(chosen[k]), shares[k][own[k]]))
        return True


def check(store: Store, scores: Floats, model: str) -> dict[str, float]:
    """Return what decides whether a teacher is used.

    τ on development documents of the sets that it may learn from, and r with chrF there. Held-out
    test sets are not used for this choice."""
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


def make_judge(
    store: Store, feed: Feed, settings: Settings, dev: Ints, spread: float
) -> tuple[Judge, list[tuple[int, float]]]:
    """Return a judge, trained or read, and the seeds and rates that were tried."""
    if settings.score_only:
        return load(settings.out).to(feed.device), []
    some = dev[:: max(1, len(dev) // SAMPLE)]

    def like_chrf(judge: Judge) -> float:
        own = Scorer(judge, feed, settings, exact=False)
        own.score(some)
        return figures.with_chrf(store, own.scores, np.ones(len(store.starts) - 1, np.bool_))

    judge, tried = train_judge(
        feed, lambda: make_batches(store, settings), settings, spread, like_chrf
    )
    save(judge, settings.out)
    (settings.out / "trained").touch()
    return judge, tried


def train(settings: Settings) -> None:
    """Train, check, score, and write figures."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    store, model = load_store(settings.store), settings.model
    settings.out.mkdir(parents=True, exist_ok=True)
    student = bool(settings.teachers)
    more, spread = {}, 1.0
    if student and not settings.score_only:
        goal = targets.make(store, [run / "scores.npy" for run in settings.teachers], model)
        more, spread = {"target": goal.score, "people": goal.people}, goal.spread
        np.save(settings.out / "people.npy", goal.people.astype(np.float16))
    feed = Feed(store, device, store[f"use_{model}"], **more)
    parts = scoring_order(store, model, student)
    if settings.limit:
        parts[1:] = [own[:: max(1, len(own) // 200)] for own in parts[1:]]
    judge, tried = make_judge(store, feed, settings, parts[0], spread)
    started = time.time()
    scorer = Scorer(judge, feed, settings, exact=student)
    for number, pairs in enumerate(parts):
        going = scorer.score(pairs)
        if number == 0 and not student:
            found = {**check(store, scorer.scores, model), "seed": settings.seed}
            (settings.out / "check.json").write_text(json.dumps(found))
            print(f"check: {found}", flush=True)
        if not going:
            break
    save_scores(settings.out, scorer, student)
    count, wanted = int(np.isfinite(scorer.scores).sum()), sum(map(len, parts))
    print(f"scored {count} of {wanted} pairs in {time.time() - started:.0f}s", flush=True)
    report = {
        "tried": tried,
        "scored": [count, wanted],
        "tested": figures.tested(store, scorer.scores, MODELS[model]),
        "dev": figures.dev(store, scorer.scores, store[f"use_{model}"]),
        "synthetic": figures.synthetic(store, scorer.scores, store["group_dev"]),
    }
    arguments = {name: str(value) for name, value in asdict(settings).items()}
    text = json.dumps({"arguments": arguments, **report}, indent=1)
    (settings.out / "figures.json").write_text(text)
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    train(read_options(Settings))
