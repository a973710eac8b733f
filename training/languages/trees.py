"""Train RST trees over gold EDUs in many languages, on the states of a trained reader of EDUs.

    python -m training.languages.trees --corpora all --edus RUNS/edus --store discourse.npz.xz --encoder encoder.npz --out RUNS/trees

The reader is not trained further, so every EDU is read once, in its sentence, before training.
All EDUs of a text then look at each other, and a span is cut where the network says, from the
whole text downwards; each cut gets nuclearity and relation.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.judge.store import Array
from training.languages.arrays import Numbers, Texts, read, starts_of
from training.languages.edus import Edus
from training.languages.encoder import FEATURES, Encoder
from training.languages.network import Block, hidden, places
from training.languages.options import options
from training.languages.parseval import Nodes, parseval, right_branching
from training.languages.reader import Reader
from training.schedule import rate

NUCLEARITIES, RELATIONS = 3, 15
LEARNT = {
    "english": ("gum", "umuc"),
    "ship": ("gum", "umuc", "zho.rst.gcdt"),
    "all": ("gum", "umuc", "zho.rst.gcdt", "deu.rst.pcc", "deu.apa"),
}
TESTED = ("gum", "deu.rst.pcc", "zho.rst.gcdt")
STYLELESS = 0.3
PARTS, SMALL = 6, 60
"""How many subtrees of at most so many EDUs are learnt beside a whole document."""
SIZES = 10
HEARD = 128
"""EDUs of a batch, about: whole documents, then subtrees of theirs."""


class Trees(nn.Module):
    """EDUs → where to cut a span, and what holds its halves together."""

    def __init__(self, styles: int, given: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.width, self.dropout = width, dropout
        self.enter = nn.Linear(given, width)
        self.styles, self.ends = nn.Embedding(styles, width), nn.Embedding(2, width)
        self.blocks = nn.ModuleList(Block(width, 4, dropout, biased=False) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.sides = nn.Linear(width, 4 * width, bias=False)
        self.edges = nn.Linear(width, 8 * width)
        self.sizes = nn.Embedding(2 * SIZES, 2 * width)
        self.cut, self.label = nn.Linear(width, 1), nn.Linear(width, NUCLEARITIES + RELATIONS)

    def units(self, given: Tensor, present: Tensor, ends: Tensor, style: Tensor) -> Tensor:
        """Rows of EDUs [texts, EDUs, given] → [texts, EDUs, width]; `style` one number a text."""
        x = self.enter(fn.dropout(given, self.dropout / 2, self.training))
        x = x + self.ends(ends) + self.styles(style).unsqueeze(1)
        x = x + 0.5 * places(torch.arange(x.shape[1], device=x.device), self.width)
        x = fn.dropout(x, self.dropout, self.training)
        for block in self.blocks:
            x = block(x, hidden(present), None)
        found: Tensor = self.norm(x)
        return found

    def projected(self, units: Tensor) -> tuple[Tensor, Tensor]:
        """What spans are made of: running sums of sides, and edges. Linear, so done once an EDU."""
        sums = fn.pad(self.sides(units).cumsum(1), (0, 0, 1, 0))
        return sums, self.edges(units)

    def spans(self, made: tuple[Tensor, Tensor], spans: Tensor, part: int) -> Tensor:
        """Texts, first, split, last [spans, 4] → [spans, width]; part 0 is for cuts, 1 for labels."""
        sums, edges = made
        text, first, split, last = spans.unbind(1)
        w = self.width
        left, right = (slice((2 * part + k) * w, (2 * part + k + 1) * w) for k in (0, 1))
        ours, theirs = sums[:, :, left], sums[:, :, right]
        x = (ours[text, split + 1] - ours[text, first]) / (split + 1 - first).unsqueeze(1)
        x = x + (theirs[text, last + 1] - theirs[text, split + 1]) / (last - split).unsqueeze(1)
        for k, place in enumerate((first, split, split + 1, last)):
            at = (4 * part + k) * w
            x = x + edges[:, :, at : at + w][text, place]
        for k, size in enumerate((split + 1 - first, last - split)):
            bucket = (2 * size.float().log2()).long().clamp(max=SIZES - 1) + k * SIZES
            x = x + self.sizes(bucket)[:, part * w : (part + 1) * w]
        return fn.dropout(fn.gelu(x), self.dropout, self.training)

    def cuts(self, made: tuple[Tensor, Tensor], spans: Tensor) -> Tensor:
        """A logit a place of a cut."""
        found: Tensor = self.cut(self.spans(made, spans, 0)).squeeze(1)
        return found

    def labels(self, made: tuple[Tensor, Tensor], spans: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of nuclearities and of relations."""
        found = self.label(self.spans(made, spans, 1))
        return found[:, :NUCLEARITIES], found[:, NUCLEARITIES:]


class Documents:
    """The documents of the store, with a row an EDU from the reader."""

    def __init__(self, arrays: dict[str, Array], corpora: list[str]) -> None:
        self.arrays, self.corpora = arrays, corpora
        self.edus = starts_of(arrays["tree_edus"])
        self.nodes_at = starts_of(arrays["tree_edus"] - 1)
        self.ends = arrays["tree_ends"].astype(np.int64)
        self.rows: Tensor = torch.empty(0)

    def of(self, names: tuple[str, ...], part: int) -> list[int]:
        """The documents of some corpora's part."""
        which = [self.corpora.index(name) for name in names]
        chosen = np.isin(self.arrays["tree_corpus"], which) & (self.arrays["tree_part"] == part)
        found: list[int] = np.flatnonzero(chosen).tolist()
        return found

    def count(self, k: int) -> int:
        """The EDUs of a document."""
        return int(self.arrays["tree_edus"][k])

    def nodes(self, k: int) -> Numbers:
        """The nodes of a document's tree: first, last, split, nuclearity, relation."""
        found: Numbers = self.arrays["tree_nodes"][self.nodes_at[k] : self.nodes_at[k + 1]]
        return found.astype(np.int64)

    @torch.no_grad()
    def read(self, encoder: Encoder, reader: Reader, device: str) -> None:
        """First, last and mean state of each EDU, and its mean features."""
        reader.eval()
        sizes = self.arrays["tree_sizes"].astype(np.int64)
        last = np.flatnonzero(self.arrays["tree_breaks"])
        first = np.concatenate(([0], last[:-1] + 1))
        at = starts_of(sizes)
        texts = Texts(self.arrays["tree_ids"], at[last + 1] - at[first], {}, device)
        found = torch.zeros(len(sizes), 3 * reader.width + FEATURES, device=device)
        order = np.argsort(texts.sizes, kind="stable")
        for begin in range(0, len(order), 64):
            chosen = order[begin : begin + 64]
            batch = texts.batch(chosen)
            features, _ = encoder(batch["ids"], batch["mask"])
            style = torch.zeros(len(chosen), dtype=torch.long, device=device)
            states = reader(features, batch["mask"], style)
            row, edu, a, b = [], [], [], []
            for r, g in enumerate(chosen.tolist()):
                for e in range(int(first[g]), int(last[g]) + 1):
                    row.append(r)
                    edu.append(e)
                    a.append(int(at[e] - at[first[g]]) + 1)
                    b.append(int(at[e + 1] - at[first[g]]) + 1)
            r, e, i, j = (torch.tensor(x, device=device) for x in (row, edu, a, b))
            both = torch.cat([states, features], 2).cumsum(1)
            mean = (both[r, j - 1] - both[r, i - 1]) / (j - i).unsqueeze(1)
            found[e] = torch.cat([states[r, i], states[r, j - 1], mean], 1)
        self.rows = found

    def batch(self, spans: list[tuple[int, int, int]], device: str) -> tuple[Tensor, Tensor, Tensor]:
        """Rows, what is present, and ends of sentences of (document, first EDU, last EDU)."""
        sizes = torch.tensor([b - a + 1 for _, a, b in spans], device=device).unsqueeze(1)
        starts = torch.tensor([int(self.edus[k]) + a for k, a, _ in spans], device=device)
        column = torch.arange(int(sizes.max()), device=device).unsqueeze(0)
        present = column < sizes
        at = torch.where(present, starts.unsqueeze(1) + column, 0)
        ends = torch.from_numpy(self.ends).to(device)[at]
        return self.rows[at], present, ends


def lost(net: Trees, made: tuple[Tensor, Tensor], nodes: Numbers, device: str) -> Tensor:
    """The mean loss over nodes (text, first, last, split, nuclearity, relation)."""
    length = nodes[:, 2] - nodes[:, 1]
    owner = np.repeat(np.arange(len(nodes)), length)
    offset = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    own = nodes[owner]
    places_ = np.stack([own[:, 0], own[:, 1], own[:, 1] + offset, own[:, 2]], 1)
    scores = net.cuts(made, torch.from_numpy(places_).to(device))
    grid = torch.full((len(nodes), int(length.max())), -1e9, device=device)
    grid[torch.from_numpy(owner).to(device), torch.from_numpy(offset).to(device)] = scores
    gold = torch.from_numpy(nodes).to(device)
    cuts = fn.cross_entropy(grid, gold[:, 3] - gold[:, 1])
    nuclearity, relation = net.labels(made, gold[:, [0, 1, 3, 2]])
    return (
        cuts + fn.cross_entropy(nuclearity, gold[:, 4]) + fn.cross_entropy(relation, gold[:, 5])
    )


@torch.no_grad()
def parsed(net: Trees, made: tuple[Tensor, Tensor], ends: Array, device: str) -> Nodes:
    """The tree of the first text, cut from above, all spans of one depth at a time; never within a
    sentence while there is a place between two."""
    found: Nodes = []
    level = [(0, len(ends) - 1)]
    while level := [(a, b) for a, b in level if a < b]:
        given = [(0, a, k, b) for a, b in level for k in range(a, b)]
        scores = net.cuts(made, torch.tensor(given, device=device)).cpu().numpy()
        at, best = 0, []
        for a, b in level:
            own = scores[at : at + b - a] + 1e4 * ends[a:b]
            best.append((0, a, a + int(own.argmax()), b))
            at += b - a
        nuclearity, relation = net.labels(made, torch.tensor(best, device=device))
        labels = zip(nuclearity.argmax(1).tolist(), relation.argmax(1).tolist(), strict=True)
        following = []
        for (_, a, m, b), (n, r) in zip(best, labels, strict=True):
            found.append((a, b, m, n, r))
            following += [(a, m), (m + 1, b)]
        level = following
    return found


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
    steps = torch.optim.AdamW(net.parameters(), lr=args.lr, betas=(0.9, 0.98), weight_decay=0.05)
    started = time.time()

    def progress(step: int) -> float:
        return max((step + 1) / len(todo), (time.time() - started) / (60 * args.minutes))

    schedule = torch.optim.lr_scheduler.LambdaLR(steps, lambda step: rate(progress(step)))
    best, kept, due = -1.0, {}, 0.3
    for step, chosen in enumerate(todo):
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
        steps.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        steps.step()
        schedule.step()
        if step % 100 == 0:
            print(f"{step}/{len(todo)} {time.time() - started:.0f}s {loss.item():.3f}", flush=True)
        if progress(step) >= due:
            due += 0.1
            tried = [n for n in TESTED if n in names]
            value = sum(measured(net, data, n, 1, n, args, device)["full"] for n in tried)
            print(f"{step}: {value / len(tried):.2f}", flush=True)
            if value > best:
                best, kept = value, {n: v.clone() for n, v in net.state_dict().items()}
        if progress(step) >= 1:
            break
    net.load_state_dict(kept or net.state_dict())
    print(f"trained {step + 1} of {len(todo)} in {time.time() - started:.0f}s", flush=True)


@torch.no_grad()
def measured(
    net: Trees, data: Documents, corpus: str, part: int, style: str, args: argparse.Namespace, device: str
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


def baseline(data: Documents, corpus: str, part: int) -> dict[str, float]:
    """Right-branching trees with the corpus's most frequent label."""
    common = Counter(tuple(row[3:]) for k in data.of((corpus,), 0) for row in data.nodes(k).tolist())
    label = common.most_common(1)[0][0]
    return parseval(
        [(right_branching(data.count(k), label), data.nodes(k).tolist()) for k in data.of((corpus,), part)]
    )


def load_reader(folder: Path, encoder: Encoder, styles: int) -> Reader:
    """The reader that `training.languages.edus` trained, and the encoder as it was tuned there."""
    said = json.loads((folder / "edus.json").read_text())["arguments"]
    net = Edus(Reader(said["reader"], styles, int(said["width"]), int(said["layers"]), 0.0))
    weights = torch.load(folder / "edus.pt", map_location="cpu")
    net.load_state_dict({n: v.float() for n, v in weights.items() if not n.startswith("encoder.")})
    tuned = {n[8:]: v for n, v in weights.items() if n.startswith("encoder.")}
    for name, value in tuned.items():
        getattr(encoder, name).data.copy_(value.float())
    return net.reader


def train(args: argparse.Namespace) -> None:
    """Train, count, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(args.seed)
    encoder = Encoder(args.encoder)
    arrays, corpora = read(args.store, encoder.vocabulary)
    reader = load_reader(args.edus, encoder, len(corpora) + 1).to(device)
    data = Documents(arrays, corpora)
    data.read(encoder.to(device), reader, device)
    net = Trees(len(corpora) + 1, data.rows.shape[1], args.width, args.layers, args.dropout).to(device)
    args.out.mkdir(parents=True, exist_ok=True)
    fit(net, data, args, device)
    torch.save({n: v.half().cpu() for n, v in net.state_dict().items()}, args.out / "trees.pt")
    found: dict[str, dict[str, dict[str, float]]] = {}
    styles = ["none", *(n for n in LEARNT[args.corpora] if n in TESTED)]
    for corpus in TESTED:
        for part, name in ((1, "dev"), (2, "test")):
            values = {s: measured(net, data, corpus, part, s, args, device) for s in styles}
            values["right-branching"] = baseline(data, corpus, part)
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
