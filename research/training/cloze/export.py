"""Write a trained cloze head as the file that ships beside the judge's: products on bytes, static
ranges.

    python -m training cloze.export RUN [--judge src/albeit/metrics/judge/weights/wide]

`RUN` is what training leaves: `adapter.npz` of a tower (`training.cloze.network.save`). Inputs of
`cloze.onnx`: the states of the judge's layers [b, t, width], by the names that they have as
outputs of the judge's file, and `attention_mask` [b, t]. Output: `logits` [b, t, classes]. So the
encoder's weights are stored once, in the judge's file, which must be there. Ranges are those of
English references of WMT12 and WMT21 in order, read by the shipped judge, with words hidden.
`meta.json` gets the checksums of both files.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx

from albeit.metrics.judge import WEIGHTS
from albeit.metrics.judge.cloze import CLASSES, Cloze, Hidden, batches, connectives, pronouns
from albeit.metrics.judge.network import Network
from albeit.parsing.model import load_network
from training.cloze.network import unpack
from training.graph import FLOAT, INT, Array, Graph, absent, block
from training.judge.export import Weights, references, state
from training.options import DATA
from training.quantise import Recorder, quantise_smoothed

NAME = "cloze"
HEADS, EPSILON = 6, 1e-5
LINES = 25
"""Lines of a text that ranges are taken from."""
HIDDEN = 4
"""Words hidden in each."""


def read(folder: Path) -> Weights:
    """Return what is learned, matrices from bytes."""
    with np.load(folder / "adapter.npz", allow_pickle=False) as file:
        return unpack({name: file[name] for name in file.files})


def build(weights: Weights) -> onnx.ModelProto:
    """Return the network in float32: what `training.cloze.network.Cloze` does with states."""
    graph = Graph()
    shares = np.exp(weights["mix"] - weights["mix"].max())
    shares = (shares / shares.sum()).astype(np.float32)
    x = ""
    for layer, share in enumerate(shares):
        part = graph.add("Mul", state(layer), graph.hold(share, f"mix.{layer}"))
        x = graph.add("Add", x, part, name=f"mix.sum.{layer}") if x else part
    x = graph.linear(x, weights["down.weight"], weights["down.bias"], "down")
    x = graph.gelu(x, "down.gelu")
    bias = absent(graph, "attention_mask")
    tower = {name.split(".")[1] for name in weights if name.startswith("tower.")}
    for layer in range(len(tower)):
        x = block(graph, x, bias, weights, f"tower.{layer}", HEADS, EPSILON)
    x = graph.norm(x, weights, "norm", EPSILON)
    product = graph.linear(x, weights["head.weight"], weights["head.bias"], "head")
    graph.add("Identity", product, name="logits")
    width = weights["down.weight"].shape[1]
    grid: list[str | int] = ["b", "t"]
    inputs = {state(layer): (FLOAT, [*grid, width]) for layer in range(len(shares))}
    outputs = {"logits": [*grid, len(weights["head.bias"])]}
    return graph.model(inputs | {"attention_mask": (INT, grid)}, outputs)


def sample(data: Path, count: int, seed: int) -> list[Hidden]:
    """Texts of WMT12 and WMT21, some words of each hidden."""
    rng, paths = random.Random(seed), references(data)
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


def quantise(weights: Weights, judge: Network, texts: Sequence[Hidden]) -> bytes:
    """Return the contents of the file."""
    read = list(states(judge, texts, len(weights["mix"])))

    def feed(recorder: Recorder) -> None:
        for inputs in read:
            recorder.head(NAME, *inputs)

    return quantise_smoothed(lambda _: build(weights), NAME, feed)


def write(data: bytes, judge: Network, out: Path) -> str:
    """The file and its `meta.json`; its version."""
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{NAME}.onnx").write_bytes(data)
    version = hashlib.sha256(data).hexdigest()[:16]
    about = {"version": version, "judge": judge.version, "classes": CLASSES}
    (out / "meta.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return version


def main(
    run: Path,
    *,
    judge: Path = WEIGHTS / "wide",
    out: Path | None = None,
    data: Path = DATA,
    texts: int = 150,
) -> None:
    """Build, record, quantize, write; by default into the folder `cloze` of the judge's."""
    network, out = Network(judge), out or judge / NAME
    made = quantise(read(run), network, sample(data, texts, 5))
    version = write(made, network, out)
    load_network(out / f"{NAME}.onnx")
    Cloze(out, network)
    print(f"{len(made) / 1e6:.1f} MB, version {version}")
