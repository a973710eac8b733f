"""Fit the marks of a trained judge again, with synthetic errors; all else stays as it is.

    python -m training.judge.marks RUN --weights EXPORTED --out NEW

`RUN` is a trained judge, `EXPORTED` what `training.judge.export` wrote of it, `NEW` the folder of the new
judge. Experts' error spans are in translations that differ from the reference in many ways. A judge that
learned from them alone doesn't mark the one wrong word of a sentence that is otherwise the reference. So two
logistic regressions on the states of the last layer learn from experts' marks, references with one synthetic
error, and unchanged references. Prints the effect on development documents and on errors in other lines.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from albeit.metrics.judge.network import Inputs, Network, Pair
from training.judge.batches import Feed
from training.judge.segments import lines
from training.judge.store import REFERENCE, Bools, Store, load
from training.judge.synthetic import Vocabulary
from training.judge.synthetic_english import EnglishErrors

STATES = "blocks.5.norm.out"
KINDS = (
    "antonym",
    "addition",
    "connective",
    "doubled word",
    "function word",
    "gender",
    "inflection",
    "misspelling",
    "name",
    "negation",
    "number",
    "person",
    "pronoun",
    "quantifier",
    "tense",
    "wrong word",
)
"""Synthetic errors that are wrong words, not missing ones."""
SYNTHETIC = 0.15
"""The weight of synthetic errors relative to experts' marks."""
UNTOUCHED = 0.3
"""The weight of a subword of an unchanged reference."""
LIMIT = 45
"""The most words of a text that gets an error."""
NEAR = 1e-4
"""The weight of the distance to the old weights."""
Floats = npt.NDArray[np.float32]
Part = tuple[Floats, Floats]


def with_errors(texts: list[str], count: int, seed: int) -> list[tuple[Pair, set[int]]]:
    """References with one synthetic error, and the positions of the wrong words."""
    rng = random.Random(seed)
    errors = EnglishErrors(rng, Vocabulary(texts))
    fits = [text for text in texts if 6 <= len(text.split()) <= LIMIT]
    found: list[tuple[Pair, set[int]]] = []
    while len(found) < count:
        text = rng.choice(fits)
        changed = errors.types[rng.choice(KINDS)](text.split())
        if changed is not None and changed[0] != text.split():
            found.append(((" ".join(changed[0]), text), changed[1]))
    return found


def synthetic_states(network: Network, cases: list[tuple[Pair, set[int]]]) -> Part:
    """States of the translations' subwords, and whether they are wrong (by nothing: a minor error)."""
    states, wrong = [], []
    for pair, places in cases:
        words = network.subwords([pair[0].split()])
        first = [*words.first.tolist(), len(words.ids)]
        goal = np.zeros((len(words.ids), 2), np.float32)
        for at in places & set(range(len(first) - 1)):
            goal[first[at] : first[at + 1], 0] = 1
        (batch,) = network.inputs([pair])
        states.append(network.states(batch, [STATES])[STATES][0, 1 : len(goal) + 1])
        wrong.append(goal)
    return np.concatenate(states), np.concatenate(wrong)


def experts(network: Network, store: Store, groups: Bools, count: int) -> Part:
    """States of translations' subwords, and the shares of raters that marked them."""
    feed = Feed(store, "cpu", np.zeros(len(store.starts) - 1, np.bool_))
    known = np.flatnonzero(store["text_marked"][store["pair_text"]] & groups[store["pair_group"]])
    rng = np.random.default_rng(1)
    chosen = rng.choice(known, min(count, len(known)), replace=False)
    states, shares = [], []
    for some in np.array_split(chosen[np.argsort(store.sizes[chosen])], -(-len(chosen) // 8)):
        batch = feed.read(some)
        inputs = Inputs(*(batch[name].numpy() for name in ("ids", "mask", "cases", "facts")))
        mine = ((batch["cases"] > 0) & (batch["cases"] < REFERENCE)).numpy()
        states.append(network.states(inputs, [STATES])[STATES][mine])
        shares.append(batch["marks"].numpy()[mine])
    return np.concatenate(states), np.concatenate(shares)


def fitted(parts: list[tuple[Part, float]], weight: Floats, bias: Floats) -> tuple[Floats, Floats]:
    """Weights of both regressions, beginning at the old ones; each part with what it weighs."""
    x = torch.from_numpy(np.concatenate([states for (states, _), _ in parts]))
    y = torch.from_numpy(np.concatenate([goal for (_, goal), _ in parts]))
    share = torch.cat([torch.full((len(goal),), weighs) for (_, goal), weighs in parts])
    old = torch.from_numpy(weight)
    w, b = old.clone().requires_grad_(), torch.from_numpy(bias).clone().requires_grad_()
    steps = torch.optim.LBFGS([w, b], max_iter=60, line_search_fn="strong_wolfe")

    def lost() -> torch.Tensor:
        steps.zero_grad()
        each = binary_cross_entropy_with_logits(x @ w.t() + b, y, reduction="none").sum(1)
        whole = (each * share).sum() / share.sum() + NEAR * (w - old).square().sum()
        whole.backward()  # type: ignore[no-untyped-call]
        return whole

    steps.step(lost)  # type: ignore[no-untyped-call]
    return w.detach().numpy(), b.detach().numpy()


def area(scores: Floats, wrong: Bools) -> float:
    """How often what is wrong scores above what is not."""
    ranks = np.argsort(np.argsort(scores))
    n = int(wrong.sum())
    return float((ranks[wrong].sum() - n * (n - 1) / 2) / (n * (len(scores) - n)))


def f1(scores: Floats, wrong: Bools) -> float:
    """F1 when as many subwords are marked as experts marked."""
    return float(wrong[np.argsort(-scores)[: int(wrong.sum())]].mean())


def looked(weight: Floats, bias: Floats, made: Part, judged: Part) -> dict[str, float]:
    """What marks are worth."""
    ours, theirs = (1 / (1 + np.exp(-(part[0] @ weight.T + bias))) for part in (made, judged))
    wrong = made[1][:, 0] > 0
    return {
        "synthetic errors, area": area(ours[:, 0], wrong),
        "synthetic errors found": float((ours[wrong].max(1) >= 0.3).mean()),
        "false": float((ours[~wrong].max(1) >= 0.3).mean()),
        "experts, F1 any": f1(theirs.sum(1), judged[1].sum(1) > 0),
        "experts, F1 major": f1(theirs[:, 0], judged[1][:, 0] > 0),
    }


def main() -> None:
    """Read, fit, write, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--store", type=Path, default=Path("research/data/judge.npz.xz"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    args = parser.parse_args()
    network = Network(args.weights)
    store = load(args.store)
    marked = store["use_all"] & store["group_first"]
    marked &= store.groups(sets=("newstest21", "wmt23"), kinds=("judged",))
    texts = lines(args.data / "wmt13/de-en/ref.txt")
    learn, test = with_errors(texts[:2000], 1500, 1), with_errors(texts[2000:], 400, 2)
    copies = synthetic_states(network, [((text, text), set()) for text in texts[:120]])
    judged = experts(network, store, marked & ~store["group_dev"], 2500)
    made = synthetic_states(network, learn)
    weighs = SYNTHETIC * len(judged[1]) / len(made[1])
    with np.load(args.run / "weights.npz", allow_pickle=False) as file:
        state = {name: file[name] for name in file.files}
    old = tuple(state[f"head.marks.{name}"].astype(np.float32) for name in ("weight", "bias"))
    new = fitted([(judged, 1.0), (made, weighs), (copies, UNTOUCHED)], *old)
    tests = (
        synthetic_states(network, test),
        experts(network, store, marked & store["group_dev"], 600),
    )
    args.out.mkdir(parents=True, exist_ok=True)
    for name, value in zip(("weight", "bias"), new, strict=True):
        state[f"head.marks.{name}"] = value.astype(np.float16)
    np.savez(args.out / "weights.npz", allow_pickle=False, **state)
    shutil.copy(args.run / "shape.json", args.out)
    print(json.dumps({"before": looked(*old, *tests), "after": looked(*new, *tests)}, indent=1))


if __name__ == "__main__":
    main()
