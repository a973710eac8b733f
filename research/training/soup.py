"""Average the weights of models trained from one start with different seeds.

python -m training.soup --out research/runs/soup/model.safetensors research/runs/s*/model.safetensors
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file


def main() -> None:
    """Average."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    states = [load_file(path) for path in args.models]
    mean = {
        name: torch.stack([state[name].float() for state in states]).mean(0).half().contiguous()
        for name in states[0]
    }
    args.out.parent.mkdir(parents=True, exist_ok=True)
    with safe_open(args.models[0], "pt") as first:
        save_file(mean, args.out, first.metadata())


if __name__ == "__main__":
    main()
