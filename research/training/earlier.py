"""The shipped encoder as weights to start a training from; heads start afresh.

    python -m training.earlier --onnx src/albeit/parsing/weights --out research/runs/earlier.safetensors

Trained weights are not kept, the shipped files are: their 8-bit products as numbers again.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from safetensors.torch import save_file
from torch import Tensor

from training.model.encoder import Config
from training.shipped import restored, stored

PARTS = ("query", "key", "value")


def start(weights: dict[str, Tensor], config: Config) -> dict[str, Tensor]:
    """Weights by the names of `training.model.network`: fused products are taken apart."""
    found: dict[str, Tensor] = {}
    for name, value in weights.items():
        if name == "words.weight" or name.startswith("middle."):
            continue
        if ".fused." in name:
            scales = (math.sqrt(config.width // config.attention_heads), 1.0, 1.0)
            for part, piece, scale in zip(PARTS, value.chunk(3), scales, strict=True):
                found[f"encoder.{name.replace('fused', part)}"] = piece * scale
        else:
            found[f"encoder.{name}"] = value
    return {name: value.half().contiguous() for name, value in found.items()}


def main() -> None:
    """Write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--onnx", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    found = start(restored(stored(args.onnx)), Config())
    save_file(found, args.out, {"notes": json.dumps({"base": "base"})})


if __name__ == "__main__":
    main()
