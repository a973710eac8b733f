"""Figures of a model, trained or exported, on any prepared split.

python -m training report --onnx src/albeit/parsing/weights --split dev
python -m training report --model research/runs/one/model.safetensors --split dev --noise
"""

from __future__ import annotations

import json
import random
from pathlib import Path

from training.evaluate import figures
from training.noise import noisy_item
from training.options import WEIGHTS
from training.predict import Analyser, Backend, OnnxBackend
from training.rows import Item, read_items

NOISE_SEED = 20
SCORERS = {"gum": figures.gum, "ewt": figures.ewt, "groups": figures.trees}


def open_backend(
    onnx: Path, model: Path | None, data: Path, labels: dict[str, list[str]]
) -> Backend:
    """Return the trained network or the exported files."""
    if model is None:
        return OnnxBackend(onnx)
    import torch

    from training.model.network import TorchBackend, load

    device = "cuda" if torch.cuda.is_available() else "cpu"
    return TorchBackend(load(model, data, labels).to(device), device)


def add_noise(items: list[Item], data: Path) -> list[Item]:
    """Return the items with noise, by a fixed seed."""
    rng = random.Random(NOISE_SEED)
    foreign = (data / "foreign.txt").read_text(encoding="utf-8").split()
    return [noisy_item(item, rng, foreign) for item in items]


def measure(
    backend: Backend,
    data: Path,
    labels: dict[str, list[str]],
    split: str = "dev",
    *,
    every: int = 1,
    noise: bool = False,
) -> dict[str, dict[str, float]]:
    """Return the figures of each corpus on a split."""
    analyser = Analyser(backend, data / "base/tokenizer.json", labels)
    found = {}
    for name, score in SCORERS.items():
        items = list(read_items(data / f"{name}.{split}.jsonl.gz"))[::every]
        gold = add_noise(items, data) if noise else items
        found[name] = score(gold, analyser(gold))
    return found


def main(
    *,
    data: Path = Path("research/data"),
    model: Path | None = None,
    onnx: Path = WEIGHTS,
    split: str = "dev",
    noise: bool = False,
) -> None:
    """Print figures."""
    labels = json.loads((data / "labels.json").read_text())
    backend = open_backend(onnx, model, data, labels)
    for name, scores in measure(backend, data, labels, split, noise=noise).items():
        for key, value in scores.items():
            print(f"{name:22} {key:28} {value:6.2f}")
