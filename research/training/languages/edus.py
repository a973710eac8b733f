"""Train EDU boundaries in many languages: a small network over the encoder, which learns syntax beside.

    python -m training.languages.edus --corpora all --store discourse.npz.xz --encoder encoder.npz --out RUNS/edus

`--corpora` says what is learnt from: `all`, `ship` (what may ship), `gold` (the same without what
was carried over from English), `english`. Corpora cut differently, so the network is told the
corpus of a sentence (its *style*); 0 is nobody's. Parts of speech, relations and where clauses
begin are learnt at the same time, and are not needed afterwards.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.judge.store import Array
from training.languages.arrays import Numbers, Texts, in_batches, read
from training.languages.encoder import Encoder
from training.languages.options import options
from training.languages.reader import KINDS, Reader
from training.languages.syntax import CLAUSES, RELATIONS, TAGS
from training.steps import Steps

FOREIGN = (
    "deu.rst.pcc",
    "spa.rst.rststb",
    "spa.rst.sctb",
    "por.rst.cstn",
    "nld.rst.nldt",
    "fra.sdrt.annodis",
    "zho.rst.sctb",
    "zho.dep.scidtb",
    "rus.rst.rrt",
    "eus.rst.ert",
    "fas.rst.prstc",
    "eng.dep.scidtb",
)
SHIP = ("gum", "zho.rst.gcdt", "ud", "ewt", "projected")
LEARNT = {
    "english": ("gum", "ewt"),
    "gold": ("gum", "zho.rst.gcdt", "ud", "ewt"),
    "ship": SHIP,
    "all": (*SHIP, *FOREIGN),
}
SHARE = {"gum": 1.0, "ud": 0.5, "ewt": 0.4, "projected": 0.7}
"""How much of a corpus is seen in a pass; the small ones, which are not named here, twice."""
AS_GUM = ("projected",)
"""What is cut in GUM's style, by the English model."""
STYLELESS = 0.3
"""How often a sentence is shown without its style."""
CARRIED = 0.4
"""What a carried-over start counts."""
KNOWN = ("gold", "tag", "relation", "clauses")


class Edus(nn.Module):
    """A logit a subword: does an EDU begin here? And its word's syntax."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader
        self.out = nn.Linear(reader.width, 1)
        self.syntax = nn.Linear(reader.width, len(TAGS) + len(RELATIONS) + len(CLAUSES))

    def forward(self, features: Tensor, mask: Tensor, style: Tensor) -> tuple[Tensor, Tensor]:
        """`mask` is 1 where a subword stands, `style` one number a row."""
        x = self.reader(features, mask, style)
        return self.out(x).squeeze(2), self.syntax(x)


class Sentences:
    """The sentences of the store."""

    def __init__(self, arrays: dict[str, Array], corpora: list[str], device: str) -> None:
        self.corpora = corpora
        self.corpus, self.part, self.lost = (arrays[n] for n in ("corpus", "part", "lost"))
        known = {name: arrays[name] for name in KNOWN}
        self.texts = Texts(arrays["ids"], arrays["sizes"], known, device)

    def of(self, names: tuple[str, ...], part: int) -> Numbers:
        """The sentences of some corpora's part that have a subword and are not endless."""
        which = [self.corpora.index(name) for name in names]
        sizes = self.texts.sizes
        chosen = np.isin(self.corpus, which) & (self.part == part) & (sizes > 0)
        return np.flatnonzero(chosen & ((sizes < 200) | (part > 0)))

    def style(self, names: tuple[str, ...]) -> Numbers:
        """The style of each sentence: its corpus, or whose way of cutting it follows."""
        found = self.corpus.astype(np.int64) + 1
        for name in AS_GUM:
            found[self.corpus == self.corpora.index(name)] = self.corpora.index("gum") + 1
        return found


def loss_of(
    batch: dict[str, Tensor], weight: Tensor, starts: Tensor, syntax: Tensor, share: float
) -> Tensor:
    """Starts, and syntax where it is known; `weight` [rows] is what a row's starts count, `share`
    what each of the three kinds of syntax does."""
    known = (batch["gold"] >= 0) * weight.unsqueeze(1)
    lost = fn.binary_cross_entropy_with_logits(
        starts, batch["gold"].clamp(min=0).float(), reduction="none"
    )
    total = (lost * known).sum() / known.sum().clamp(min=1)
    tags, relations, clauses = syntax.split([len(TAGS), len(RELATIONS), len(CLAUSES)], 2)
    for logits, name in ((tags, "tag"), (relations, "relation")):
        if (batch[name] >= 0).any():
            total = total + share * fn.cross_entropy(
                logits.flatten(0, 1), batch[name].flatten(), ignore_index=-1
            )
    parsed = batch["relation"] >= 0
    bits = (
        batch["clauses"].clamp(min=0).unsqueeze(2) >> torch.arange(len(CLAUSES), device=tags.device)
    ) & 1
    lost = fn.binary_cross_entropy_with_logits(clauses, bits.float(), reduction="none").sum(2)
    return total + share * (lost * parsed).sum() / parsed.sum().clamp(min=1)


def fit(
    encoder: Encoder, net: Edus, data: Sentences, args: argparse.Namespace, device: str
) -> None:
    """Train in place."""
    rng = np.random.default_rng(args.seed)
    names = LEARNT[args.corpora]
    chosen = data.of(names, 0)
    if args.limit:
        chosen = chosen[:: max(1, len(chosen) // args.limit)]
    share = np.array([SHARE.get(name, 2.0) for name in data.corpora])[data.corpus]
    carried = np.where(data.corpus == data.corpora.index("projected"), CARRIED, 1.0)
    styles = data.style(names)
    todo: list[Numbers] = []
    for _ in range(args.passes):
        seen = [chosen[rng.random(len(chosen)) < share[chosen] - k] for k in (0, 1)]
        todo += in_batches(data.texts.sizes, np.concatenate(seen), args.budget, rng)
    groups = [{"params": list(net.parameters()), "lr": args.lr}]
    if args.tuned:
        groups.append({"params": list(encoder.parameters()), "lr": args.lr * args.tuned})
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.02)
    steps = Steps(optimiser, len(todo), args.minutes, told=200, apart=True)
    net.train()
    for rows in todo:
        batch = data.texts.batch(rows)
        style = np.where(rng.random(len(rows)) < STYLELESS, 0, styles[rows])
        weight = torch.from_numpy(carried[rows]).float().to(device)
        features, _ = encoder(batch["ids"], batch["mask"])
        starts, syntax = net(features, batch["mask"], torch.from_numpy(style).to(device))
        loss = loss_of(batch, weight, starts, syntax, args.syntax)
        if not steps.take({"loss": loss}):
            break
    steps.end()


@torch.no_grad()
def counted(
    encoder: Encoder, net: Edus, data: Sentences, rows: Numbers, style: int, device: str
) -> tuple[Array, Array, int]:
    """Logits and gold of all words that begin a subword, and how many EDU starts are lost."""
    net.eval()
    logits, gold = [], []
    order = rows[np.argsort(data.texts.sizes[rows], kind="stable")]
    for at in range(0, len(order), 128):
        batch = data.texts.batch(order[at : at + 128])
        features, _ = encoder(batch["ids"], batch["mask"])
        given = torch.full((len(features),), style, device=device)
        known = batch["gold"] >= 0
        logits.append(net(features, batch["mask"], given)[0][known].cpu().numpy())
        gold.append(batch["gold"][known].cpu().numpy())
    return np.concatenate(logits), np.concatenate(gold), int(data.lost[rows].sum())


def f1(logits: Array, gold: Array, lost: int, threshold: float = 0.0) -> float:
    """F1 of EDU starts, in per cent."""
    said, true = logits > threshold, gold == 1
    return float(200 * (said & true).sum() / max(1, said.sum() + true.sum() + lost))


def report(
    encoder: Encoder, net: Edus, data: Sentences, args: argparse.Namespace, device: str
) -> dict[str, dict[str, float]]:
    """F1 by corpus, part and style; `tuned`: with the threshold that is best on the development part."""
    found: dict[str, dict[str, float]] = {}
    learnt = [n for n in LEARNT[args.corpora] if n in (*FOREIGN, "gum", "zho.rst.gcdt")]
    for corpus in data.corpora[:15]:
        thresholds: dict[str, float] = {}
        own = {"none": 0, "gum": data.corpora.index("gum") + 1}
        if corpus in learnt:
            own[corpus] = data.corpora.index(corpus) + 1
        for part, name in ((1, "dev"), (2, "test")):
            rows = data.of((corpus,), part)
            rows = rows[: args.limit or None]
            if not len(rows):
                continue
            values = found.setdefault(f"{corpus} {name}", {})
            for style, number in own.items():
                logits, gold, lost = counted(encoder, net, data, rows, number, device)
                values[style] = f1(logits, gold, lost)
                if part == 1:
                    grid = np.arange(-2, 2.01, 0.1).tolist()
                    thresholds[style] = max(grid, key=lambda t: f1(logits, gold, lost, t))
                at = thresholds.get(style, 0.0)
                values[f"{style} tuned"] = f1(logits, gold, lost, at)
            print(
                args.corpora, corpus, name, {k: round(v, 1) for k, v in values.items()}, flush=True
            )
    return found


def load_edus(folder: Path, encoder: Encoder, styles: int) -> Edus:
    """What was trained here; the encoder becomes what it was tuned to."""
    said = json.loads((folder / "edus.json").read_text())["arguments"]
    net = Edus(Reader(said["reader"], styles, int(said["width"]), int(said["layers"]), 0.0))
    weights = torch.load(folder / "edus.pt", map_location="cpu")
    net.load_state_dict({n: v.float() for n, v in weights.items() if not n.startswith("encoder.")})
    for name, value in weights.items():
        if name.startswith("encoder."):
            getattr(encoder, name.removeprefix("encoder.")).data.copy_(value.float())
    return net


def train(args: argparse.Namespace) -> None:
    """Train, count by corpus, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    torch.manual_seed(args.seed)
    encoder = Encoder(args.encoder, tuned=args.tuned > 0).to(device)
    arrays, corpora = read(args.store, encoder.vocabulary)
    data = Sentences(arrays, corpora, device)
    net = Edus(Reader(args.reader, len(corpora) + 1, args.width, args.layers, args.dropout)).to(
        device
    )
    args.out.mkdir(parents=True, exist_ok=True)
    fit(encoder, net, data, args, device)
    kept = dict(net.state_dict())
    kept |= {f"encoder.{n}": p for n, p in encoder.named_parameters()}
    torch.save({n: v.detach().half().cpu() for n, v in kept.items()}, args.out / "edus.pt")
    arguments = {name: str(value) for name, value in vars(args).items()}
    with torch.no_grad():
        figures = report(encoder, net, data, args, device)
    (args.out / "edus.json").write_text(
        json.dumps({"arguments": arguments, "f1": figures}, indent=1)
    )


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = options(__doc__, LEARNT, passes=14, minutes=3.0, lr=8e-4, dropout=0.3)
    p.add_argument("--budget", type=int, default=6144, help="subwords of a batch")
    p.add_argument("--syntax", type=float, default=0.3, help="what syntax counts beside EDU starts")
    p.add_argument("--reader", choices=KINDS, default="recurrent")
    p.add_argument("--tuned", type=float, default=0.0, help="the encoder's rate beside the net's")
    return p


if __name__ == "__main__":
    train(parser().parse_args())
