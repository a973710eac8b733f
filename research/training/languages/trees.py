"""Train RST trees over gold EDUs in many languages, on the states of a trained reader of EDUs.

    python -m training.languages.trees --corpora all --edus RUNS/edus --store discourse.npz.xz --encoder encoder.npz --out RUNS/trees

The reader is not trained further, so every EDU is read once, in its sentence, before training.
All EDUs of a text then look at each other, and a span is cut where the network says, from the
whole text downwards; each cut gets nuclearity and relation.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from training.languages.arrays import read
from training.languages.documents import Documents
from training.languages.edus import load_edus
from training.languages.encoder import Encoder
from training.languages.options import options
from training.languages.parseval import Nodes, parseval, right_branching
from training.languages.tree_network import Trees, lost, parsed
from training.steps import Steps

LEARNT = {
    "english": ("gum", "umuc"),
    "ship": ("gum", "umuc", "zho.rst.gcdt"),
    "all": ("gum", "umuc", "zho.rst.gcdt", "deu.rst.pcc", "deu.apa"),
}
TESTED = ("gum", "deu.rst.pcc", "zho.rst.gcdt")
STYLELESS = 0.3
PARTS, SMALL = 6, 60
"""How many subtrees of at most so many EDUs are learnt beside a whole document."""
HEARD = 128
"""EDUs of a batch, about: whole documents, then subtrees of theirs."""


def fit(net: Trees, data: Documents, args: argparse.Namespace, device: str) -> None:
    """Train in place: whole documents with subtrees of theirs; the best on the development parts stays."""
    rng = np.random.default_rng(args.seed)
    names = LEARNT[args.corpora]
    documents = np.array(data.of(names, 0)[: args.limit or None])
    todo: list[list[int]] = []
    for _ in range(args.passes):
        batch: list[int] = []
        for k in rng.permutation(documents).tolist():
            batch.append(k)
            if sum(map(data.count, batch)) > HEARD * 3:
                todo.append(batch)
                batch = []
        todo += [batch] if batch else []
    optimiser = torch.optim.AdamW(
        net.parameters(), lr=args.lr, betas=(0.9, 0.98), weight_decay=0.05
    )
    steps = Steps(optimiser, len(todo), args.minutes)
    best, kept, due = -1.0, {}, 0.3
    for chosen in todo:
        net.train()
        spans, nodes, styles = [], [], []
        for k in chosen:
            table = data.nodes(k)
            small = table[(table[:, 1] - table[:, 0] < SMALL)]
            parts = small[rng.permutation(len(small))[:PARTS], :2].tolist()
            style = 0 if rng.random() < STYLELESS else int(data.arrays["tree_corpus"][k]) + 1
            for a, b in ((0, data.count(k) - 1), *parts):
                own = table[(table[:, 0] >= a) & (table[:, 1] <= b)].copy()
                own[:, :3] -= a
                nodes.append(np.column_stack([np.full(len(own), len(spans)), own]))
                spans.append((k, a, b))
                styles.append(style)
        rows, present, ends = data.batch(spans, device)
        made = net.projected(net.units(rows, present, ends, torch.tensor(styles, device=device)))
        loss = lost(net, made, np.concatenate(nodes), device)
        done = steps.progress
        more = steps.take({"loss": loss})
        if done >= due:
            due += 0.1
            tried = [n for n in TESTED if n in names]
            value = sum(measured(net, data, n, 1, n, args, device)["full"] for n in tried)
            print(f"{steps.taken}: {value / len(tried):.2f}", flush=True)
            if value > best:
                best, kept = value, {n: v.clone() for n, v in net.state_dict().items()}
        if not more:
            break
    net.load_state_dict(kept or net.state_dict())
    steps.end()


@torch.no_grad()
def measured(
    net: Trees,
    data: Documents,
    corpus: str,
    part: int,
    style: str,
    args: argparse.Namespace,
    device: str,
) -> dict[str, float]:
    """Parseval on a part of a corpus, in a style."""
    net.eval()
    number = 0 if style == "none" else data.corpora.index(style) + 1
    trees = []
    for k in data.of((corpus,), part)[: args.limit or None]:
        rows, present, ends = data.batch([(k, 0, data.count(k) - 1)], device)
        made = net.projected(net.units(rows, present, ends, torch.tensor([number], device=device)))
        trees.append((parsed(net, made, ends[0].cpu().numpy(), device), data.nodes(k).tolist()))
    return parseval(trees)


def baselines(data: Documents, corpus: str, part: int) -> dict[str, dict[str, float]]:
    """Right-branching trees with the corpus's most frequent label: over all EDUs, and over sentences."""
    common = Counter(
        (row[3], row[4]) for k in data.of((corpus,), 0) for row in data.nodes(k).tolist()
    )
    label = common.most_common(1)[0][0]
    found: dict[str, list[tuple[Nodes, Nodes]]] = {"right-branching": [], "sentences first": []}
    for k in data.of((corpus,), part):
        gold = data.nodes(k).tolist()
        ends = data.ends[data.edus[k] : data.edus[k + 1]].astype(bool).tolist()
        found["right-branching"].append((right_branching([False] * len(ends), label), gold))
        found["sentences first"].append((right_branching(ends, label), gold))
    return {name: parseval(trees) for name, trees in found.items()}


def train(args: argparse.Namespace) -> None:
    """Train, count, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(args.seed)
    encoder = Encoder(args.encoder)
    arrays, corpora = read(args.store, encoder.vocabulary)
    reader = load_edus(args.edus, encoder, len(corpora) + 1).reader.to(device)
    data = Documents(arrays, corpora)
    data.read(encoder.to(device), reader, device)
    net = Trees(len(corpora) + 1, data.rows.shape[1], args.width, args.layers, args.dropout).to(
        device
    )
    args.out.mkdir(parents=True, exist_ok=True)
    fit(net, data, args, device)
    torch.save({n: v.half().cpu() for n, v in net.state_dict().items()}, args.out / "trees.pt")
    found: dict[str, dict[str, dict[str, float]]] = {}
    styles = ["none", *(n for n in LEARNT[args.corpora] if n in TESTED)]
    for corpus in TESTED:
        for part, name in ((1, "dev"), (2, "test")):
            values = {s: measured(net, data, corpus, part, s, args, device) for s in styles}
            values |= baselines(data, corpus, part)
            found[f"{corpus} {name}"] = values
            for s, figures in values.items():
                shown = {n: round(v, 1) for n, v in figures.items()}
                print(args.corpora, corpus, name, s, shown, flush=True)
    arguments = {name: str(value) for name, value in vars(args).items()}
    (args.out / "trees.json").write_text(
        json.dumps({"arguments": arguments, "parseval": found}, indent=1)
    )


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = options(__doc__, LEARNT, passes=40, minutes=3.0, lr=6e-4, dropout=0.3)
    p.add_argument("--edus", type=Path, required=True, help="what training.languages.edus wrote")
    return p


if __name__ == "__main__":
    train(parser().parse_args())
