"""Train RST trees over gold EDUs in many languages: a small network over the frozen encoder.

    python -m training.languages.trees --corpora all --store discourse.npz.xz --encoder encoder.npz --out RUNS/trees

An EDU is read alone, all EDUs then look at each other, and a span is cut where the network says,
from the whole text downwards; each cut gets nuclearity and relation.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.judge.store import Array
from training.languages.arrays import BEGIN, END, read
from training.languages.encoder import FEATURES, Encoder
from training.languages.network import Block, hidden, mean, places
from training.languages.options import options
from training.schedule import rate

NUCLEARITIES, RELATIONS = 3, 15
LEARNT = {
    "english": ("gum",),
    "ship": ("gum", "zho.rst.gcdt"),
    "all": ("gum", "zho.rst.gcdt", "deu.rst.pcc"),
}
TESTED = ("gum", "deu.rst.pcc", "zho.rst.gcdt")
STYLELESS = 0.3
Ints = npt.NDArray[np.int64]
Nodes = list[tuple[int, int, int, int, int]]


class Trees(nn.Module):
    """EDUs → where to cut a span, and what holds its halves together."""

    def __init__(self, styles: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.width, self.dropout = width, dropout
        self.enter = nn.Linear(FEATURES, width)
        self.unit = nn.Linear(3 * width, width)
        self.styles, self.ends = nn.Embedding(styles, width), nn.Embedding(2, width)
        self.blocks = nn.ModuleList(Block(width, 4, dropout, biased=False) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.cut = nn.Sequential(nn.Linear(6 * width, width), nn.GELU(), nn.Linear(width, 1))
        self.label = nn.Sequential(
            nn.Linear(6 * width, width), nn.GELU(), nn.Linear(width, NUCLEARITIES + RELATIONS)
        )

    def units(self, features: Tensor, mask: Tensor, ends: Tensor, style: Tensor) -> Tensor:
        """A row an EDU of one document; `mask` is 1 on its subwords, marks of begin and end included."""
        x = fn.gelu(self.enter(fn.dropout(features, self.dropout / 2, self.training)))
        sizes = mask.sum(1)
        rows = torch.arange(len(x), device=x.device)
        parts = [mean(x, mask > 0), x[:, 1], x[rows, sizes - 2]]
        unit = self.unit(torch.cat(parts, 1)) + self.ends(ends) + self.styles(style)
        unit = unit + 0.5 * places(rows, self.width)
        unit = fn.dropout(unit, self.dropout, self.training).unsqueeze(0)
        present = torch.ones(unit.shape[:2], dtype=torch.bool, device=x.device)
        for block in self.blocks:
            unit = block(unit, hidden(present), None)
        found: Tensor = self.norm(unit[0])
        return found

    def spans(self, units: Tensor, first: Tensor, split: Tensor, last: Tensor) -> Tensor:
        """What stands on both sides of a cut after EDU `split` of the span `first` to `last`."""
        sums = fn.pad(units.cumsum(0), (0, 0, 1, 0))
        left = (sums[split + 1] - sums[first]) / (split + 1 - first).unsqueeze(1)
        right = (sums[last + 1] - sums[split + 1]) / (last - split).unsqueeze(1)
        edges = [units[first], units[split], units[split + 1], units[last]]
        return fn.dropout(torch.cat([left, right, *edges], 1), self.dropout, self.training)


class Documents:
    """The documents of the store."""

    def __init__(self, arrays: dict[str, Array], corpora: list[str]) -> None:
        self.arrays, self.corpora = arrays, corpora
        self.subwords = np.concatenate(([0], np.cumsum(arrays["tree_sizes"].astype(np.int64))))
        self.edus = np.concatenate(([0], np.cumsum(arrays["tree_edus"].astype(np.int64))))
        self.nodes_at = np.concatenate(([0], np.cumsum(arrays["tree_node_count"].astype(np.int64))))

    def of(self, names: tuple[str, ...], part: int) -> list[int]:
        """The documents of some corpora's part with more than one EDU."""
        which = [self.corpora.index(name) for name in names]
        a = self.arrays
        chosen = np.isin(a["tree_corpus"], which) & (a["tree_part"] == part) & (a["tree_edus"] > 1)
        found: list[int] = np.flatnonzero(chosen).tolist()
        return found

    def nodes(self, k: int) -> Nodes:
        """The nodes of a document's tree."""
        rows = self.arrays["tree_nodes"][self.nodes_at[k] : self.nodes_at[k + 1]]
        return [tuple(row) for row in rows.tolist()]

    def inputs(self, k: int, first: int, last: int) -> tuple[Array, Array, Array]:
        """ids and mask [EDUs, width] of some EDUs, and whether each ends a sentence."""
        numbers = range(int(self.edus[k]) + first, int(self.edus[k]) + last + 1)
        width = max(int(self.arrays["tree_sizes"][n]) for n in numbers) + 2
        ids = np.zeros((len(numbers), width), np.int64)
        mask = np.zeros_like(ids)
        for row, n in enumerate(numbers):
            own = self.arrays["tree_ids"][self.subwords[n] : self.subwords[n + 1]]
            ids[row, : len(own) + 2] = [BEGIN, *own.tolist(), END]
            mask[row, : len(own) + 2] = 1
        ends = self.arrays["tree_ends"][numbers.start : numbers.stop].astype(np.int64)
        return ids, mask, ends


def units(
    encoder: Encoder,
    net: Trees,
    data: Documents,
    k: int,
    first: int,
    last: int,
    style: int,
    device: str,
) -> Tensor:
    """The rows of some EDUs of a document."""
    ids, mask, ends = (torch.from_numpy(x).to(device) for x in data.inputs(k, first, last))
    features, _ = encoder(ids, mask)
    found: Tensor = net.units(features, mask, ends, torch.full_like(ends, style))
    return found


def lost(net: Trees, rows: Tensor, nodes: Nodes, device: str) -> Tensor:
    """The mean loss over a tree's nodes: place of the cut, nuclearity, relation."""
    table = np.array(nodes, np.int64)
    length = table[:, 1] - table[:, 0]
    owner = np.repeat(np.arange(len(table)), length)
    offset = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    first, last = table[owner, 0], table[owner, 1]
    i, k, j = (torch.from_numpy(x).to(device) for x in (first, first + offset, last))
    scores = net.cut(net.spans(rows, i, k, j)).squeeze(1)
    grid = torch.full((len(table), int(length.max())), -1e9, device=device)
    grid[torch.from_numpy(owner).to(device), torch.from_numpy(offset).to(device)] = scores
    gold = torch.from_numpy(table).to(device)
    cuts = fn.cross_entropy(grid, gold[:, 2] - gold[:, 0])
    labels = net.label(net.spans(rows, gold[:, 0], gold[:, 2], gold[:, 1]))
    return (
        cuts
        + fn.cross_entropy(labels[:, :NUCLEARITIES], gold[:, 3])
        + fn.cross_entropy(labels[:, NUCLEARITIES:], gold[:, 4])
    )


@torch.no_grad()
def parsed(net: Trees, rows: Tensor, device: str) -> Nodes:
    """The tree, cut from above; all spans of one depth at a time."""
    found: Nodes = []
    level = [(0, len(rows) - 1)]
    while level := [(a, b) for a, b in level if a < b]:
        first = np.concatenate([np.full(b - a, a) for a, b in level])
        last = np.concatenate([np.full(b - a, b) for a, b in level])
        split = np.concatenate([np.arange(a, b) for a, b in level])
        i, k, j = (torch.from_numpy(x).to(device) for x in (first, split, last))
        scores = net.cut(net.spans(rows, i, k, j)).squeeze(1).cpu().numpy()
        at, best = 0, []
        for a, b in level:
            best.append(a + int(scores[at : at + b - a].argmax()))
            at += b - a
        table = torch.tensor(
            [(a, m, b) for (a, b), m in zip(level, best, strict=True)], device=device
        )
        labels = net.label(net.spans(rows, table[:, 0], table[:, 1], table[:, 2])).cpu().numpy()
        following = []
        for (a, b), m, label in zip(level, best, labels, strict=True):
            nuclearity, relation = (
                int(label[:NUCLEARITIES].argmax()),
                int(label[NUCLEARITIES:].argmax()),
            )
            found.append((a, b, m, nuclearity, relation))
            following += [(a, m), (m + 1, b)]
        level = following
    return found


def parseval(trees: list[tuple[Nodes, Nodes]]) -> dict[str, float]:
    """Original Parseval: F1 over inner nodes (both trees have as many: their EDUs are the same)."""
    right: Counter[str] = Counter()
    total = 0
    for mine, gold in trees:
        own = {(a, b): (n, r) for a, b, _, n, r in mine}
        for a, b, _, n, r in gold:
            total += 1
            said = own.get((a, b))
            if said is not None:
                right["span"] += 1
                right["nuclearity"] += said[0] == n
                right["relation"] += said[1] == r
                right["full"] += said == (n, r)
    return {
        name: 100 * right[name] / max(1, total)
        for name in ("span", "nuclearity", "relation", "full")
    }


def right_branching(count: int, label: tuple[int, int]) -> Nodes:
    """The baseline: everything hangs on what comes before."""
    return [(a, count - 1, a, *label) for a in range(count - 1)]


def fit(
    encoder: Encoder, net: Trees, data: Documents, args: argparse.Namespace, device: str
) -> None:
    """Train in place: whole documents and subtrees, in turn."""
    rng = random.Random(args.seed)
    documents = data.of(LEARNT[args.corpora], 0)[: args.limit or None]
    todo: list[int] = []
    for _ in range(args.passes):
        todo += rng.sample(documents, len(documents))
    steps = torch.optim.AdamW(net.parameters(), lr=args.lr, betas=(0.9, 0.98), weight_decay=0.05)
    started = time.time()

    def progress(step: int) -> float:
        return max((step + 1) / len(todo), (time.time() - started) / (60 * args.minutes))

    schedule = torch.optim.lr_scheduler.LambdaLR(steps, lambda step: rate(progress(step)))
    net.train()
    for step, k in enumerate(todo):
        nodes = data.nodes(k)
        style = 0 if rng.random() < STYLELESS else int(data.arrays["tree_corpus"][k]) + 1
        whole = units(encoder, net, data, k, 0, int(data.arrays["tree_edus"][k]) - 1, style, device)
        parts = [lost(net, whole, nodes, device)]
        for a, b, *_ in rng.sample(nodes, min(2, len(nodes))):
            if b - a < 60:
                own = [(x - a, y - a, m - a, n, r) for x, y, m, n, r in nodes if a <= x and y <= b]
                rows = units(encoder, net, data, k, a, b, style, device)
                parts.append(0.5 * lost(net, rows, own, device))
        loss = torch.stack(parts).sum()
        steps.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        steps.step()
        schedule.step()
        if step % 200 == 0:
            print(f"{step}/{len(todo)} {time.time() - started:.0f}s {loss.item():.3f}", flush=True)
        if progress(step) >= 1:
            break
    print(f"trained {step + 1} of {len(todo)} in {time.time() - started:.0f}s", flush=True)


def train(args: argparse.Namespace) -> None:
    """Train, count, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(args.seed)
    encoder = Encoder(args.encoder).to(device)
    arrays, corpora = read(args.store, encoder.vocabulary)
    data = Documents(arrays, corpora)
    net = Trees(len(corpora) + 1, args.width, args.layers, args.dropout).to(device)
    args.out.mkdir(parents=True, exist_ok=True)
    fit(encoder, net, data, args, device)
    torch.save({n: v.half().cpu() for n, v in net.state_dict().items()}, args.out / "trees.pt")
    net.eval()
    report: dict[str, dict[str, dict[str, float]]] = {}
    styles = {"none": 0, **{name: corpora.index(name) + 1 for name in LEARNT[args.corpora]}}
    for corpus in TESTED:
        common = Counter((n, r) for k in data.of((corpus,), 0) for *_, n, r in data.nodes(k))
        for part, name in ((1, "dev"), (2, "test")):
            documents = data.of((corpus,), part)[: args.limit or None]
            found = {}
            for s, number in styles.items():
                trees = []
                for k in documents:
                    count = int(arrays["tree_edus"][k])
                    rows = units(encoder, net, data, k, 0, count - 1, number, device)
                    trees.append((parsed(net, rows, device), data.nodes(k)))
                found[s] = parseval(trees)
            label = common.most_common(1)[0][0]
            found["right-branching"] = parseval(
                [
                    (right_branching(int(arrays["tree_edus"][k]), label), data.nodes(k))
                    for k in documents
                ]
            )
            report[f"{corpus} {name}"] = found
            for s, values in found.items():
                print(
                    args.corpora,
                    corpus,
                    name,
                    s,
                    {k: round(v, 1) for k, v in values.items()},
                    flush=True,
                )
    arguments = {name: str(value) for name, value in vars(args).items()}
    (args.out / "figures.json").write_text(
        json.dumps({"arguments": arguments, "parseval": report}, indent=1)
    )


def parser() -> argparse.ArgumentParser:
    """The command line."""
    return options(__doc__, LEARNT, passes=24, minutes=4.0, lr=4e-4, dropout=0.25)


if __name__ == "__main__":
    train(parser().parse_args())
