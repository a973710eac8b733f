"""Fit the head of a judge anew on a CPU, on the 8-bit states of an encoder that stays as it is.

    python -m training.judge.refit RUN --out NEW [--store research/data/judge.npz.xz] [--data ../shared/data]

`RUN` holds a trained judge (`weights.npz`, `shape.json`); its head is not read. The encoder is written
in 8 bits as it ships, reads a sample of the store once, and three small heads of other seeds learn from
what it says: people's preferences, levels of experts across segments, references beside themselves at
the top and what is no translation at the bottom. The three are one head of their joint width, whose
score is their mean. Because states are those of the shipped file, the head knows what bytes cost.
The judge that ships was made this way from the student of `run.sh`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import helper
from torch import Tensor, nn
from torch.nn import functional as fn

from training.judge import export, losses, targets
from training.judge.batches import STEP, Feed
from training.judge.network import FACTS, HIDDEN, load, save
from training.judge.store import REFERENCE, Bools, Ints, Store
from training.judge.store import load as load_store

JOINED, STATES = "head.joined", "blocks.{}.norm.out"
"""What the graph calls the head's input, and the last layer's output."""
SEEDS = (1, 2, 3)
SAMPLE = {
    "judged": {"wmt13": 330, "wmt12": 480, "wmt21": 190, "newstest21": 95, "wmt23": 125, "ted": 55},
    "damage": dict.fromkeys(("wmt12", "wmt13", "wmt21", "wmt23", "newstest21"), 40),
    "identity": dict.fromkeys(("wmt12", "wmt13", "wmt21", "wmt23"), 38),
    "paragraph": dict.fromkeys(("wmt12", "wmt13", "wmt21", "wmt23", "newstest21"), 12),
}
"""Groups of each kind and set; 15,000 pairs, a quarter of an hour on two cores."""
EXPERT = ("newstest21", "wmt23", "ted")
TOP, BOTTOM = 2.2, 3.5
"""Standard deviations of scores above (below) which the ends of the scale should lie."""
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Read:
    """What the encoder says of some pairs of the store."""

    pairs: Ints
    joined: Tensor
    facts: Tensor
    marked: dict[int, tuple[Floats, Floats]]
    """States and shares of experts' marks, for each subword of marked translations."""


def sampled(store: Store, allowed: Bools) -> Ints:
    """The pairs to learn from: whole groups."""
    rng = np.random.default_rng(5)
    groups: list[int] = []
    for kind, sets in SAMPLE.items():
        for name, count in sets.items():
            found = np.flatnonzero(store.groups(sets=(name,), kinds=(kind,)) & allowed)
            rng.shuffle(found)
            groups += found[:count].tolist()
    return np.concatenate([np.arange(*store.starts[g : g + 2]) for g in sorted(groups)])


def alike(store: Store, pairs: Ints) -> Iterator[Ints]:
    """Batches of pairs of one padded length."""
    padded = -(-store.sizes[pairs] // STEP) * STEP
    for width in np.unique(padded):
        some = pairs[padded == width]
        yield from np.array_split(some, -(-len(some) * int(width) // 2048))


def read(run: Path, store: Store, pairs: Ints, data: Path) -> Read:
    """The states of the 8-bit encoder, read once."""
    make = export.Maker(run, export.sample(data, 100, 5))
    model = onnx.load_from_string(make("8", "4"))
    width, last = make.shape["width"], STATES.format(make.shape["layers"] - 1)
    more = ((JOINED, ["b", 5 * width]), (last, ["b", "t", width]))
    model.graph.output.extend(
        helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, s) for n, s in more
    )
    feed = Feed(store, "cpu", np.zeros(len(store.starts) - 1, np.bool_))
    found: dict[int, npt.NDArray[np.float16]] = {}
    marked: dict[int, tuple[Floats, Floats]] = {}
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, str(Path(folder) / "judge.onnx"))
        session = export.load_network(Path(folder) / "judge.onnx")
        for some in alike(store, pairs):
            batch = feed.read(some)
            inputs = {
                "input_ids": batch["ids"],
                "attention_mask": batch["mask"],
                "case_ids": batch["cases"],
                "facts": batch["facts"],
            }
            joined, states = session.run(
                [JOINED, last], {name: value.numpy() for name, value in inputs.items()}
            )
            mine = ((batch["cases"] > 0) & (batch["cases"] < REFERENCE)).numpy()
            for k, pair in enumerate(some.tolist()):
                found[pair] = joined[k].astype(np.float16)
                if bool(batch["marked"][k]):
                    marked[pair] = (states[k][mine[k]], batch["marks"][k].numpy()[mine[k]])
    kept = np.array([found[pair] for pair in pairs.tolist()], np.float32)
    facts = 2 * torch.from_numpy(store["pair_facts"][pairs].astype(np.float32)) - 1
    return Read(pairs, torch.from_numpy(kept), facts, marked)


class Small(nn.Module):
    """A third of the head."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.facts = nn.Linear(FACTS, hidden, bias=False)
        self.score = nn.Linear(hidden, 1)
        nn.init.normal_(self.up.weight, 0, 0.3 / width**0.5)
        nn.init.zeros_(self.facts.weight)

    def forward(self, joined: Tensor, facts: Tensor) -> Tensor:
        """A score for each pair."""
        joined = fn.dropout(joined, 0.5, self.training)
        hidden = torch.tanh(self.up(joined) + self.facts(facts))
        out: Tensor = self.score(fn.dropout(hidden, 0.2, self.training)).squeeze(1)
        return out


def ends(scores: Tensor, end: Tensor) -> Tensor:
    """References beside themselves belong above all others, what is no translation below."""
    middle = scores[end == 0].detach()
    high = middle.mean() + TOP * middle.std()
    low = middle.mean() - BOTTOM * middle.std()
    lost = scores.new_zeros(())
    if bool((end > 0).any()):
        lost = lost + fn.softplus(high - scores[end > 0]).mean()
    if bool((end < 0).any()):
        lost = lost + fn.softplus(scores[end < 0] - low).mean()
    return lost


def learn(store: Store, said: Read, use: Bools, seed: int, passes: int = 7) -> Small:
    """One small head, by preferences, levels and ends; `said.joined` is standardised."""
    torch.manual_seed(seed)
    place = np.full(len(store.sizes), -1)
    place[said.pairs] = np.arange(len(said.pairs))
    owner = store["pair_group"][store["better"]]
    chosen = Feed(store, "cpu", use).kept & (place[store["better"]] >= 0)
    chosen &= place[store["worse"]] >= 0
    better, worse = (torch.from_numpy(place[store[name][chosen]]) for name in ("better", "worse"))
    count = store["count"][chosen].astype(np.float64)
    total = np.bincount(owner[chosen], count, len(use))[owner[chosen]]
    weight = torch.from_numpy((count / np.sqrt(total)).astype(np.float32))
    expert = store.groups(sets=EXPERT)[store["pair_group"][said.pairs]]
    level = np.where(expert, store["pair_level"][said.pairs], np.nan).astype(np.float32)
    levels, end = torch.from_numpy(level), torch.from_numpy(store["pair_end"][said.pairs])
    head = Small(said.joined.shape[1], HIDDEN // len(SEEDS))
    optimiser = torch.optim.AdamW(head.parameters(), lr=1.2e-4, weight_decay=0.1)
    size = 4096
    steps = passes * -(-len(better) // size)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda s: min((s + 1) / (0.06 * steps), max(0.0, (steps - s) / (0.94 * steps)))
    )
    for _ in range(passes):
        order = torch.randperm(len(better))
        for some in order.split(size):
            others = torch.randint(len(said.pairs), (1500,))
            rows, at = torch.unique(
                torch.cat([better[some], worse[some], others]), return_inverse=True
            )
            scores = head(said.joined[rows], said.facts[rows])
            n = len(some)
            lost = losses.preference(scores, at[:n], at[n : 2 * n], weight[some])
            lost = lost + 0.3 * losses.across(scores, levels[rows]) + ends(scores, end[rows])
            optimiser.zero_grad()
            lost.backward()
            optimiser.step()
            rate.step()
    return head.eval()


@torch.no_grad()
def joined_head(heads: list[Small], said: Read, mean: Tensor, spread: Tensor) -> dict[str, Tensor]:
    """The small heads as one, for states that are not standardised; scores of mean 0 and deviation 1."""
    parts: dict[str, list[Tensor]] = {"up.weight": [], "up.bias": [], "facts.weight": []}
    weights: list[Tensor] = []
    shift = torch.zeros(1)
    for head in heads:
        scores = head(said.joined, said.facts)
        weight = head.up.weight / spread
        parts["up.weight"].append(weight)
        parts["up.bias"].append(head.up.bias - (weight * mean).sum(1))
        parts["facts.weight"].append(head.facts.weight)
        scale = scores.std() * len(heads)
        weights.append(head.score.weight[0] / scale)
        shift = shift + (head.score.bias - scores.mean()) / scale
    made = {name: torch.cat(values) for name, values in parts.items()}
    return {**made, "score.weight": torch.cat(weights)[None], "score.bias": shift}


def how_sure(hidden: Tensor, scores: Tensor, people: Tensor) -> dict[str, Tensor]:
    """The logarithm of a standard error, from the head's hidden layer."""
    known = ~torch.isnan(people)
    line = nn.Linear(hidden.shape[1], 1)
    nn.init.zeros_(line.weight)
    nn.init.zeros_(line.bias)
    optimiser = torch.optim.AdamW(line.parameters(), lr=2e-3, weight_decay=0.05)
    for _ in range(400):
        logs = line(hidden[known]).squeeze(1).clamp(-3, 3)
        lost = losses.spread(scores[known], logs, people[known])
        optimiser.zero_grad()
        lost.backward()
        optimiser.step()
    return {"spread.weight": line.weight.detach(), "spread.bias": line.bias.detach()}


def marks(said: Read) -> dict[str, Tensor]:
    """Logits of a major and of a minor error, from a subword's state."""
    states, shares = (
        torch.from_numpy(np.concatenate(part).astype(np.float32))
        for part in zip(*said.marked.values(), strict=True)
    )
    mean, spread = states.mean(0), states.std(0) + 1e-3
    line = nn.Linear(states.shape[1], shares.shape[1])
    nn.init.zeros_(line.weight)
    optimiser = torch.optim.AdamW(line.parameters(), lr=2e-3, weight_decay=0.02)
    for _ in range(4):
        for some in torch.randperm(len(states)).split(4096):
            logits = line((states[some] - mean) / spread)
            lost = fn.binary_cross_entropy_with_logits(logits, shares[some])
            optimiser.zero_grad()
            lost.backward()
            optimiser.step()
    weight = line.weight.detach() / spread
    return {"marks.weight": weight, "marks.bias": line.bias.detach() - (weight * mean).sum(1)}


def main() -> None:
    """Read, learn, join, save."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--store", type=Path, default=Path("research/data/judge.npz.xz"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    args = parser.parse_args()
    store = load_store(args.store)
    use: Bools = store["use_all"]
    said = read(args.run, store, sampled(store, use & ~store["group_dev"]), args.data)
    mean, spread = said.joined.mean(0), said.joined.std(0) + 1e-3
    even = Read(said.pairs, (said.joined - mean) / spread, said.facts, said.marked)
    head = joined_head([learn(store, even, use, seed) for seed in SEEDS], even, mean, spread)
    hidden = (
        said.joined @ head["up.weight"].T + head["up.bias"] + said.facts @ head["facts.weight"].T
    )
    hidden = torch.tanh(hidden)
    scores = hidden @ head["score.weight"][0] + head["score.bias"]
    every = np.full(len(store.sizes), np.nan, np.float32)
    every[said.pairs] = scores.numpy()
    people = torch.from_numpy(targets.people(store, every, use)[said.pairs])
    head |= how_sure(hidden, scores, people) | marks(said)
    judge = load(args.run)
    judge.head.load_state_dict(head)
    save(judge, args.out)
    print(f"fitted on {len(said.pairs)} pairs, {len(said.marked)} of them marked")


if __name__ == "__main__":
    main()
