"""Train a cloze head on a judge's encoder, and test it.

    python -m training.cloze.train --judge RUNS/s-all --store research/data/cloze.npz.xz --out RUNS/cloze

Leaves `adapter.npz` (at most 4 MB) and `figures.json`: accuracy on documents kept aside; the area under the
curve for pronouns and connectives of GUM that were exchanged, and for pronouns of newstest20 that two
experts marked; all of them in the true context and in another document's. A word is told by the logarithm
of its class's probability, as it is and beside how frequent the class is; intervals are over documents.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.cloze.network import Cloze, save
from training.cloze.store import LEARNT, Floats, Places
from training.cloze.words import CLASSES, FIRST_CONNECTIVE
from training.judge import network
from training.judge.store import Array, Ints, read_arrays
from training.steps import Steps

HIDDEN = 6
"""Places of one text that are hidden at once, at the most."""
Text = tuple[Array, Array, Ints]


def batch(texts: Sequence[Text], device: str) -> dict[str, Tensor]:
    """Padded texts and where their masks stand."""
    width = -(-max(len(ids) for ids, _, _ in texts) // 8) * 8
    flat = np.zeros((3, len(texts), width), np.int64)
    for k, (ids, cases, _) in enumerate(texts):
        flat[0, k, : len(ids)], flat[1, k, : len(ids)], flat[2, k, : len(ids)] = ids, 1, cases
    rows = np.concatenate([np.full((places >= 0).sum(), k) for k, (*_, places) in enumerate(texts)])
    at = np.concatenate([places[places >= 0] for *_, places in texts])
    arrays = dict(zip(("ids", "mask", "cases"), flat, strict=True))
    arrays |= {"row": rows.astype(np.int64), "at": at}
    return {name: torch.from_numpy(value).to(device) for name, value in arrays.items()}


def windows(places: Places, size: int, rng: random.Random) -> list[list[Ints]]:
    """One pass: every document cut into windows around places, some of the places in each hidden; in
    batches of `size` texts."""
    chosen = places.chosen("train")
    table = places.table
    found: list[Ints] = []
    at = 0
    order = chosen[np.lexsort((table[chosen, 2], table[chosen, 1]))]
    while at < len(order):
        first = order[min(len(order) - 1, at + rng.randrange(8))]
        start, stop = places.window(table[first], 420)
        low = places.begins[table[first, 1]]
        end = at
        while (
            end < len(order)
            and table[order[end], 1] == table[order[at], 1]
            and table[order[end], 3] + low < stop
        ):
            end += 1
        inside = [n for n in order[at : max(end, at + 1)] if table[n, 2] + low >= start]
        some = rng.sample(inside, min(HIDDEN, len(inside))) if inside else []
        if first in some or some:
            lead = first if first in some else some[0]
            found.append(np.array([lead, *(n for n in some if n != lead)], np.int64))
        at = max(end, at + 1)
    rng.shuffle(found)
    return [found[k : k + size] for k in range(0, len(found), size)]


def goal(places: Places, numbers: Ints, where: Ints) -> Ints:
    """The classes of those places whose masks are there."""
    return np.asarray(places.table[numbers, 6][where >= 0])


def fit(cloze: Cloze, places: Places, args: argparse.Namespace, device: str) -> int:
    """Train by the clock; the steps it took."""
    rng = random.Random(args.seed)
    parameters = list(cloze.learnt().values())
    optimiser = torch.optim.AdamW(parameters, lr=args.lr, weight_decay=0.01)
    minutes = max(args.until - time.time() - args.aside, 1.0) / 60
    total = args.limit or 10**6
    steps = Steps(optimiser, total, minutes)
    cloze.train()
    while True:
        for some in windows(places, args.texts, rng):
            texts = [places.read(numbers) for numbers in some]
            wanted = [goal(places, n, t[2]) for n, t in zip(some, texts, strict=True)]
            target = torch.from_numpy(np.concatenate(wanted)).to(device)
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                logs = cloze(**batch(texts, device))
            pronoun = target < FIRST_CONNECTIVE
            lost = torch.nn.functional.nll_loss(logs, target, reduction="none")
            parts = {
                "pronouns": lost[pronoun].sum() / max(1, len(target)),
                "connectives": lost[~pronoun].sum() / max(1, len(target)),
            }
            if not steps.take(parts):
                steps.end()
                return steps.taken


@torch.no_grad()
def said(cloze: Cloze, texts: Sequence[Text], device: str, size: int) -> Floats:
    """Log probabilities of all classes for texts with one mask each."""
    cloze.eval()
    found = np.zeros((len(texts), len(CLASSES)))
    order = np.argsort([len(ids) for ids, *_ in texts], kind="stable")
    for k in range(0, len(order), size):
        some = order[k : k + size]
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            logs = cloze(**batch([texts[n] for n in some], device))
        found[some] = logs.double().cpu().numpy()
    return found


def area(wrong: Floats, right: Floats) -> float:
    """How often what is wrong scores below what is right; a tie is half."""
    if not len(wrong) or not len(right):
        return float("nan")
    order = np.sort(right)
    above = len(right) - np.searchsorted(order, wrong, "right")
    same = np.searchsorted(order, wrong, "right") - np.searchsorted(order, wrong, "left")
    return float((above + same / 2).mean() / len(right))


def areas(scores: Floats, right: Array, documents: Ints, samples: int = 300) -> list[float]:
    """The area under the curve with 95 % of samples of documents."""
    rng = np.random.default_rng(15)
    names, of = np.unique(documents, return_inverse=True)
    drawn = []
    for _ in range(samples):
        counts = np.bincount(rng.integers(len(names), size=len(names)), minlength=len(names))
        often = np.repeat(np.arange(len(scores)), counts[of])
        drawn.append(area(scores[often][~right[often]], scores[often][right[often]]))
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    whole = area(scores[~right], scores[right])
    return [round(float(x), 4) for x in (whole, low, high)]


def tested(
    cloze: Cloze, places: Places, device: str, args: argparse.Namespace
) -> dict[str, object]:
    """All figures."""
    table = places.table
    prior = np.log(np.bincount(table[places.chosen("train"), 6], minlength=len(CLASSES)) + 1.0)
    found: dict[str, object] = {}
    rng = random.Random(3)
    for test in (name for name in places.tests if name != LEARNT[0]):
        chosen = places.chosen(test)
        if args.limit:
            chosen = np.sort(np.array(rng.sample(chosen.tolist(), min(len(chosen), args.sample))))
        if not len(chosen) or time.time() > args.latest:
            continue
        texts = [places.read(chosen[k : k + 1]) for k in range(len(chosen))]
        own = table[chosen, 6]
        logs = said(cloze, texts, device, args.texts)
        if test == LEARNT[1]:
            found[test] = accuracy(logs, own)
            continue
        documents = np.unique(table[chosen, 1])
        others = [
            int(rng.choice([d for d in documents if d != table[n, 1]] or [table[n, 1]]))
            for n in chosen
        ]
        apart = [places.elsewhere(int(n), o) for n, o in zip(chosen, others, strict=True)]
        right = table[chosen, 7] == 1
        group = np.where(table[chosen, 8] >= 0, table[chosen, 8], table[chosen, 1])
        at = np.arange(len(chosen))
        figures: dict[str, object] = {"right": int(right.sum()), "wrong": int((~right).sum())}
        for name, values in (
            ("true context", logs),
            ("another context", said(cloze, apart, device, args.texts)),
        ):
            plain = values[at, own]
            figures[name] = areas(plain, right, group)
            figures[f"{name}, beside frequency"] = areas(plain - prior[own], right, group)
        found[test] = figures
    return found


def accuracy(logs: Floats, own: Ints) -> dict[str, float]:
    """How often the likeliest class is the true one, for pronouns' places and connectives'."""
    found = {}
    for name, low, high in (
        ("pronouns", 0, FIRST_CONNECTIVE),
        ("connectives", FIRST_CONNECTIVE, len(CLASSES)),
    ):
        mine = (own >= low) & (own < high)
        if mine.any():
            told = logs[mine, low:high].argmax(1) + low
            found[name] = round(float((told == own[mine]).mean()), 4)
            found[f"{name}, always the most frequent"] = round(
                float(np.bincount(own[mine]).max() / mine.sum()), 4
            )
    return found


def main() -> None:
    """Train, test, save."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--judge", type=Path, required=True, help="a trained judge")
    parser.add_argument("--store", type=Path, default=Path("research/data/cloze.npz.xz"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tower", type=int, default=2)
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--texts", type=int, default=64, help="of a batch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--until", type=float, default=time.time() + 240, help="end of all but tests"
    )
    parser.add_argument(
        "--aside", type=float, default=0.0, help="seconds kept for tests before that"
    )
    parser.add_argument(
        "--latest", type=float, default=float("inf"), help="no test begins after it"
    )
    parser.add_argument("--limit", type=int, default=0, help="steps, to try things out")
    parser.add_argument("--sample", type=int, default=40, help="of each test, then")
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(args.seed)
    places = Places.of(read_arrays(args.store))
    cloze = Cloze(network.load(args.judge).encoder, args.tower, args.rank).to(device)
    steps = fit(cloze, places, args, device)
    save(cloze, args.out / "adapter.npz")
    report = {
        "arguments": {name: str(value) for name, value in vars(args).items()},
        "steps": steps,
        "numbers": sum(p.numel() for p in cloze.learnt().values()),
        "bytes": (args.out / "adapter.npz").stat().st_size,
        **tested(cloze, places, device, args),
    }
    (args.out / "figures.json").write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
