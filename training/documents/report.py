"""Figures of trained document analysers on a part of GUM.

python -m training.documents.report --model training/runs/documents/model.safetensors --split dev
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from training.documents.kept import WEIGHTS
from training.documents.predict import figures
from training.documents.shipped import read
from training.documents.train import documents, restore


def main() -> None:
    """Print figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("training/data/documents"))
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="the shipped model")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--threshold", type=float, default=0.5, help="of mentions")
    parser.add_argument("--decode", choices=["greedy", "exact"], default="greedy")
    parser.add_argument("-f", "--format", choices=["text", "json"], default="text")
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kept, arrays = documents(args.data / f"{args.split}.pickle", read(args.weights), device, 10**9)
    found = figures(restore(args.model, device), kept, arrays, args.threshold, args.decode)
    if args.format == "json":
        print(json.dumps(found, indent=1))
        return
    for name, value in found.items():
        print(f"{name:32} {value:6.2f}")


if __name__ == "__main__":
    main()
