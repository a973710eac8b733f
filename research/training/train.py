"""Step 3: train the encoder and all heads together.

    python -m training train --out research/runs/one --seed 1

Minutes on a data-center GPU, many hours on a CPU (`--limit 400 --epochs 1` for a trial). Prints
the development figures of the averaged weights at the end and writes `model.safetensors` and
`dev.json`. The initial head weights are the same for every seed, which only changes data order,
noise and dropout.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn

from training import feed
from training.batch import Collator, Subwords
from training.model.losses import WEIGHTS, losses, middle_loss, outputs
from training.model.network import Network, TorchBackend, base_encoder, save
from training.report import measure
from training.steps import Steps

HEAD_SEED = 7
MASK = 103
Weights = dict[str, Tensor]


@dataclass(kw_only=True)
class Settings(feed.FeedSettings):
    """The options of a training."""

    epochs: int = 50
    minutes: float = 1e9
    lr: float = 5e-4
    """Of the encoder's top layer."""
    head_lr: float = 1e-3
    layer_decay: float = 0.85
    dropout: float = 0.33
    """In the heads."""
    ema: float = 0.998
    base: str = "base"
    """The folder of the pretrained encoder, in ``data``."""
    groups: int = 1200
    """Multi-sentence items per epoch."""
    mask: float = 0.05
    """The share of subwords that are masked."""
    middle_weight: float = 4.0
    dev_every: int = 1


def parameter_groups(network: Network, settings: Settings) -> list[dict[str, object]]:
    """Return heads at their own rate; the encoder's rate falls from layer to layer downwards."""
    encoder = network.encoder
    heads = [*network.heads.parameters(), *encoder.cases.parameters(), encoder.mix]
    encoder.words.weight.requires_grad_(False)
    groups: list[tuple[list[nn.Parameter], float, float]] = [(heads, settings.head_lr, 0.01)]
    rate = settings.lr
    for block in reversed(encoder.blocks):
        groups.append((list(block.parameters()), rate, 0.01))
        rate *= settings.layer_decay
    groups.append(([*encoder.positions.parameters(), *encoder.norm.parameters()], rate, 0.0))
    return [{"params": p, "lr": lr, "weight_decay": decay} for p, lr, decay in groups]


def mask_subwords(ids: Tensor, share: float) -> Tensor:
    """Mask some subwords (special tokens have the smallest ids)."""
    hidden = (torch.rand(ids.shape, device=ids.device) < share) & (ids > MASK)
    return torch.where(hidden, MASK, ids)


class Objective:
    """The weighted losses of a batch."""

    def __init__(self, network: Network, settings: Settings, device: str) -> None:
        self.network, self.settings = network, settings
        self.original = None
        if settings.middle_weight:
            self.original = base_encoder(settings.data / settings.base)
            self.original = self.original.to(device).eval().requires_grad_(False)
        self.weights = {**WEIGHTS, "middle": settings.middle_weight}

    def __call__(self, batch: Weights) -> Weights:
        """Return the parts of the loss."""
        network, settings = self.network, self.settings
        words, middle = network({**batch, "ids": mask_subwords(batch["ids"], settings.mask)})
        parts = losses(outputs(network.heads, words, batch), batch)
        if self.original is not None:
            parts["middle"] = middle_loss(network.encoder, self.original, middle, batch)
        return {name: self.weights[name] * part for name, part in parts.items()}


def fit(network: Network, source: feed.Annotated, settings: Settings) -> Network:
    """Train in place; return the averaged weights."""
    device = source.device
    objective = Objective(network, settings, device)
    groups = parameter_groups(network, settings)
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=device == "cuda")
    average = deepcopy(network).requires_grad_(False)
    both = zip(average.parameters(), network.parameters(), strict=True)
    means, own = zip(*((a, p) for a, p in both if p.requires_grad), strict=True)
    steps = Steps(optimiser, len(source), settings.minutes, every=200, clip=2.0)
    network.train()
    for batch in source:
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            parts = objective(batch)
        going = steps.take(parts)
        decay = min(settings.ema, steps.taken / (steps.taken + 9))
        torch._foreach_lerp_(means, own, 1 - decay)
        if not going:
            break
    steps.end()
    save(average.eval(), settings.out / "model.safetensors", **_notes(settings))
    return average


def _notes(settings: Settings) -> dict[str, str]:
    return {name: str(value) for name, value in asdict(settings).items()}


def main(settings: Settings) -> None:
    """Train, evaluate, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    labels: dict[str, list[str]] = json.loads((settings.data / "labels.json").read_text())
    collator = Collator(Subwords(settings.data / "base/tokenizer.json"), labels)
    torch.manual_seed(HEAD_SEED)
    encoder = base_encoder(settings.data / settings.base)
    network = Network(encoder, labels, settings.dropout)
    torch.manual_seed(settings.seed)
    source = feed.Annotated(settings, settings.epochs, settings.groups, collator, device)
    average = fit(network.to(device), source, settings)
    dev = measure(TorchBackend(average, device), settings.data, labels, every=settings.dev_every)
    for name, scores in dev.items():
        print(name, {k: round(v, 2) for k, v in scores.items()}, flush=True)
    report = {"arguments": _notes(settings), "dev": dev}
    (settings.out / "dev.json").write_text(json.dumps(report, indent=1))
