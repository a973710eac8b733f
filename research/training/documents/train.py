"""Train the coreference networks on kept states, with document trees as a second task.

The heads for trees are not exported. The tower of the shipped weights was trained with them.

python -m training.documents.train --out research/runs/documents --epochs 20 --seed 1
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from training.documents.arrays import Arrays, arrays
from training.documents.distil import Teachers
from training.documents.fill import fill
from training.documents.kept import WEIGHTS, Kept, load
from training.documents.network import Network, link_losses, mention_losses, tree_loss
from training.documents.predict import figures
from training.documents.start import adapt, asked, build, restore

WARM = 100
"""The most steps in which rates rise."""
WEIGHTS_OF = {
    "mention": 1.0,
    "kind": 0.3,
    "status": 0.1,
    "edges": 0.3,
    "link": 1.0,
    "quick": 0.3,
    "split": 1.0,
    "label": 0.5,
}
"""How much each loss counts."""
MEAN_SIZE = {
    "mention": 1000,
    "kind": 280,
    "status": 280,
    "edges": 280,
    "link": 280,
    "quick": 280,
    "split": 57,
    "label": 57,
}
"""Words, mentions and nodes of a usual document, by which its summed losses are divided."""


def losses(
    network: Network, documents: list[Arrays], teachers: Teachers | None = None, gold: float = 1.0
) -> dict[str, Tensor]:
    """The mean losses of a batch of documents, ``gold`` being the share of their annotation."""
    words = network.states(documents)
    places = network.unit_places(documents, words)
    totals: dict[str, Tensor] = {}
    for document, mine, place in zip(documents, words, places, strict=True):
        parts: list[tuple[float, dict[str, Tensor]]] = []
        if document.mentions and (gold or not teachers):
            found, score, kinds = mention_losses(network, document, mine)
            found.update(link_losses(network, document, mine, kinds, score))
            if document.tree:
                found["split"], found["label"] = tree_loss(network, place, document.tree)
            parts.append((gold if teachers else 1.0, found))
        if teachers:
            share = 1 - gold if document.mentions else 1.0
            parts.append((share, teachers.losses(network, document, mine, place)))
        for weight, found in parts:
            for name, value in found.items():
                share = weight * value / MEAN_SIZE[name] / len(documents)
                totals[name] = totals[name] + share if name in totals else share
    return totals


def groups(network: Network, args: argparse.Namespace) -> list[dict[str, object]]:
    """Parameters with their rates: the pretrained ones slowly, biases and norms without decay."""
    found: dict[tuple[float, float], list[Tensor]] = {}
    for name, value in network.named_parameters():
        if not value.requires_grad:
            continue
        old = name.startswith(("reader.tower.", "reader.encoder.")) and "near" not in name
        decay = args.decay if value.ndim > 1 else 0.0
        found.setdefault((args.lr if old else args.head_lr, decay), []).append(value)
    return [{"params": p, "lr": lr, "weight_decay": decay} for (lr, decay), p in found.items()]


def follow(
    network: Network,
    teachers: Teachers,
    train: list[Arrays],
    args: argparse.Namespace,
    rng: random.Random,
) -> None:
    """Learn the word vectors that the first teacher gives, by squared error."""
    reader = network.reader
    optimiser = torch.optim.AdamW(reader.parameters(), lr=args.lr * 2, betas=(0.9, 0.98))
    began = time.time()
    spent = 0.0
    while spent < 1 and args.follow:
        rng.shuffle(train)
        reader.train()
        error = 0.0
        for at in range(0, len(train), args.batch):
            spent = (time.time() - began) / 60 / args.follow
            for group in optimiser.param_groups:
                group["lr"] = args.lr * 2 * max(0.02, math.cos(math.pi / 2 * min(1.0, spent)))
            batch = train[at : at + args.batch]
            mine = torch.cat(reader(batch))
            theirs = torch.cat([teachers.seen[d.name][0].words for d in batch])
            loss = (mine - theirs).square().mean()
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            error += float(loss.detach()) * len(batch) / len(train)
        print(f"following, {time.time() - began:.0f} s: error {error:.4f}", flush=True)


def documents(
    path: Path, weights: Path, device: str, limit: int, *, again: bool = False
) -> tuple[list[Kept], list[Arrays]]:
    """Kept documents with their states, of a folder's encoder where they are not kept (or where
    they are to be made ``again``), and their arrays."""
    kept = load(path)[:limit]
    fill(kept, weights, device, again=again)
    return kept, [arrays(each) for each in kept]


def learnt(args: argparse.Namespace, weights: Path, device: str) -> list[Arrays]:
    """What is learnt from: the training part, and with teachers what they alone annotate."""
    paths = [args.data / "train.pickle", *([args.silver] if args.teachers and args.silver else [])]
    again = bool(args.teacher_weights)
    parts = (documents(path, weights, device, args.limit, again=again) for path in paths)
    return [each for _, found in parts for each in found]


def keep(network: Network, scores: dict[str, float], notes: dict[str, str], out: Path) -> None:
    """Write the network as it is now, and its figures."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "dev.json").write_text(json.dumps(scores, indent=1) + "\n")
    state = {k: v.detach().half().cpu().contiguous() for k, v in network.state_dict().items()}
    save_file(state, out / "model.safetensors", notes)


def told(scores: dict[str, float]) -> str:
    """The figures to watch."""
    means = ("heads_mean", "heads_singletons_mean", "exact_mean")
    some = ("heads_muc", "heads_b3", "heads_ceaf", *means, "mention_heads")
    return " ".join(f"{k} {scores[k]:.1f}" for k in some)


def kinds(found: list[Arrays]) -> list[str]:
    """The entity types of documents."""
    return sorted({m.kind for d in found for m in d.mentions.values()})


def main() -> None:
    """Train, telling figures on the development part on the way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("research/data/documents"))
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="the shipped model")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=20, help="0 with --init: only adapt")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--batch", type=int, default=4, help="documents a step")
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--head-lr", type=float, default=5e-4)
    parser.add_argument("--decay", type=float, default=0.02)
    parser.add_argument("--tower", type=int, default=3, help="layers")
    parser.add_argument("--reads", choices=["words", "subwords"], default="words", help="the tower")
    parser.add_argument("--inner", type=int, default=1536, help="feed-forward units of a layer")
    parser.add_argument("--heads-of", type=Path, help="a trained network whose heads ours start as")
    parser.add_argument(
        "--init",
        type=Path,
        help="a trained network that ours starts as, which has its shape from there",
    )
    parser.add_argument(
        "--teacher-weights",
        type=Path,
        metavar="FOLDER",
        help="the model whose states teachers and --init read, where it is another than --weights",
    )
    parser.add_argument(
        "--follow",
        type=float,
        default=0.0,
        metavar="MINUTES",
        help="before all else, learn the first teacher's word vectors",
    )
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--head-dropout", type=float, default=0.3)
    parser.add_argument("--large", type=Path, help="a pretrained encoder, for a teacher")
    parser.add_argument("--teachers", type=Path, nargs="*", default=[])
    parser.add_argument(
        "--gold", type=float, default=0.3, help="the annotation's share, with teachers"
    )
    parser.add_argument("--silver", type=Path, help="kept documents that teachers alone annotate")
    parser.add_argument("--limit", type=int, default=10**9, help="documents, for a smoke test")
    parser.add_argument("--every", type=int, default=5, help="epochs between figures")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    torch.manual_seed(args.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    kept, dev = documents(
        args.data / "dev.pickle", args.weights, device, args.limit, again=bool(args.teacher_weights)
    )
    train = learnt(args, args.weights, device)
    before = learnt(args, args.teacher_weights, device) if args.teacher_weights else train
    labels = json.loads((args.weights / "meta.json").read_text(encoding="utf-8"))["labels"]
    notes = asked(args, {"kind": kinds(train), "rst": labels["rst"]})
    network = build(args, notes)
    print(f"{sum(p.numel() for p in network.parameters()) / 1e6:.2f} M parameters", flush=True)
    if args.init and args.teacher_weights:
        print(f"states mapped, {adapt(network, train, before):.4f} of their variance left")
    network.to(device)
    if args.init:
        scores = figures(network, kept, dev)
        print(f"at the start, dev: {told(scores)}", flush=True)
        keep(network, scores, notes, args.out)
    teachers = None
    if args.teachers:
        teachers = Teachers([restore(path, device) for path in args.teachers])
        teachers.read(before)
        follow(network, teachers, train, args, rng)
    steps = max(1, args.epochs * -(-len(train) // args.batch))
    optimiser = torch.optim.AdamW(groups(network, args), betas=(0.9, 0.98))
    began = time.time()
    warm = min(WARM, max(1, steps // 10))

    def rate(step: int) -> float:
        spent = max(step / steps, (time.time() - began) / 60 / args.minutes)
        return min(1.0, (step + 1) / warm) * max(0.02, math.cos(math.pi / 2 * min(1.0, spent)))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
    for epoch in range(args.epochs):
        rng.shuffle(train)
        network.train()
        means: dict[str, float] = {}
        for at in range(0, len(train), args.batch):
            found = losses(network, train[at : at + args.batch], teachers, args.gold)
            total = sum(WEIGHTS_OF[name] * value for name, value in found.items())
            optimiser.zero_grad()
            total.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            for name, value in found.items():
                means[name] = means.get(name, 0.0) + float(value.detach())
        count = -(-len(train) // args.batch)
        lost = " ".join(f"{name} {value / count:.3f}" for name, value in means.items())
        print(f"epoch {epoch + 1} {time.time() - began:.0f} s: {lost}", flush=True)
        over = (time.time() - began) / 60 > args.minutes
        if (epoch + 1) % args.every == 0 or epoch + 1 == args.epochs or over:
            scores = figures(network, kept, dev)
            print(f"dev: {told(scores)}", flush=True)
            keep(network, scores, notes, args.out)
        if over:
            break


if __name__ == "__main__":
    main()
