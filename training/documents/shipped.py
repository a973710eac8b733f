"""The shipped 8-bit encoder in PyTorch: its weights as numbers again.

The document tower starts as a copy of the encoder's upper layers, and a machine without
onnxruntime computes the states that it reads with this copy of the lower ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from training.batch import CLS, SEP
from training.documents.kept import Kept
from training.model.encoder import Config, Encoder

Arrays = dict[str, npt.NDArray[np.generic]]
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Encode = Callable[[Ints, Ints, Ints], tuple[Floats, Floats]]
"""Subwords, mask and casing → what the sentence heads read, and the middle layer."""


def stored(path: Path) -> Arrays:
    """The tensors of the shipped encoder as they lie in its file, by their names in PyTorch."""
    import onnx
    from onnx import numpy_helper

    found: Arrays = {}
    mix: list[float] = []
    graph = onnx.load(str(path)).graph
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


def read(folder: Path) -> Arrays:
    """The same from a folder: from the shipped file, or from what `pack` wrote."""
    packed = folder / "encoder.npz"
    if packed.exists():
        with np.load(packed) as found:
            return dict(found)
    return stored(folder / "encoder.onnx")


def pack(arrays: Arrays, subwords: npt.NDArray[np.int64], folder: Path) -> None:
    """Write the encoder with the vectors of these subwords only: small enough to travel."""
    table = np.zeros_like(arrays["words.weight.bytes"])
    table[subwords] = arrays["words.weight.bytes"][subwords]
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / "encoder.npz", **{**arrays, "words.weight.bytes": table})  # type: ignore[arg-type]


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
    """Computes a folder's encoder: by onnxruntime, or, where that does not go (on a GPU, or where
    what `pack` wrote is all there is), in PyTorch."""
    if device == "cpu" and (folder / "encoder.onnx").exists():
        from training.onnx_backend import OnnxBackend

        return OnnxBackend(folder, torch.get_num_threads()).encode
    arrays = read(folder)
    network = encoder(arrays).to(device)
    weights = restored(arrays)
    mean, factor = (weights[f"middle.{name}"].to(device) for name in ("mean", "factor"))

    @torch.no_grad()
    def run(ids: Ints, mask: Ints, cases: Ints) -> tuple[Floats, Floats]:
        hidden, middle = network(*(torch.from_numpy(x).to(device) for x in (ids, mask, cases)))
        return hidden.cpu().numpy(), ((middle - mean) * factor).cpu().numpy()

    return run


def fill(kept: Sequence[Kept], folder: Path, device: str, *, again: bool = False) -> None:
    """Make the vectors of kept sentences that lack them, or ``again`` of all of them, with a
    folder's encoder."""
    run = encode(folder, device)
    tokens = 1000 if device == "cpu" else 20000
    lacking = [s for each in kept for s in each.sentences if again or not s.hidden.size]
    lacking.sort(key=lambda s: len(s.ids))
    while lacking:
        size = max(1, tokens // (len(lacking[-1].ids) + 2))
        batch, lacking = lacking[-size:], lacking[:-size]
        length = len(batch[-1].ids) + 2
        ids = np.zeros((len(batch), length), np.int64)
        cases, mask = np.zeros_like(ids), np.zeros_like(ids)
        for r, s in enumerate(batch):
            ids[r, : len(s.ids) + 2] = [CLS, *s.ids.tolist(), SEP]
            cases[r, 1 : len(s.ids) + 1] = s.cases
            mask[r, : len(s.ids) + 2] = 1
        hidden, middle = run(ids, mask, cases)
        for r, s in enumerate(batch):
            s.middle = middle[r, 1 : len(s.ids) + 1].astype(np.float16)
            s.hidden = hidden[r, s.first + 1].astype(np.float16)
