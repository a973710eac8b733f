"""Write a trained judge as the file that ships: products on bytes with static ranges, words in 4 bits.

    python -m training.judge.export RUN [--out src/albeit/metrics/judge/weights/wide] [--layers 8] [--words 4]
    python -m training.judge.export RUN --compare

`RUN` is what training leaves: `weights.npz` and `shape.json` (`training.judge.network.save`). Inputs of
`judge.onnx`: `input_ids`, `attention_mask` and `case_ids` [b, t] of `[CLS] translation [SEP] reference [SEP]`
(the reference's side is `REFERENCE` higher), and `facts` [b, 3] (`albeit.metrics.judge.chunking`).
Outputs: `score` [b], higher is better; `spread` [b], the logarithm of its standard error; `marks` [b, t, 2],
the logits of a major and of a minor error; and the states of each layer [b, t, width] (`state`), which
other networks on this encoder read (`training.cloze.export`): they add no node, so they cost nothing where
nobody asks for them. Large products run on integers, the head's too, so that no score depends on what else
is in its batch. Ranges are those of translations of WMT12 and WMT21, read one
by one, some of them joined to paragraphs. `meta.json` gets the file's checksum; `training.judge.calibrate`
adds what scores mean. `--compare` writes nothing: it says what each way of storing costs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx

from albeit.metrics.judge.chunking import REFERENCE
from albeit.metrics.judge.network import Network, load_judge
from albeit.parsing.model import load_network
from training.calibrate import Range
from training.graph import FLOAT, INT, Graph, absent, block
from training.onnx_backend import OnnxBackend
from training.quantise import four_bit_products, quantise_linear, shrink, smooth
from training.record import Recorder

NAME = "judge"
LONGEST = 480
"""Subwords of a pair that are read at once: it learned from paragraphs of such lengths."""
BLOCK = 64
"""Columns of a word's vector that share a scale in 4 bits."""
SPREAD = (-3.0, 3.0)
FARTHEST = 128
LAYERS = {"32": 0, "8": 63, "6": 31, "5": 15, "4": 7}
"""Bits of the layers' weights, and the largest number they are stored as (4: with a scale a block)."""
WORDS = ("32", "8", "4")
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
    """Two columns a byte (column c and that half the width further), and a scale a block of columns."""
    rows, width = table.shape
    blocks = table.reshape(rows, -1, BLOCK)
    top = np.abs(blocks).max(2, keepdims=True) + 1e-9
    best = np.full(top.shape, np.inf, np.float32)
    scale = top / 7
    for share in np.linspace(0.6, 1.0, 9, dtype=np.float32):
        tried = top * share / 7
        error = np.square(np.clip(np.round(blocks / tried), -7, 7) * tried - blocks).sum(
            2, keepdims=True
        )
        scale = np.where(error < best, tried, scale)
        best = np.minimum(best, error)
    scale = scale.astype(np.float16)
    whole = np.clip(np.round(blocks / scale.astype(np.float32)), -7, 7).reshape(rows, width)
    low, high = ((part + 8).astype(np.uint8) for part in np.split(whole, 2, axis=1))
    return (low | (high << 4)).astype(np.uint8), scale[..., 0]


def words(graph: Graph, table: Floats, bits: str) -> str:
    """The vectors of `input_ids` [b, t, width]."""
    if bits == "32":
        return graph.add("Gather", graph.hold(table, "words"), "input_ids")

    def looked_up(values: npt.NDArray[np.generic], name: str) -> str:
        row = graph.add("Gather", graph.hold(values, name), "input_ids")
        return graph.add("Cast", row, to=FLOAT)

    if bits == "8":
        scale = (np.abs(table).max(1, keepdims=True) / 127 + 1e-12).astype(np.float16)
        whole = np.clip(np.round(table / scale.astype(np.float32)), -127, 127).astype(np.int8)
        return graph.add("Mul", looked_up(whole, "words.bytes"), looked_up(scale, "words.scale"))
    packed, scale = four_bits(table)
    both = looked_up(packed, "words.packed")
    high = graph.add("Floor", graph.add("Mul", both, graph.hold(1 / 16)))
    low = graph.add("Sub", both, graph.add("Mul", high, graph.hold(16.0)))
    whole = graph.add("Sub", graph.add("Concat", low, high, axis=-1), graph.hold(8.0))
    parted = graph.add("Reshape", whole, graph.hold(np.array([0, 0, scale.shape[1], BLOCK])))
    by = graph.add("Unsqueeze", looked_up(scale, "words.scale"), graph.hold(np.array([3])))
    made = graph.add("Mul", parted, by)
    return graph.add("Reshape", made, graph.hold(np.array([0, 0, table.shape[1]])))


def state(layer: int) -> str:
    """The output with the states of a layer, from 0: what is there anyway gets no node of its own."""
    return f"blocks.{layer}.norm.out"


def build(weights: Weights, shape: dict[str, Any], bits: str) -> onnx.ModelProto:
    """The network in float32, but for its words."""
    graph = Graph()
    encoder = {
        n.removeprefix("encoder."): v for n, v in weights.items() if n.startswith("encoder.")
    }
    places = graph.places("input_ids")
    at = graph.add("Gather", graph.hold(encoder["positions.weight"], "positions"), places)
    sides = graph.add("Gather", graph.hold(encoder["cases.weight"], "cases"), "case_ids")
    x = graph.add("Add", words(graph, encoder["words.weight"], bits), at)
    x = graph.norm(graph.add("Add", x, sides), encoder, "norm", shape["epsilon"])
    longest = len(encoder["positions.weight"])
    rows = graph.add("Unsqueeze", places, graph.hold(np.array([1])))
    apart = graph.add("Add", graph.add("Sub", places, rows), graph.hold(np.int64(longest - 1)))
    table = graph.hold(by_distance(encoder["relative.weight"], longest), "relative")
    bias = graph.add(
        "Add", absent(graph, "attention_mask"), graph.add("Gather", table, apart, axis=1)
    )
    heads, epsilon = shape["attention_heads"], shape["epsilon"]
    for layer in range(shape["layers"]):
        x = block(graph, x, bias, encoder, f"blocks.{layer}", heads, epsilon)
    head(
        graph, x, {n.removeprefix("head."): v for n, v in weights.items() if n.startswith("head.")}
    )
    grid, width = ["b", "t"], shape["width"]
    return graph.model(
        {
            **dict.fromkeys(("input_ids", "attention_mask", "case_ids"), (INT, grid)),
            "facts": (FLOAT, ["b", 3]),
        },
        {
            "score": ["b"],
            "spread": ["b"],
            "marks": [*grid, 2],
            **{state(layer): [*grid, width] for layer in range(shape["layers"])},
        },
    )


def head(graph: Graph, states: str, weights: Weights) -> None:
    """What `training.judge.network.Head` computes; products with few columns are sums."""

    def mean(side: str) -> str:
        """A product for each pair: a sum over rows is added up in another order where there is one
        pair alone."""
        chosen = graph.add("Cast", side, to=FLOAT)
        by = graph.add("Unsqueeze", chosen, graph.hold(np.array([1])))
        whole = graph.add("Squeeze", graph.add("MatMul", by, states), graph.hold(np.array([1])))
        count = graph.add("ReduceSum", chosen, graph.hold(np.array([1])), keepdims=1)
        return graph.add("Div", whole, graph.add("Max", count, graph.hold(1.0)))

    def column(x: str, name: str, row: int, out: str = "") -> str:
        """A product with one column, as a sum."""
        weight = graph.hold(weights[f"{name}.weight"][row], f"head.{name}.{row}")
        product = graph.add(
            "ReduceSum", graph.add("Mul", x, weight), graph.hold(np.array([-1])), keepdims=0
        )
        shift = graph.hold(weights[f"{name}.bias"][row], f"head.{name}.{row}.b")
        return graph.add("Add", product, shift, name=out)

    zero, other = graph.hold(np.int64(0)), graph.hold(np.int64(REFERENCE))
    positive, before = graph.add("Greater", "case_ids", zero), graph.add("Less", "case_ids", other)
    mine, theirs = (
        mean(graph.add("And", positive, before)),
        mean(graph.add("Greater", "case_ids", other)),
    )
    first = graph.add("Gather", states, zero, axis=1)
    apart = graph.add("Abs", graph.add("Sub", mine, theirs))
    product = graph.add("Mul", mine, theirs)
    joined = graph.add("Concat", first, mine, theirs, apart, product, name="head.joined", axis=1)
    centred = graph.add("Sub", graph.add("Mul", "facts", graph.hold(2.0)), graph.hold(1.0))
    by = graph.hold(np.ascontiguousarray(weights["facts.weight"].T), "head.facts")
    each = graph.add("Mul", graph.add("Unsqueeze", centred, graph.hold(np.array([2]))), by)
    told = graph.add("ReduceSum", each, graph.hold(np.array([1])), keepdims=0)
    up = graph.linear(joined, weights["up.weight"], weights["up.bias"], "head.up")
    hidden = graph.add("Tanh", graph.add("Add", up, told))
    column(hidden, "score", 0, "score")
    low, high = map(graph.hold, SPREAD)
    graph.add("Clip", column(hidden, "spread", 0), low, high, name="spread")
    last = graph.hold(np.array([2]))
    marks = [graph.add("Unsqueeze", column(states, "marks", row), last) for row in range(2)]
    graph.add("Concat", *marks, axis=2, name="marks")


def open_model(data: bytes) -> Any:
    """A session of a file's contents."""
    return OnnxBackend(Path()).open(data)


def sample(data: Path, count: int, seed: int) -> list[Pair]:
    """Translations of WMT12 and WMT21 beside their references; a quarter are paragraphs, of two to
    six lines."""
    rng = random.Random(seed)
    found: list[Pair] = []
    folders = [
        p.parent
        for p in sorted(data.glob("wmt12/*/ref.txt")) + sorted(data.glob("wmt21/*/refA.txt"))
    ]
    if not folders:
        raise SystemExit(f"no WMT12 in {data}: give the folder of the evaluation data with --data")
    for _ in range(count):
        folder = rng.choice(folders)
        (reference,) = [p for name in ("ref.txt", "refA.txt") if (p := folder / name).exists()]
        theirs = reference.read_text(encoding="utf-8").splitlines()
        system = rng.choice(sorted((folder / "systems").glob("*.txt")))
        ours = system.read_text(encoding="utf-8").splitlines()
        size = rng.choice((1, 1, 1, 1, 1, 1, 2, 4))
        at = rng.randrange(len(theirs) - size)
        found.append((" ".join(ours[at : at + size]), " ".join(theirs[at : at + size])))
    return [pair for pair in found if all(map(str.strip, pair))]


def record(model: onnx.ModelProto, network: Network, pairs: Sequence[Pair]) -> Recorder:
    """What large products read, of pairs read one by one; padding is not recorded."""
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, str(Path(folder) / f"{NAME}.onnx"))
        recorder = Recorder(Path(folder))
        for pair in pairs:
            for inputs in network.inputs([pair], step=1):
                recorder.run(NAME, *inputs)
        return recorder


class Maker:
    """Makes files of a trained judge, with its layers and words in so many bits."""

    def __init__(self, run: Path, pairs: Sequence[Pair]) -> None:
        self.weights, self.shape = read(run)
        network = load_judge()
        model = build(self.weights, self.shape, "32")
        self.largest = record(model, network, pairs).largest[NAME]
        smooth(model, self.largest)
        self.ranges: dict[str, Range] = record(model, network, pairs).ranges()[NAME]

    def __call__(self, layers: str, bits: str) -> bytes:
        """The contents of the file."""
        model = build(self.weights, self.shape, bits)
        if layers == "4":
            four_bit_products(model)
        if layers != "32":
            smooth(model, self.largest)
            quantise_linear(model, self.ranges, LAYERS["8" if layers == "4" else layers])
            shrink(model)
        onnx.checker.check_model(model)
        return bytes(model.SerializeToString())


def write(data: bytes, out: Path) -> str:
    """The file and its `meta.json`, which gives raw scores until it is calibrated; its version."""
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{NAME}.onnx").write_bytes(data)
    about = {
        "version": hashlib.sha256(data).hexdigest()[:16],
        "longest": LONGEST,
        "calibration": {"slope": 1.0, "offset": 0.0, "spread": 1.0},
    }
    (out / "meta.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return str(about["version"])


def compared(make: Maker, pairs: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    """What each way of storing costs: megabytes, as they are and packed, speed, distance from float."""
    exact: npt.NDArray[np.float64] | None = None
    for layers, bits in [("32", "32"), ("8", "8"), ("8", "4"), ("6", "4"), ("5", "4"), ("4", "4")]:
        data = make(layers, bits)
        with tempfile.TemporaryDirectory() as folder:
            write(data, Path(folder))
            network = Network(Path(folder))
            network.read(pairs[:8])
            start = time.process_time()
            scores = network.read(pairs).scores
            seconds = time.process_time() - start
        exact = scores if exact is None else exact
        gap = np.abs(scores - exact)
        yield {
            "layers": layers,
            "words": bits,
            "MB": round(len(data) / 1e6, 1),
            "packed MB": round(len(zlib.compress(data, 6)) / 1e6, 1),
            "pairs/s": round(len(pairs) / seconds, 1),
            "r": round(float(np.corrcoef(scores, exact)[0, 1]), 5),
            "mean gap": round(float(gap.mean() / exact.std()), 4),
            "largest": round(float(gap.max() / exact.std()), 3),
        }


def main() -> None:
    """Build, record, quantise, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--out", type=Path, default=Path("src/albeit/metrics/judge/weights/wide"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--layers", choices=sorted(LAYERS), default="8", help="bits of the layers")
    parser.add_argument("--words", choices=WORDS, default="4", help="bits of the words")
    parser.add_argument("--pairs", type=int, default=300, help="for the ranges")
    parser.add_argument(
        "--compare", action="store_true", help="all ways of storing, nothing written"
    )
    args = parser.parse_args()
    make = Maker(args.run, sample(args.data, args.pairs, 5))
    if args.compare:
        for row in compared(make, sample(args.data, args.pairs, 6)):
            print(json.dumps(row), flush=True)
        return
    data = make(args.layers, args.words)
    version = write(data, args.out)
    load_network(args.out / f"{NAME}.onnx")
    print(
        f"{len(data) / 1e6:.1f} MB, {len(zlib.compress(data, 6)) / 1e6:.1f} packed, version {version}"
    )


if __name__ == "__main__":
    main()
