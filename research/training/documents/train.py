"""Train coreference on documents with the states of the parsing model.

    python -m training documents.train --out RUNS/t1 --large MPNET --lr 6e-5 --epochs 30
    python -m training documents.train --out RUNS/w1 --teachers RUNS/t1/model.safetensors

A network starts from a large encoder (a teacher), from the upper layers of the parsing model, or
from a trained network (`--init`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from training.documents.data import Arrays, Kept, load, make_arrays
from training.documents.network import Network, Teachers, gold_losses
from training.documents.report import measure, summarize
from training.documents.tower import TowerReader, WindowReader
from training.model.encoder import Config, Encoder
from training.model.network import base_encoder
from training.options import WEIGHTS
from training.shipped import restored, stored
from training.steps import Steps

WIDTH = 384
SCALE = {
    "mention": 1 / 1000,
    "kind": 0.3 / 280,
    "status": 0.1 / 280,
    "edges": 0.3 / 280,
    "link": 1 / 280,
    "quick": 0.3 / 280,
}
"""How much each loss counts, divided by the words or mentions of a usual document."""


@dataclass(kw_only=True)
class Settings:
    """The options of a training."""

    out: Path
    data: Path = Path("research/data/documents")
    weights: Path = WEIGHTS
    init: Path | None = None
    large: Path | None = None
    tower: int = 2
    inner: int = 1024
    teachers: list[Path] = field(default_factory=list)
    gold: float = 0.3
    """The annotation's share, with teachers."""
    seed: int = 1
    epochs: int = 20
    minutes: float = 1e9
    batch: int = 4
    lr: float = 1e-4
    head_lr: float = 5e-4
    decay: float = 0.02
    dropout: float = 0.1
    head_dropout: float = 0.3
    limit: int | None = None
    every: int = 5


def read_notes(path: Path) -> dict[str, str]:
    """Return what a trained network's file has about it: its entity types and its shape."""
    with safe_open(path, "pt") as file:
        return file.metadata() or {}


def make_network(notes: dict[str, str], dropout: float, head_dropout: float, seed: int) -> Network:
    """Return a network of this shape, not yet trained."""
    reader: TowerReader | WindowReader
    if notes["large"]:
        config = Config(**json.loads((Path(notes["large"]) / "config.json").read_text()))
        reader = WindowReader(Encoder(config), WIDTH, seed)
    else:
        reader = TowerReader(int(notes["tower"]), WIDTH, int(notes["inner"]), dropout)
    return Network(reader, json.loads(notes["kinds"]), WIDTH, head_dropout)


def load_weights(network: Network, path: Path) -> None:
    """Load the weights of a trained network."""
    network.load_state_dict({name: value.float() for name, value in load_file(path).items()})


def restore(path: Path, device: str) -> Network:
    """Return a trained network, for running only."""
    network = make_network(read_notes(path), 0.0, 0.0, 0)
    load_weights(network, path)
    return network.to(device).eval()


def build(settings: Settings, notes: dict[str, str]) -> Network:
    """Return the network that training starts from."""
    network = make_network(notes, settings.dropout, settings.head_dropout, settings.seed)
    if settings.init:
        load_weights(network, settings.init)
    elif isinstance(network.reader, WindowReader):
        assert settings.large
        network.reader.encoder.load_state_dict(base_encoder(settings.large).state_dict())
    else:
        network.reader.tower.start(restored(stored(settings.weights)))
    return network


def batch_losses(
    network: Network, documents: list[Arrays], teachers: Teachers | None = None, gold: float = 1.0
) -> dict[str, Tensor]:
    """Return the mean losses of documents; ``gold`` is the share of their annotation."""
    totals: dict[str, Tensor] = {}
    for document, words in zip(documents, network.states(documents), strict=True):
        parts: list[tuple[float, dict[str, Tensor]]] = []
        share = (gold if teachers else 1.0) if document.mentions else 0.0
        if share:
            parts.append((share, gold_losses(network, document, words)))
        if teachers:
            parts.append((1 - share, teachers.losses(network, document, words)))
        for weight, losses in parts:
            for name, value in losses.items():
                own = weight * value * SCALE[name] / len(documents)
                totals[name] = totals[name] + own if name in totals else own
    return totals


def make_groups(network: Network, settings: Settings) -> list[dict[str, object]]:
    """Return parameters with their rates: pretrained ones slow, biases and norms without decay."""
    groups: dict[tuple[float, float], list[Tensor]] = {}
    for name, value in network.named_parameters():
        old = name.startswith(("reader.tower.", "reader.encoder.")) and "near" not in name
        decay = settings.decay if value.ndim > 1 else 0.0
        groups.setdefault((settings.lr if old else settings.head_lr, decay), []).append(value)
    return [{"params": p, "lr": lr, "weight_decay": decay} for (lr, decay), p in groups.items()]


def keep(
    network: Network, kept: list[Kept], dev: list[Arrays], notes: dict[str, str], out: Path
) -> None:
    """Write the network as it is now, and its figures."""
    scores = measure(network, kept, dev)
    print(f"dev: {summarize(scores)}", flush=True)
    out.mkdir(parents=True, exist_ok=True)
    (out / "dev.json").write_text(json.dumps(scores, indent=1) + "\n")
    state = {k: v.detach().half().cpu().contiguous() for k, v in network.state_dict().items()}
    save_file(state, out / "model.safetensors", notes)


def make_batches(train: list[Arrays], settings: Settings) -> Iterator[tuple[int, list[Arrays]]]:
    """Yield the batches of all epochs with the number of the epoch."""
    rng = random.Random(settings.seed)
    for epoch in range(settings.epochs):
        rng.shuffle(train)
        for at in range(0, len(train), settings.batch):
            yield epoch, train[at : at + settings.batch]


def main(settings: Settings) -> None:
    """Train; print figures on the development part on the way."""
    torch.manual_seed(settings.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    kept = load(settings.data / "dev.pickle", settings.limit)
    dev = [make_arrays(each) for each in kept]
    train = [make_arrays(each) for each in load(settings.data / "train.pickle", settings.limit)]
    kinds = sorted({m.kind for d in train for m in d.mentions.values()})
    shape = {"tower": settings.tower, "inner": settings.inner, "large": settings.large or ""}
    notes = {"kinds": json.dumps(kinds), **{name: str(value) for name, value in shape.items()}}
    if settings.init:
        notes = read_notes(settings.init)
    network = build(settings, notes).to(device)
    teachers = None
    if settings.teachers:
        teachers = Teachers([restore(path, device) for path in settings.teachers])
        teachers.read(train)
    total = max(1, settings.epochs * -(-len(train) // settings.batch))
    optimizer = torch.optim.AdamW(make_groups(network, settings), betas=(0.9, 0.98))
    steps = Steps(optimizer, total, settings.minutes)
    last = 0
    for epoch, batch in make_batches(train, settings):
        if epoch > last and epoch % settings.every == 0:
            keep(network, kept, dev, notes, settings.out)
        last = epoch
        network.train()
        if not steps.take(batch_losses(network, batch, teachers, settings.gold)):
            break
    keep(network, kept, dev, notes, settings.out)
