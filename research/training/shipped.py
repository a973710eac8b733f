"""The shipped 8-bit encoder in PyTorch: its weights as numbers again.

A later training starts from it, the document tower from a copy of its upper layers, and what the
tower reads is computed with it on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from training.model.encoder import Config, Encoder

Arrays = dict[str, npt.NDArray[np.generic]]
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Encode = Callable[[Ints, Ints, Ints], tuple[Floats, Floats]]
"""Subwords, mask and casing → what the sentence heads read, and the middle layer."""


def stored(folder: Path) -> Arrays:
    """The tensors of a folder's encoder as they lie in its file, by their names in PyTorch."""
    import onnx
    from onnx import numpy_helper

    found: Arrays = {}
    mix: list[float] = []
    graph = onnx.load(str(folder / "encoder.onnx")).graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "MatMulIntegerToFloat":
            scale, zero = (numpy_helper.to_array(tensors[node.input[k]]) for k in (2, 4))
            name = node.name.removesuffix("/MatMul").removeprefix("/").replace("/", ".")
            found[f"{name}.rounding"] = np.array([scale, zero], np.float32)
    for tensor in tensors.values():
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
        if name.endswith((".scale", ".rounding")):
            continue
        number = torch.from_numpy(np.asarray(value, np.float32).copy())
        if name == "words.weight.bytes":
            scale = torch.from_numpy(np.asarray(arrays["words.weight.scale"], np.float32).copy())
            found["words.weight"] = number * scale
        elif f"{name}.scale" in arrays:
            scale = torch.from_numpy(np.asarray(arrays[f"{name}.scale"], np.float32).copy())
            found[name] = (number * scale).T.contiguous()
        else:
            found[name] = number
    return found


def _rounding(scale: float, zero: float) -> Callable[[nn.Module, tuple[Tensor]], tuple[Tensor]]:
    """Brings a product's input to the bytes that the shipped file computes with."""

    def hook(_: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        (x,) = inputs
        return ((torch.round(x / scale).clamp(-zero, 255 - zero) * scale),)

    return hook


def encoder(arrays: Arrays) -> Encoder:
    """The shipped encoder, for running only: inputs of products are rounded as in its file."""
    weights = restored(arrays)
    network = Encoder(Config())
    for block in network.blocks:
        block.attention.fuse()
    kept = {name: value for name, value in weights.items() if not name.startswith("middle.")}
    missing, unexpected = network.load_state_dict(kept, strict=False)
    unread = {part for name in missing for part in ("query", "key", "value") if part in name}
    if unexpected or len(missing) != 6 * len(network.blocks) or len(unread) != 3:
        raise ValueError(f"the shipped encoder has another shape: {missing}, {unexpected}")
    for name, module in network.named_modules():
        if f"{name}.rounding" in arrays:
            module.register_forward_pre_hook(_rounding(*arrays[f"{name}.rounding"].tolist()))
    return network.eval()


def encode(folder: Path, device: str) -> Encode:
    """Computes a folder's encoder: by onnxruntime, on a GPU in PyTorch."""
    if device == "cpu":
        from training.onnx_backend import OnnxBackend

        return OnnxBackend(folder, torch.get_num_threads()).encode
    arrays = stored(folder)
    network = encoder(arrays).to(device)
    weights = restored(arrays)
    mean, factor = (weights[f"middle.{name}"].to(device) for name in ("mean", "factor"))

    @torch.no_grad()
    def run(ids: Ints, mask: Ints, cases: Ints) -> tuple[Floats, Floats]:
        hidden, middle = network(*(torch.from_numpy(x).to(device) for x in (ids, mask, cases)))
        return hidden.cpu().numpy(), ((middle - mean) * factor).cpu().numpy()

    return run
