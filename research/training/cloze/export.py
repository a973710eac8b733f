"""Write a trained cloze head as the file that ships beside the judge's: products on bytes, static ranges.

    python -m training.cloze.export RUN [--judge src/albeit/metrics/judge/weights/wide] [--out JUDGE/cloze]

`RUN` is what training leaves: `adapter.npz` of a tower (`training.cloze.network.save`). Inputs of
`cloze.onnx`: the states of the judge's layers [b, t, width], by the names that they have as outputs of the
judge's file, and `attention_mask` [b, t]. Output: `logits` [b, t, classes]. So the encoder's weights are
stored once, in the judge's file, which must be there. Ranges are those of English references of WMT12 and
WMT21 in order, read by the shipped judge, with words hidden. `meta.json` gets the checksums of both files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx

from albeit.metrics.judge.cloze import CLASSES, Cloze, Hidden, batches, connectives, pronouns
from albeit.metrics.judge.network import Network
from albeit.parsing.model import load_network
from training.graph import FLOAT, INT, Array, Graph, absent, block
from training.judge.export import Weights, state
from training.quantise import quantise_linear, shrink, smooth
from training.record import Recorder

NAME = "cloze"
HEADS, EPSILON = 6, 1e-5
LEVEL = 63
LINES = 25
"""Lines of a text that ranges are taken from."""
HIDDEN = 4
"""Words hidden in each."""


def read(folder: Path) -> Weights:
    """What is learnt, matrices from bytes."""
    with np.load(folder / "adapter.npz", allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    tower, rank = arrays.pop("shape").tolist()
    if rank or not tower:
        raise SystemExit(
            f"{folder}: only towers can be written, this has tower {tower}, rank {rank}"
        )
    found: Weights = {}
    for name, value in arrays.items():
        if name.endswith(":bytes"):
            plain = name.removesuffix(":bytes")
            found[plain] = value.astype(np.float32) * arrays[f"{plain}:scale"]
        elif not name.endswith(":scale"):
            found[name] = value.astype(np.float32)
    return found


def build(weights: Weights) -> onnx.ModelProto:
    """The network in float32: what `training.cloze.network.Cloze` does with the encoder's states."""
    graph = Graph()
    shares = np.exp(weights["mix"] - weights["mix"].max())
    shares = (shares / shares.sum()).astype(np.float32)
    x = ""
    for layer, share in enumerate(shares):
        part = graph.add("Mul", state(layer), graph.hold(share, f"mix.{layer}"))
        x = graph.add("Add", x, part, name=f"mix.sum.{layer}") if x else part
    x = graph.gelu(
        graph.linear(x, weights["down.weight"], weights["down.bias"], "down"), "down.gelu"
    )
    bias = absent(graph, "attention_mask")
    tower = {name.split(".")[1] for name in weights if name.startswith("tower.")}
    for layer in range(len(tower)):
        x = block(graph, x, bias, weights, f"tower.{layer}", HEADS, EPSILON)
    x = graph.norm(x, weights, "norm", EPSILON)
    product = graph.linear(x, weights["head.weight"], weights["head.bias"], "head")
    graph.add("Identity", product, name="logits")
    width = weights["down.weight"].shape[1]
    grid: list[str | int] = ["b", "t"]
    states = {state(layer): (FLOAT, [*grid, width]) for layer in range(len(shares))}
    return graph.model(
        {**states, "attention_mask": (INT, grid)}, {"logits": [*grid, len(weights["head.bias"])]}
    )


def sample(data: Path, count: int, seed: int) -> list[Hidden]:
    """Texts of WMT12 and WMT21, some words of each hidden."""
    rng = random.Random(seed)
    paths = sorted(data.glob("wmt12/*/ref.txt")) + sorted(data.glob("wmt21/*/refA.txt"))
    if not paths:
        raise SystemExit(f"no WMT12 in {data}: give the folder of the evaluation data with --data")
    found: list[Hidden] = []
    while len(found) < count:
        lines = rng.choice(paths).read_text(encoding="utf-8").splitlines()
        at = rng.randrange(len(lines) - LINES)
        words = tuple(" ".join(lines[at : at + rng.choice((3, 10, LINES))]).split())
        known = [t for t in (*pronouns(words), *connectives(words)) if t.start < len(words)]
        if known:
            chosen = rng.sample(known, min(HIDDEN, len(known)))
            found.append(Hidden(words, tuple((t.start, t.stop) for t in chosen)))
    return found


def states(judge: Network, texts: Sequence[Hidden], layers: int) -> Iterator[list[Array]]:
    """What the network reads of texts, one by one: the layers' states, and the mask."""
    names = [state(layer) for layer in range(layers)]
    for text in texts:
        for _, inputs in batches(judge, [text]):
            found = judge.states(inputs, names)
            yield [*(found[name] for name in names), inputs.mask]


def record(model: onnx.ModelProto, read: Sequence[Sequence[Array]]) -> Recorder:
    """What large products read."""
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, str(Path(folder) / f"{NAME}.onnx"))
        recorder = Recorder(Path(folder))
        for inputs in read:
            recorder.run(NAME, *inputs)
        return recorder


def made(weights: Weights, judge: Network, texts: Sequence[Hidden]) -> bytes:
    """The contents of the file."""
    read = list(states(judge, texts, len(weights["mix"])))
    largest = record(build(weights), read).largest[NAME]
    model = build(weights)
    smooth(model, largest)
    ranges = record(model, read).ranges()[NAME]
    quantise_linear(model, ranges, LEVEL)
    shrink(model)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def write(data: bytes, judge: Network, out: Path) -> str:
    """The file and its `meta.json`; its version."""
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{NAME}.onnx").write_bytes(data)
    version = hashlib.sha256(data).hexdigest()[:16]
    about = {"version": version, "judge": judge.version, "classes": CLASSES}
    (out / "meta.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return version


def main() -> None:
    """Build, record, quantise, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--judge", type=Path, default=Path("src/albeit/metrics/judge/weights/wide"))
    parser.add_argument("--out", type=Path, help="by default the folder cloze of the judge's")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--texts", type=int, default=150, help="for the ranges")
    args = parser.parse_args()
    judge = Network(args.judge)
    data = made(read(args.run), judge, sample(args.data, args.texts, 5))
    out = args.out or args.judge / NAME
    version = write(data, judge, out)
    load_network(out / f"{NAME}.onnx")
    Cloze(out, judge)
    print(f"{len(data) / 1e6:.1f} MB, version {version}")


if __name__ == "__main__":
    main()
