"""A made-up base of two small layers in Gemma's file format, and a judge on it, for the package's tests.

    python -m training.many.small tests/metrics/judge/many

All numbers are random, by a fixed seed: scores mean nothing, but every step from the file to a score is taken.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import gguf
import numpy as np

from training.many.export import Array, Shape, write

SHAPE = Shape(layers=2, width=64, heads=2, size=32, inner=96, hidden=16, every=2)
RANK, LONGEST = 4, 96
BASE = "base.gguf"
CALIBRATION = {"slope": 1.5, "offset": 0.5, "spread": 0.8, "bends": [[0.5, -0.5]]}
Kind = gguf.GGMLQuantizationType


def vocabulary() -> tuple[list[str], list[float], list[int]]:
    """Pieces, scores and kinds: marks, bytes, letters, and some words by merges."""
    pieces = ["<pad>", "<eos>", "<bos>", "<unk>", "\n", "<mask>"]
    kinds = [3, 3, 3, 2, 4, 1]
    pieces += [f"<0x{byte:02X}>" for byte in range(256)]
    kinds += [6] * 256
    text = [
        *"▁abcdefghijklmnopqrstuvwxyzTBOD.,!äüß说话。",
        "th",
        "the",
        "▁the",
        "▁b",
        "er",
        "▁d",
        "ie",
    ]
    text += ["▁die", "in", "▁is", "", "the"]  # an empty piece, and one that is there already
    pieces += text
    kinds += [1] * len(text)
    return pieces, [-float(k) for k in range(len(pieces))], kinds


def write_base(path: Path, rng: np.random.Generator) -> str:
    """The base's file; its SHA-256."""
    shape = SHAPE
    pieces, scores, kinds = vocabulary()
    writer = gguf.GGUFWriter(str(path), "gemma3")
    writer.add_token_list(pieces)
    writer.add_token_scores(scores)
    writer.add_token_types(kinds)

    def add(name: str, *size: int, kind: Kind = Kind.F32) -> None:
        values = rng.normal(size=size).astype(np.float32) / np.sqrt(size[-1])
        if len(size) == 1:
            values = 1 + 0.1 * rng.normal(size=size).astype(np.float32)
        writer.add_tensor(f"{name}.weight", gguf.quantize(values, kind), raw_dtype=kind)

    add("token_embd", len(pieces), shape.width, kind=Kind.Q8_0)
    one = shape.size
    for n in range(shape.layers):
        block = f"blk.{n}."
        add(f"{block}attn_q", shape.heads * one, shape.width, kind=Kind.Q5_0)
        add(f"{block}attn_k", one, shape.width, kind=Kind.Q5_0)
        add(f"{block}attn_v", one, shape.width, kind=Kind.Q8_0)
        add(f"{block}attn_output", shape.width, shape.heads * one, kind=Kind.Q8_0)
        for name in ("ffn_gate", "ffn_up"):
            add(f"{block}{name}", shape.inner, shape.width, kind=Kind.Q5_0)
        add(f"{block}ffn_down", shape.width, shape.inner, kind=Kind.F32)
        for name in ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"):
            add(f"{block}{name}", shape.width)
        for name in ("attn_q_norm", "attn_k_norm"):
            add(f"{block}{name}", one)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return hashlib.sha256(path.read_bytes()).hexdigest()


def learnt(rng: np.random.Generator) -> dict[str, Array]:
    """What training would leave."""
    shape = SHAPE

    def normal(*size: int) -> Array:
        return (rng.normal(size=size) / np.sqrt(size[-1])).astype(np.float32)

    ways = {
        "enter": (shape.width, (shape.heads + 2) * shape.size),
        "leave": (shape.heads * shape.size, shape.width),
        "wide": (shape.width, 2 * shape.inner),
        "narrow": (shape.inner, shape.width),
    }
    found: dict[str, Array] = {"sides.weight": normal(4, shape.width)}
    for n in range(shape.layers):
        for name, (columns, rows) in ways.items():
            found[f"layers.{n}.{name}.down"] = normal(RANK, columns)
            found[f"layers.{n}.{name}.up"] = normal(rows, RANK)
    for place in ("middle", "last"):
        found[f"head.{place}.centre"] = normal(shape.width)
        for name in ("spread", "norm.weight", "norm.bias"):
            found[f"head.{place}.{name}"] = (1 + 0.1 * rng.normal(size=shape.width)).astype(
                np.float32
            )
    for name, rows, columns in (
        ("up", shape.hidden, 5 * shape.width),
        ("facts", shape.hidden, 8),
        ("score", 1, shape.hidden),
        ("plain", 1, 8),
        ("error", 1, shape.hidden),
    ):
        found[f"head.{name}.weight"] = normal(rows, columns)
    found |= {
        f"head.{name}.bias": normal(size) for name, size in (("up", 16), ("score", 1), ("error", 1))
    }
    return found


def make(out: Path) -> str:
    """All four files; the version of the judge."""
    out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(31)
    checksum = write_base(out / BASE, rng)
    return write(learnt(rng), out, CALIBRATION, SHAPE, checksum, LONGEST)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    print(make(parser.parse_args().out))
