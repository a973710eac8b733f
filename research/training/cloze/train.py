"""Train a cloze head on a judge's encoder, and test it.

    python -m training.cloze.train --judge RUNS/s-all --out RUNS/cloze

Writes `adapter.npz` (at most 4 MB) and `figures.json`: accuracy on held-out documents. An exported
head was tested on exchanged words by `experiments/fits.py` of commit aefd99ff.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from albeit.metrics.judge.cloze import CLASSES, FIRST_CONNECTIVE
from training.cloze.network import Cloze, save
from training.cloze.store import CLASS, Floats, Places
from training.judge import network
from training.judge.store import Array, Ints, read_arrays
from training.options import read_options
from training.steps import Steps

HIDDEN = 6
"""Places of one text that are hidden at once, at the most."""
Text = tuple[Array, Array, Ints]


@dataclass(kw_only=True)
class Settings:
    """The options of a training."""

    judge: Path
    store: Path = Path("research/data/cloze.npz.xz")
    out: Path
    tower: int = 2
    lr: float = 5e-4
    texts: int = 64
    """Per batch."""
    seed: int = 1
    until: float = 0.0
    """The end of all but tests in epoch seconds; 0: in four minutes."""
    aside: float = 0.0
    """Seconds kept for tests before that."""
    limit: int = 0
    """Steps, for a trial."""
    sample: int = 40
    """Of each test, in a trial."""

    def __post_init__(self) -> None:
        self.until = self.until or time.time() + 240


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
    """One pass: every document cut into windows around places, some of the places in each hidden;
    in
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
    return np.asarray(places.table[numbers, CLASS][where >= 0])


def fit(cloze: Cloze, places: Places, settings: Settings, device: str) -> int:
    """Train by the clock; the steps it took."""
    rng = random.Random(settings.seed)
    parameters = list(cloze.learnt().values())
    optimiser = torch.optim.AdamW(parameters, lr=settings.lr, weight_decay=0.01)
    minutes = max(settings.until - time.time() - settings.aside, 1.0) / 60
    total = settings.limit or 10**6
    steps = Steps(optimiser, total, minutes)
    cloze.train()
    while True:
        for some in windows(places, settings.texts, rng):
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
def predict(cloze: Cloze, texts: Sequence[Text], device: str, size: int) -> Floats:
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


def measure(cloze: Cloze, places: Places, device: str, settings: Settings) -> dict[str, float]:
    """Return the accuracy on held-out documents."""
    chosen = places.chosen("dev")
    if settings.limit:
        chosen = chosen[:: max(1, len(chosen) // settings.sample)]
    if not len(chosen):
        return {}
    texts = [places.read(chosen[k : k + 1]) for k in range(len(chosen))]
    return accuracy(predict(cloze, texts, device, settings.texts), places.table[chosen, CLASS])


def accuracy(logs: Floats, own: Ints) -> dict[str, float]:
    """How often the likeliest class is the true one, for pronouns' places and connectives'."""
    found = {}
    bounds = (0, FIRST_CONNECTIVE, len(CLASSES))
    for name, low, high in zip(("pronouns", "connectives"), bounds, bounds[1:], strict=False):
        mine = (own >= low) & (own < high)
        if mine.any():
            right = logs[mine, low:high].argmax(1) + low == own[mine]
            most = np.bincount(own[mine]).max() / mine.sum()
            found[name] = round(float(right.mean()), 4)
            found[f"{name}, always the most frequent"] = round(float(most), 4)
    return found


def main(settings: Settings) -> None:
    """Train, test, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(settings.seed)
    places = Places.of(read_arrays(settings.store))
    cloze = Cloze(network.load(settings.judge).encoder, settings.tower).to(device)
    steps = fit(cloze, places, settings, device)
    save(cloze, settings.out / "adapter.npz")
    report = {
        "arguments": {name: str(value) for name, value in asdict(settings).items()},
        "steps": steps,
        "bytes": (settings.out / "adapter.npz").stat().st_size,
        "dev": measure(cloze, places, device, settings),
    }
    (settings.out / "figures.json").write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main(read_options(Settings))
