"""Step 3: train the encoder and all heads together.

    python -m training.train --out research/runs/one --seed 1

Minutes on a data-center GPU, many hours on a CPU (`--limit 400 --epochs 1` for a trial). Prints
the development figures of the averaged weights at the end and writes `model.safetensors` and
`dev.json`. The initial head weights are the same for every seed, which only changes data order,
noise and dropout. With `--teachers`, it learns from other models, also on unannotated items
(`--silver`).
"""

from __future__ import annotations

import json
from collections import deque
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from training import feed
from training.batch import Collator, Subwords
from training.evaluate import figures
from training.model import distil, eight_bit
from training.model.losses import WEIGHTS, losses, middle_loss, outputs
from training.model.network import Network, TorchBackend, base_encoder, load, save, start_from
from training.options import read_options
from training.predict import Analyser
from training.rows import read_items
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
    eight_bit_from: float = 2.0
    """The share of the training after which the encoder is trained as if in 8 bits."""
    groups: int = 1200
    """Multi-sentence items per epoch."""
    mask: float = 0.05
    """The share of subwords that are masked."""
    middle_weight: float = 4.0
    init: Path | None = None
    """Trained weights to start from."""
    teachers: list[Path] = field(default_factory=list)
    """Trained models to learn from, the best first."""
    gold: float = 0.5
    """The share of the gold losses in distillation."""
    dev_every: int = 1


def parameter_groups(network: Network, settings: Settings) -> list[dict[str, object]]:
    """Return heads at their own rate; the encoder's rate falls from layer to layer downwards."""
    heads = [
        p
        for n, p in network.named_parameters()
        if n.startswith("heads") or "cases" in n or n.endswith("mix")
    ]
    encoder = network.encoder
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


def combine_losses(out: Weights, batch: Weights, soft: Weights | None, gold: float) -> Weights:
    """Return the gold losses, or a mix of them and the teachers' (those alone without gold)."""
    if soft is None:
        return losses(out, batch)
    taught = distil.losses(out, soft, batch)
    if "silver" in batch or not gold:
        return taught
    hard = losses(out, batch)
    return {name: gold * hard[name] + (1 - gold) * taught[name] for name in hard}


class Objective:
    """The weighted losses of a batch."""

    def __init__(
        self, network: Network, teachers: list[Network], settings: Settings, device: str
    ) -> None:
        self.network, self.teachers, self.settings = network, teachers, settings
        self.original = None
        if settings.middle_weight:
            self.original = base_encoder(settings.data / settings.base)
            self.original = self.original.to(device).eval().requires_grad_(False)
        self.weights = {**WEIGHTS, "middle": settings.middle_weight}

    def __call__(self, batch: Weights) -> Weights:
        """Return the parts of the loss."""
        network, settings = self.network, self.settings
        soft = distil.score(self.teachers, batch) if self.teachers else None
        words, middle = network({**batch, "ids": mask_subwords(batch["ids"], settings.mask)})
        out = outputs(network.heads, words, batch)
        parts = combine_losses(out, batch, soft, settings.gold)
        if self.original is not None:
            parts["middle"] = middle_loss(network.encoder, self.original, middle, batch)
        return {name: self.weights[name] * part for name, part in parts.items()}


def evaluate(
    network: Network, collator: Collator, settings: Settings, device: str
) -> dict[str, dict[str, float]]:
    """Return development figures."""
    tokenizer = settings.data / "base/tokenizer.json"
    analyser = Analyser(TorchBackend(network, device), tokenizer, collator.labels)
    found: dict[str, dict[str, float]] = {}
    for name, score in (("gum", figures.gum), ("ewt", figures.ewt), ("groups", figures.trees)):
        items = list(read_items(settings.data / f"{name}.dev.jsonl.gz"))[:: settings.dev_every]
        found[name] = score(items, analyser(items))
    return found


def fit(
    network: Network, teachers: list[Network], source: feed.Annotated, settings: Settings
) -> Network:
    """Train in place; return the averaged weights."""
    device = source.device
    objective = Objective(network, teachers, settings, device)
    groups = parameter_groups(network, settings)
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=device == "cuda")
    average = deepcopy(network).requires_grad_(False)
    pairs = [
        (a, p)
        for a, p in zip(average.parameters(), network.parameters(), strict=True)
        if p.requires_grad
    ]
    steps = Steps(optimiser, len(source), settings.minutes, every=200, clip=2.0)
    recent: deque[Weights] = deque(maxlen=8)
    rounding = False
    network.train()
    for batch in source:
        recent.append(batch)
        if not rounding and steps.progress > settings.eight_bit_from:
            eight_bit.attach(network.encoder, eight_bit.ranges(network.encoder, recent))
            rounding = True
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            parts = objective(batch)
        going = steps.take(parts)
        decay = min(settings.ema, steps.taken / (steps.taken + 9))
        torch._foreach_lerp_([a for a, _ in pairs], [p for _, p in pairs], 1 - decay)
        if not going:
            break
    steps.end()
    save(average.eval(), settings.out / "model.safetensors", **_notes(settings))
    if rounding:
        eight_bit.attach(average.encoder, eight_bit.ranges(average.encoder, recent))
    return average


def _notes(settings: Settings) -> dict[str, str]:
    return {name: str(value) for name, value in asdict(settings).items()}


def main(settings: Settings) -> None:
    """Train, evaluate, save."""
    if settings.silver and not settings.teachers:
        raise SystemExit("--silver needs --teachers.")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    labels: dict[str, list[str]] = json.loads((settings.data / "labels.json").read_text())
    collator = Collator(Subwords(settings.data / "base/tokenizer.json"), labels)
    torch.manual_seed(HEAD_SEED)
    encoder = base_encoder(settings.data / settings.base)
    network = Network(encoder, labels, settings.dropout)
    if settings.init:
        start_from(network, {n: value.float() for n, value in load_file(settings.init).items()})
    torch.manual_seed(settings.seed)
    source = feed.Annotated(settings, settings.epochs, settings.groups, collator, device)
    teachers = [load(path, settings.data, labels).to(device) for path in settings.teachers]
    average = fit(network.to(device), teachers, source, settings)
    dev = evaluate(average, collator, settings, device)
    for name, scores in dev.items():
        print(name, {k: round(v, 2) for k, v in scores.items()}, flush=True)
    report = {"arguments": _notes(settings), "dev": dev}
    (settings.out / "dev.json").write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main(read_options(Settings))
