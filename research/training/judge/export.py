"""Write a trained judge as the file that ships: products on bytes with static ranges, words in 4
bits.

    python -m training judge.export RUN [--out src/albeit/metrics/judge/weights/wide]

`RUN` is what training leaves: `weights.npz` and `shape.json` (`training.judge.network.save`).
Inputs of `judge.onnx`: `input_ids`, `attention_mask` and `case_ids` [b, t] of `[CLS] translation
[SEP] reference [SEP]` (the reference's side is `REFERENCE` higher), and `facts` [b, 3]
(`albeit.metrics.judge.chunking`). Outputs: `score` [b], higher is better; `spread` [b], the
logarithm of its standard error; `marks` [b, t, 2], the logits of a major and of a minor error; and
the states of each layer [b, t, width] (`state`), which other networks on this encoder read
(`training.cloze.export`): they add no node, so they cost nothing if they aren't asked for. Large
products run on integers, the head's too, so that no score depends on what else is in its batch.
Ranges are those of translations of WMT12 and WMT21. `meta.json` gets the file's checksum;
`training.judge.calibrate` adds what scores mean.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx

from albeit.metrics.judge import WEIGHTS
from albeit.metrics.judge.network import load_judge
from albeit.parsing.encoder import REFERENCE
from albeit.parsing.model import load_network
from training.graph import FLOAT, INT, Graph, absent, block
from training.options import DATA
from training.quantise import Recorder, quantise_smoothed

NAME = "judge"
LONGEST = 480
"""Subwords of a pair that are read at once: it learned from paragraphs of such lengths."""
BLOCK = 64
"""Columns of a word's vector that share a scale in 4 bits."""
SPREAD = (-3.0, 3.0)
FARTHEST = 128
Floats = npt.NDArray[np.float32]
Weights = dict[str, Floats]
Pair = tuple[str, str]


def read(folder: Path) -> tuple[Weights, dict[str, Any]]:
    """A trained judge as arrays, and its shape."""
    with np.load(folder / "weights.npz", allow_pickle=False) as file:
        weights = {name: file[name].astype(np.float32) for name in file.files}
    shape: dict[str, Any] = json.loads((folder / "shape.json").read_text(encoding="utf-8"))
    return weights, shape


def by_distance(relative: Floats, positions: int) -> Floats:
    """The bias of each head by how far apart two positions are [heads, 2 · positions - 1]."""
    half = len(relative) // 2
    exact = half // 2
    apart = np.arange(1 - positions, positions)
    size = np.abs(apart)
    ratio = np.log(np.maximum(size, 1) / np.float32(exact)) / np.log(FARTHEST / exact)
    far = np.minimum(exact + (ratio * (half - exact) + 1e-6).astype(np.int64), half - 1)
    found: Floats = relative[np.where(size < exact, size, far) + (apart > 0) * half].T
    return np.ascontiguousarray(found)


def four_bits(table: Floats) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float16]]:
    """Two columns a byte (column c and that half the width further), and a scale a block of
    columns."""
    rows, width = table.shape
    blocks = table.reshape(rows, -1, BLOCK)
    top = np.abs(blocks).max(2, keepdims=True) + 1e-9
    best = np.full(top.shape, np.inf, np.float32)
    scale = top / 7
    for share in np.linspace(0.6, 1.0, 9, dtype=np.float32):
        tried = top * share / 7
        apart = np.clip(np.round(blocks / tried), -7, 7) * tried - blocks
        error = np.square(apart).sum(2, keepdims=True)
        scale = np.where(error < best, tried, scale)
        best = np.minimum(best, error)
    scale = scale.astype(np.float16)
    whole = np.clip(np.round(blocks / scale.astype(np.float32)), -7, 7).reshape(rows, width)
    low, high = ((part + 8).astype(np.uint8) for part in np.split(whole, 2, axis=1))
    return (low | (high << 4)).astype(np.uint8), scale[..., 0]


def add_words(graph: Graph, table: Floats, packed: bool) -> str:
    """Add the vectors of `input_ids` [b, t, width], from a table in 4 bits or as it is."""
    if not packed:
        return graph.add("Gather", graph.hold(table, "words"), "input_ids")

    def look_up(values: npt.NDArray[np.generic], name: str) -> str:
        row = graph.add("Gather", graph.hold(values, name), "input_ids")
        return graph.add("Cast", row, to=FLOAT)

    bytes_, scale = four_bits(table)
    both = look_up(bytes_, "words.packed")
    high = graph.add("Floor", graph.add("Mul", both, 1 / 16))
    low = graph.add("Sub", both, graph.add("Mul", high, 16.0))
    whole = graph.add("Sub", graph.add("Concat", low, high, axis=-1), 8.0)
    parted = graph.add("Reshape", whole, np.array([0, 0, scale.shape[1], BLOCK]))
    by = graph.add("Unsqueeze", look_up(scale, "words.scale"), np.array([3]))
    scaled = graph.add("Mul", parted, by)
    return graph.add("Reshape", scaled, np.array([0, 0, table.shape[1]]))


def state(layer: int) -> str:
    """Return the output with the states of a layer, from 0."""
    return f"blocks.{layer}.norm.out"


def build(weights: Weights, shape: dict[str, Any], packed: bool = False) -> onnx.ModelProto:
    """The network in float32, but for its words."""
    graph = Graph()
    encoder, own = (
        {n.removeprefix(part): v for n, v in weights.items() if n.startswith(part)}
        for part in ("encoder.", "head.")
    )
    places = graph.places("input_ids")
    at = graph.add("Gather", graph.hold(encoder["positions.weight"], "positions"), places)
    sides = graph.add("Gather", graph.hold(encoder["cases.weight"], "cases"), "case_ids")
    x = graph.add("Add", add_words(graph, encoder["words.weight"], packed), at)
    x = graph.norm(graph.add("Add", x, sides), encoder, "norm", shape["epsilon"])
    longest = len(encoder["positions.weight"])
    rows = graph.add("Unsqueeze", places, np.array([1]))
    apart = graph.add("Add", graph.add("Sub", places, rows), np.int64(longest - 1))
    table = graph.hold(by_distance(encoder["relative.weight"], longest), "relative")
    missing = absent(graph, "attention_mask")
    bias = graph.add("Add", missing, graph.add("Gather", table, apart, axis=1))
    heads, epsilon = shape["attention_heads"], shape["epsilon"]
    for layer in range(shape["layers"]):
        x = block(graph, x, bias, encoder, f"blocks.{layer}", heads, epsilon)
    head(graph, x, own)
    grid, width = ["b", "t"], shape["width"]
    inputs = dict.fromkeys(("input_ids", "attention_mask", "case_ids"), (INT, grid))
    outputs = {"score": ["b"], "spread": ["b"], "marks": [*grid, 2]}
    outputs |= {state(layer): [*grid, width] for layer in range(shape["layers"])}
    return graph.model(inputs | {"facts": (FLOAT, ["b", 3])}, outputs)


def head(graph: Graph, states: str, weights: Weights) -> None:
    """What `training.judge.network.Head` computes; products with few columns are sums."""

    def mean(side: str) -> str:
        """A product for each pair: a sum over rows is added up in another order where there is one
        pair alone."""
        chosen = graph.add("Cast", side, to=FLOAT)
        by = graph.add("Unsqueeze", chosen, np.array([1]))
        whole = graph.add("Squeeze", graph.add("MatMul", by, states), np.array([1]))
        count = graph.add("ReduceSum", chosen, np.array([1]), keepdims=1)
        return graph.add("Div", whole, graph.add("Max", count, 1.0))

    def column(x: str, name: str, row: int, out: str = "") -> str:
        """A product with one column, as a sum."""
        weight = graph.hold(weights[f"{name}.weight"][row], f"head.{name}.{row}")
        product = graph.add("ReduceSum", graph.add("Mul", x, weight), np.array([-1]), keepdims=0)
        shift = graph.hold(weights[f"{name}.bias"][row], f"head.{name}.{row}.b")
        return graph.add("Add", product, shift, name=out)

    zero, other = graph.hold(np.int64(0)), graph.hold(np.int64(REFERENCE))
    positive, before = graph.add("Greater", "case_ids", zero), graph.add("Less", "case_ids", other)
    mine = mean(graph.add("And", positive, before))
    theirs = mean(graph.add("Greater", "case_ids", other))
    first = graph.add("Gather", states, zero, axis=1)
    apart = graph.add("Abs", graph.add("Sub", mine, theirs))
    product = graph.add("Mul", mine, theirs)
    joined = graph.add("Concat", first, mine, theirs, apart, product, name="head.joined", axis=1)
    centred = graph.add("Sub", graph.add("Mul", "facts", 2.0), 1.0)
    by = graph.hold(np.ascontiguousarray(weights["facts.weight"].T), "head.facts")
    each = graph.add("Mul", graph.add("Unsqueeze", centred, np.array([2])), by)
    told = graph.add("ReduceSum", each, np.array([1]), keepdims=0)
    up = graph.linear(joined, weights["up.weight"], weights["up.bias"], "head.up")
    hidden = graph.add("Tanh", graph.add("Add", up, told))
    column(hidden, "score", 0, "score")
    graph.add("Clip", column(hidden, "spread", 0), *SPREAD, name="spread")
    marks = [graph.add("Unsqueeze", column(states, "marks", k), np.array([2])) for k in (0, 1)]
    graph.add("Concat", *marks, axis=2, name="marks")


def references(data: Path) -> list[Path]:
    """Return the files of WMT12 and WMT21 that ranges are recorded on."""
    found = sorted(data.glob("wmt12/*/ref.txt")) + sorted(data.glob("wmt21/*/refA.txt"))
    if not found:
        raise SystemExit(f"no WMT12 in {data}: give the folder of the evaluation data with --data")
    return found


def sample(data: Path, count: int, seed: int) -> list[Pair]:
    """Draw translations of WMT12 and WMT21 with their references; a quarter are paragraphs."""
    rng = random.Random(seed)
    found: list[Pair] = []
    files = references(data)
    for _ in range(count):
        reference = rng.choice(files)
        theirs = reference.read_text(encoding="utf-8").splitlines()
        system = rng.choice(sorted((reference.parent / "systems").glob("*.txt")))
        ours = system.read_text(encoding="utf-8").splitlines()
        size = rng.choice((1, 1, 1, 1, 1, 1, 2, 4))
        at = rng.randrange(len(theirs) - size)
        found.append((" ".join(ours[at : at + size]), " ".join(theirs[at : at + size])))
    return [pair for pair in found if all(map(str.strip, pair))]


def quantise(run: Path, pairs: Sequence[Pair]) -> bytes:
    """Return the contents of the shipped file of a trained judge."""
    weights, shape = read(run)
    network = load_judge()

    def feed(recorder: Recorder) -> None:
        for pair in pairs:  # one by one: padding must not be recorded
            for inputs in network.inputs([pair], step=1):
                recorder.head(NAME, *inputs)

    return quantise_smoothed(lambda final: build(weights, shape, final), NAME, feed)


def write(data: bytes, out: Path) -> str:
    """Write the file and its `meta.json`, which gives raw scores until calibration; its version."""
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{NAME}.onnx").write_bytes(data)
    about = {
        "version": hashlib.sha256(data).hexdigest()[:16],
        "longest": LONGEST,
        "calibration": {"slope": 1.0, "offset": 0.0, "spread": 1.0},
    }
    (out / "meta.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return str(about["version"])


def main(run: Path, *, out: Path = WEIGHTS / "wide", data: Path = DATA, pairs: int = 300) -> None:
    """Build, record, quantize, write."""
    made = quantise(run, sample(data, pairs, 5))
    version = write(made, out)
    load_network(out / f"{NAME}.onnx")
    print(f"{len(made) / 1e6:.1f} MB, version {version}")
