"""The shipped 8-bit encoder as numbers: the document tower starts from its upper layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

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
