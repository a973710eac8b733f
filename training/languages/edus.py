"""Train EDU boundaries in many languages: a small network over the frozen encoder.

    python -m training.languages.edus --corpora all --store discourse.npz.xz --encoder encoder.npz --out RUNS/edus

`--corpora` says what is learnt from: `all`, `ship` (what may ship) or `english`. Corpora cut
differently, so the network is told the corpus of a sentence (its *style*); 0 is nobody's.
"""

from __future__ import annotations

import argparse
import json
import random
import time

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.judge.store import Array
from training.languages.arrays import BEGIN, END, read
from training.languages.encoder import Encoder
from training.languages.network import Tower, hidden
from training.languages.options import options
from training.schedule import rate

LEARNT = {
    "english": ("gum",),
    "ship": ("gum", "zho.rst.gcdt"),
    "all": (
        "gum", "deu.rst.pcc", "spa.rst.rststb", "spa.rst.sctb", "por.rst.cstn", "nld.rst.nldt",
        "fra.sdrt.annodis", "zho.rst.gcdt", "zho.rst.sctb", "zho.dep.scidtb", "eus.rst.ert",
        "fas.rst.prstc", "eng.dep.scidtb",
    ),
}  # fmt: skip
"""Nothing is learnt from Russian, whose training part is not here."""
STYLELESS = 0.3
"""How often a sentence is shown without its style."""


class Edus(nn.Module):
    """A logit a subword: does an EDU begin here?"""

    def __init__(self, styles: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.tower = Tower(0, styles, width, layers, dropout, biased=False)
        self.out = nn.Linear(width, 1)
        self.dropout = dropout

    def forward(self, features: Tensor, mask: Tensor, style: Tensor) -> Tensor:
        """`mask` is 1 where a subword stands, `style` one number a row."""
        position = torch.arange(mask.shape[1], device=mask.device).expand_as(mask)
        features = fn.dropout(features, self.dropout / 2, self.training)
        x = self.tower(features, style[:, None].expand_as(mask), position, hidden(mask > 0))
        return self.out(x).squeeze(2)


class Sentences:
    """The sentences of the store, with begin and end marks, as batches."""

    def __init__(self, arrays: dict[str, Array], corpora: list[str]) -> None:
        self.arrays, self.corpora = arrays, corpora
        self.starts = np.concatenate(([0], np.cumsum(arrays["sizes"].astype(np.int64))))
        self.words = np.concatenate(([0], np.cumsum(arrays["words"].astype(np.int64))))

    def of(self, names: tuple[str, ...], part: int) -> npt.NDArray[np.int64]:
        """The sentences of some corpora's part."""
        which = [self.corpora.index(name) for name in names]
        a = self.arrays
        return np.flatnonzero(np.isin(a["corpus"], which) & (a["part"] == part) & (a["sizes"] > 0))

    def batch(self, chosen: npt.NDArray[np.int64]) -> dict[str, Array]:
        """ids, mask, and 1 for subwords in which a word begins that begins an EDU; `known` are those
        in which a word begins."""
        a = self.arrays
        width = -(-(int(a["sizes"][chosen].max()) + 2) // 8) * 8
        shape = (len(chosen), width)
        ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        gold, known = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        for row, k in enumerate(chosen.tolist()):
            at, n = int(self.starts[k]), int(a["sizes"][k])
            ids[row, : n + 2] = [BEGIN, *a["ids"][at : at + n].tolist(), END]
            mask[row, : n + 2] = 1
            words = slice(self.words[k], self.words[k + 1])
            piece, true = a["word_piece"][words], a["word_gold"][words]
            known[row, piece[piece >= 0] + 1] = 1
            gold[row, piece[(piece >= 0) & true] + 1] = 1
        return {"ids": ids, "mask": mask, "gold": gold, "known": known}


def in_batches(
    data: Sentences, chosen: npt.NDArray[np.int64], budget: int, rng: random.Random
) -> list[npt.NDArray[np.int64]]:
    """Sentences of similar length together, in random order."""
    sizes = data.arrays["sizes"][chosen] * np.array([rng.uniform(0.9, 1.1) for _ in chosen])
    found: list[list[int]] = [[]]
    for k in chosen[np.argsort(sizes, kind="stable")].tolist():
        if (len(found[-1]) + 1) * (int(data.arrays["sizes"][k]) + 10) > budget and found[-1]:
            found.append([])
        found[-1].append(k)
    rng.shuffle(found)
    return [np.array(batch) for batch in found]


def fit(
    encoder: Encoder, net: Edus, data: Sentences, args: argparse.Namespace, device: str
) -> None:
    """Train in place."""
    rng = random.Random(args.seed)
    chosen = data.of(LEARNT[args.corpora], 0)
    if args.limit:
        chosen = chosen[:: max(1, len(chosen) // args.limit)]
    todo = [b for _ in range(args.passes) for b in in_batches(data, chosen, args.budget, rng)]
    steps = torch.optim.AdamW(net.parameters(), lr=args.lr, betas=(0.9, 0.98), weight_decay=0.02)
    started = time.time()

    def progress(step: int) -> float:
        return max((step + 1) / len(todo), (time.time() - started) / (60 * args.minutes))

    schedule = torch.optim.lr_scheduler.LambdaLR(steps, lambda step: rate(progress(step)))
    net.train()
    for step, rows in enumerate(todo):
        batch = {n: torch.from_numpy(v).to(device) for n, v in data.batch(rows).items()}
        style = np.array(
            [0 if rng.random() < STYLELESS else int(data.arrays["corpus"][k]) + 1 for k in rows]
        )
        features, _ = encoder(batch["ids"], batch["mask"])
        logits = net(features, batch["mask"], torch.from_numpy(style).to(device))
        lost = fn.binary_cross_entropy_with_logits(logits, batch["gold"], reduction="none")
        loss = (lost * batch["known"]).sum() / batch["known"].sum()
        steps.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        steps.step()
        schedule.step()
        if step % 200 == 0:
            print(f"{step}/{len(todo)} {time.time() - started:.0f}s {loss.item():.4f}", flush=True)
        if progress(step) >= 1:
            break
    print(f"trained {step + 1} of {len(todo)} in {time.time() - started:.0f}s", flush=True)


@torch.no_grad()
def f1(
    encoder: Encoder,
    net: Edus,
    data: Sentences,
    rows: npt.NDArray[np.int64],
    styles: dict[str, int],
    device: str,
) -> dict[str, float]:
    """F1 of EDU starts over the words of these sentences, in each style."""
    net.eval()
    counts = {name: np.zeros(3, np.int64) for name in styles}
    order = rows[np.argsort(data.arrays["sizes"][rows], kind="stable")]
    for at in range(0, len(order), 64):
        chosen = order[at : at + 64]
        arrays = data.batch(chosen)
        ids, mask = (torch.from_numpy(arrays[n]).to(device) for n in ("ids", "mask"))
        features, _ = encoder(ids, mask)
        for name, style in styles.items():
            given = torch.full((len(chosen),), style, device=device)
            logits = net(features, mask, given).cpu().numpy()
            for row, k in enumerate(chosen.tolist()):
                words = slice(data.words[k], data.words[k + 1])
                piece, true = data.arrays["word_piece"][words], data.arrays["word_gold"][words]
                said = (piece >= 0) & (logits[row, piece + 1] > 0)
                counts[name] += [(said & true).sum(), said.sum(), true.sum()]
    return {name: float(200 * c[0] / max(1, c[1] + c[2])) for name, c in counts.items()}


def train(args: argparse.Namespace) -> None:
    """Train, count by corpus, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(args.seed)
    encoder = Encoder(args.encoder).to(device)
    arrays, corpora = read(args.store, encoder.vocabulary)
    data = Sentences(arrays, corpora)
    net = Edus(len(corpora) + 1, args.width, args.layers, args.dropout).to(device)
    args.out.mkdir(parents=True, exist_ok=True)
    fit(encoder, net, data, args, device)
    torch.save({n: v.half().cpu() for n, v in net.state_dict().items()}, args.out / "edus.pt")
    report: dict[str, dict[str, float]] = {}
    styles = {"none": 0, **{name: corpora.index(name) + 1 for name in LEARNT[args.corpora]}}
    for corpus in corpora:
        for part, name in ((1, "dev"), (2, "test")):
            rows = data.of((corpus,), part)
            if args.limit:
                rows = rows[:4]
            if len(rows):
                found = f1(encoder, net, data, rows, styles, device)
                report[f"{corpus} {name}"] = found
                shown = {k: round(v, 2) for k, v in found.items() if k in ("none", "gum", corpus)}
                print(args.corpora, corpus, name, shown, flush=True)
    arguments = {name: str(value) for name, value in vars(args).items()}
    (args.out / "figures.json").write_text(
        json.dumps({"arguments": arguments, "f1": report}, indent=1)
    )


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = options(__doc__, LEARNT, passes=12, minutes=3.0, lr=5e-4, dropout=0.2)
    p.add_argument("--budget", type=int, default=6144, help="subwords of a batch")
    return p


if __name__ == "__main__":
    train(parser().parse_args())
