"""Fit the marks of a trained judge again, with synthetic errors; all else stays as it is.

    python -m training judge.marks RUN --weights EXPORTED --out NEW

`RUN` is a trained judge, `EXPORTED` what `training.judge.export` wrote of it, `NEW` the folder of
the new judge. Experts' error spans are in translations that differ from the reference in many
ways. A judge that learned from them alone doesn't mark the one wrong word of a sentence that is
otherwise the reference. So two logistic regressions on the states of the last layer learn from
experts' marks, references with one synthetic error, and unchanged references. Prints the effect on
development documents and on errors in other lines.
"""

from __future__ import annotations

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
from training.options import DATA
from training.synthetic import ErrorMaker, Vocabulary

STATES = "blocks.5.norm.out"
KINDS = ("antonym", "addition", "connective", "doubled word", "function word", "gender")
KINDS += ("inflection", "misspelling", "name", "negation", "number", "person", "pronoun")
KINDS += ("quantifier", "tense", "wrong word")
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
Weights = tuple[Floats, Floats]


def add_errors(texts: list[str], count: int, seed: int) -> list[tuple[Pair, set[int]]]:
    """References with one synthetic error, and the positions of the wrong words."""
    rng = random.Random(seed)
    errors = ErrorMaker(rng, Vocabulary(texts), "en")
    fits = [text for text in texts if 6 <= len(text.split()) <= LIMIT]
    found: list[tuple[Pair, set[int]]] = []
    while len(found) < count:
        text = rng.choice(fits)
        changed = errors.types[rng.choice(KINDS)](text.split())
        if changed is not None and changed[0] != text.split():
            found.append(((" ".join(changed[0]), text), changed[1]))
    return found


def synthetic_states(network: Network, cases: list[tuple[Pair, set[int]]]) -> Part:
    """States of the translations' subwords, and whether they are wrong (by nothing: a minor
    error)."""
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


def fit(parts: list[tuple[Part, float]], weights: Weights) -> Weights:
    """Weights of both regressions, beginning at the old ones; each part with what it weighs."""
    x = torch.from_numpy(np.concatenate([states for (states, _), _ in parts]))
    y = torch.from_numpy(np.concatenate([goal for (_, goal), _ in parts]))
    share = torch.cat([torch.full((len(goal),), weighs) for (_, goal), weighs in parts])
    old = torch.from_numpy(weights[0])
    w, b = old.clone().requires_grad_(), torch.from_numpy(weights[1]).clone().requires_grad_()
    steps = torch.optim.LBFGS([w, b], max_iter=60, line_search_fn="strong_wolfe")

    def lost() -> torch.Tensor:
        steps.zero_grad()
        each = binary_cross_entropy_with_logits(x @ w.t() + b, y, reduction="none").sum(1)
        whole = (each * share).sum() / share.sum() + NEAR * (w - old).square().sum()
        whole.backward()  # type: ignore[no-untyped-call]
        return whole

    steps.step(lost)  # type: ignore[no-untyped-call]
    return w.detach().numpy(), b.detach().numpy()


def area(scores: npt.NDArray[np.floating], right: Bools) -> float:
    """Return how often what is right scores above what is wrong; a tie is half."""
    good, bad = np.sort(scores[right]), scores[~right]
    above = 2 * len(good) - sum(np.searchsorted(good, bad, side) for side in ("left", "right"))
    return float(above.mean() / 2 / len(good))


def compare(weights: Weights, synthetic: Part, judged: Part) -> dict[str, float]:
    """Return what marks are worth: on synthetic errors, and F1 with experts' marks."""
    logits = (states @ weights[0].T + weights[1] for states, _ in (synthetic, judged))
    made, said = (1 / (1 + np.exp(-each)) for each in logits)
    marked = judged[1].sum(1) > 0
    found = np.argsort(-said.sum(1))[: int(marked.sum())]
    return {
        "synthetic errors, area": area(made[:, 0], synthetic[1][:, 0] > 0),
        "experts, F1 any": float(marked[found].mean()),
    }


def main(
    run: Path,
    *,
    weights: Path,
    out: Path,
    store: Path = Path("research/data/judge.npz.xz"),
    data: Path = DATA,
) -> None:
    """Read, fit, write, print."""
    network, judge_store = Network(weights), load(store)
    marked = judge_store["use_all"] & judge_store["group_first"]
    marked &= judge_store.groups(sets=("newstest21", "wmt23"), kinds=("judged",))
    dev = judge_store["group_dev"]
    texts = lines(data / "wmt13/de-en/ref.txt")
    learn, test = add_errors(texts[:2000], 1500, 1), add_errors(texts[2000:], 400, 2)
    copies = synthetic_states(network, [((text, text), set()) for text in texts[:120]])
    judged = experts(network, judge_store, marked & ~dev, 2500)
    made = synthetic_states(network, learn)
    share = SYNTHETIC * len(judged[1]) / len(made[1])
    with np.load(run / "weights.npz", allow_pickle=False) as file:
        state = {name: file[name] for name in file.files}
    names = ("head.marks.weight", "head.marks.bias")
    old = (state[names[0]].astype(np.float32), state[names[1]].astype(np.float32))
    new = fit([(judged, 1.0), (made, share), (copies, UNTOUCHED)], old)
    tests = synthetic_states(network, test), experts(network, judge_store, marked & dev, 600)
    out.mkdir(parents=True, exist_ok=True)
    state |= {name: value.astype(np.float16) for name, value in zip(names, new, strict=True)}
    np.savez(out / "weights.npz", allow_pickle=False, **state)
    shutil.copy(run / "shape.json", out)
    print(json.dumps({"before": compare(old, *tests), "after": compare(new, *tests)}, indent=1))
