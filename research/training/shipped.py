"""The shipped 8-bit encoder as weights to start a training from; heads start afresh.

    python -m training.shipped --out research/runs/earlier.safetensors

Trained weights are not kept, the shipped files are: their 8-bit products as numbers again. A later
training starts from them, and the document tower from a copy of the upper layers.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from safetensors.torch import save_file
from torch import Tensor

from training.model.encoder import Config
from training.options import WEIGHTS, read_options

Arrays = dict[str, npt.NDArray[np.generic]]


def stored(folder: Path) -> Arrays:
    """The tensors of a folder's encoder as they lie in its file, by their names in PyTorch."""
    import onnx
    from onnx import numpy_helper

    found: Arrays = {}
    mix: list[float] = []
    graph = onnx.load(str(folder / "encoder.onnx")).graph
    for tensor in graph.initializer:
        name = tensor.name
        if name.startswith("onnx::Mul"):
            mix.append(float(numpy_helper.to_array(tensor)))
        if name.endswith(".zero") or name.startswith("onnx::") or "output_0" in name:
            continue
        name = name.replace("/MatMul.w", ".weight").removeprefix("/").replace("/", ".")
        found[name.removesuffix(".half")] = numpy_helper.to_array(tensor)
    found["mix"] = np.log(np.array(mix[::-1], np.float32))
    return found


def restored(arrays: Arrays) -> dict[str, Tensor]:
    """Single-precision weights, products' matrices as PyTorch keeps them (outputs first)."""
    found: dict[str, Tensor] = {}
    for name, value in arrays.items():
        if name.endswith(".scale"):
            continue
        number = np.asarray(value, np.float32)
        if name == "words.weight.bytes":
            name, number = "words.weight", number * arrays["words.weight.scale"]
        elif f"{name}.scale" in arrays:
            number = (number * arrays[f"{name}.scale"]).T
        found[name] = torch.from_numpy(np.ascontiguousarray(number, np.float32).copy())
    return found


def take_apart(weights: dict[str, Tensor], config: Config) -> dict[str, Tensor]:
    """Return weights by the names of `training.model.network`; fused products are taken apart."""
    found: dict[str, Tensor] = {}
    for name, value in weights.items():
        if name == "words.weight" or name.startswith("middle."):
            continue
        if ".fused." in name:
            scales = (math.sqrt(config.width // config.attention_heads), 1.0, 1.0)
            parts = zip(("query", "key", "value"), value.chunk(3), scales, strict=True)
            for part, piece, scale in parts:
                found[f"encoder.{name.replace('fused', part)}"] = piece * scale
        else:
            found[f"encoder.{name}"] = value
    return {name: value.half().contiguous() for name, value in found.items()}


def main(*, onnx: Path = WEIGHTS, out: Path) -> None:
    """Write the shipped encoder's weights."""
    out.parent.mkdir(parents=True, exist_ok=True)
    save_file(take_apart(restored(stored(onnx)), Config()), out, {"notes": '{"base": "base"}'})


if __name__ == "__main__":
    read_options(main)
