"""Speed of the learned metric: next to its bare network, and to a network of COMET-22's size.

    PYTHONPATH=src:.:research python benchmarks/judge.py [speed comet same memory] [--pairs N]

`speed`: pairs of WMT12 French-English from text to scores, against the same network run over the
very same subwords, already cut and batched. `comet`: the same pairs by a stand-in for COMET-22: 24
layers of XLM-R-large with random weights, whose cost is that of any others, in float32, over three
texts per pair (the reference's length replaces the source's); words, pooling and head are left
out, in its favor. Needs the package onnx. `same`: whether any score depends on the order of the
pairs. `memory`: the peak of fresh processes for few and for many pairs. One thread, processor
time. Whole runs and `judge-many` were measured with commit 678f4ef8.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["ALBEIT_THREADS"] = "1"

import numpy as np
from _common import arguments, best_of, news, peak, show, timed

from albeit.metrics.judge import DEFAULT, WEIGHTS
from albeit.metrics.judge.network import Network, load_judge
from albeit.parsing.model import load_network

Row = dict[str, Any]
LAYERS, WIDTH, INNER, HEADS = 24, 1024, 4096, 16
"""XLM-R-large's shape."""
SHARE = 25
"""Of so many pairs the stand-in reads one: each takes it about a second."""


def judge(options: Any) -> Network:
    """The network that is measured."""
    return load_judge(options.weights)


def chosen(options: Any) -> tuple[list[str], list[str]]:
    """Translations and their references: all systems of the first segments."""
    options.systems, options.segments = 10, -(-options.pairs // 10)
    reference, systems = news(options)
    ours = [line for lines in systems.values() for line in lines]
    return ours[: options.pairs], (reference * len(systems))[: options.pairs]


def clock(work: Callable[[], object]) -> float:
    """Processor seconds."""
    return timed(work, clock=time.process_time)[1]


def speed(options: Any) -> Iterator[Row]:
    """From text to scores, beside the network alone."""
    pairs = list(zip(*chosen(options), strict=True))
    network = judge(options)
    inputs = list(network.inputs(pairs))
    ways: dict[str, Callable[[], object]] = {
        "bare network": lambda: [network.run(batch) for batch in inputs],
        "judge": lambda: network.read(pairs),
    }
    best_of(ways, 1)
    best = best_of(ways, 3)
    for name, seconds in best.items():
        yield {
            "what": name,
            "pairs": len(pairs),
            "pairs/s": round(len(pairs) / seconds, 1),
            "of the bare network": f"{best['bare network'] / seconds:.0%}",
        }


def layer(folder: Path) -> Any:
    """One layer of the stand-in; a pass goes through it as often as there are layers."""
    import onnx

    from training.graph import FLOAT, Graph, block

    rng = np.random.default_rng(1)
    sizes = {f"attention.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value", "output")}
    sizes |= {"up": (INNER, WIDTH), "down": (WIDTH, INNER)}
    weights = {}
    for name, (rows, columns) in sizes.items():
        made = rng.standard_normal((rows, columns)) / np.sqrt(columns)
        weights[f"one.{name}.weight"] = made.astype(np.float32)
        weights[f"one.{name}.bias"] = np.zeros(rows, np.float32)
    for name in ("attention.norm", "norm"):
        weights[f"one.{name}.weight"] = np.ones(WIDTH, np.float32)
        weights[f"one.{name}.bias"] = np.zeros(WIDTH, np.float32)
    graph = Graph()
    out = block(graph, "states", "bias", weights, "one", HEADS, 1e-5)
    shape = ["b", "t", WIDTH]
    given = {"states": (FLOAT, shape), "bias": (FLOAT, ["b", 1, 1, "t"])}
    onnx.save(graph.model(given, {out: shape}), str(folder / "layer.onnx"))
    return load_network(folder / "layer.onnx")


def comet(options: Any) -> Iterator[Row]:
    """Beside a network of COMET-22's size."""
    ours, theirs = (lines[::SHARE] for lines in chosen(options))
    network = judge(options)
    pairs = list(zip(ours, theirs, strict=True))
    texts = network.subwords([line.split() for line in (*ours, *theirs, *theirs)])
    lengths = -(-(np.diff(texts.starts) + 2) // 8) * 8
    batches = []
    for width in np.unique(lengths).tolist():
        rows, size = int((lengths == width).sum()), max(1, 1024 // width)
        batches += [(min(size, rows - at), width) for at in range(0, rows, size)]
    with tempfile.TemporaryDirectory() as folder:
        session = layer(Path(folder))

    def one(rows: int, width: int) -> None:
        states = np.random.default_rng(1).standard_normal((rows, width, WIDTH)).astype(np.float32)
        bias = np.zeros((rows, 1, 1, width), np.float32)
        for _ in range(LAYERS):
            (states,) = session.run(None, {"states": states, "bias": bias})

    one(*batches[0])
    network.read(pairs)
    theirs_seconds = clock(lambda: [one(*batch) for batch in batches])
    seconds = min(clock(lambda: network.read(pairs)) for _ in range(3))
    for name, taken in (("stand-in for COMET-22", theirs_seconds), ("judge", seconds)):
        yield {
            "what": name,
            "pairs": len(pairs),
            "pairs/s": round(len(pairs) / taken, 2),
            "times as fast": round(theirs_seconds / taken, 1),
        }


def same(options: Any) -> Iterator[Row]:
    """In order, shuffled, one by one."""
    pairs = list(zip(*chosen(options), strict=True))
    network = judge(options)
    order = random.Random(2).sample(range(len(pairs)), len(pairs))
    first = network.read(pairs).scores
    again = network.read([pairs[k] for k in order]).scores
    few = order[:100]
    alone = [network.read([pairs[k]]).scores[0] for k in few]
    yield {"what": "shuffled", "pairs": len(pairs), "unlike": int((first[order] != again).sum())}
    yield {"what": "alone", "pairs": len(few), "unlike": int((first[few] != alone).sum())}


def memory(options: Any) -> Iterator[Row]:
    """Yield the peak memory of fresh processes."""
    for pairs in (options.pairs // 4, options.pairs):
        before = (
            "from argparse import Namespace\nfrom judge import chosen, judge\n"
            f"options = Namespace(data=Path({str(options.data)!r}), pairs={pairs})\n"
            f"options.weights = Path({str(options.weights)!r})"
        )
        _, _, most = peak(before, "judge(options).read(list(zip(*chosen(options), strict=True)))")
        yield {"pairs": pairs, "MB": round(most / 1e6)}


PARTS = {f.__name__: f for f in (speed, comet, same, memory)}


def main() -> None:
    """Run the parts that were asked for."""
    parser = arguments(__doc__ or "")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=["speed", "same"])
    parser.add_argument("--pairs", type=int, default=2000, metavar="N")
    parser.add_argument("--weights", type=Path, default=WEIGHTS / DEFAULT, metavar="DIR")
    options = parser.parse_args()
    for name in options.parts:
        show(list(PARTS[name](options)), options.format)
        print()


if __name__ == "__main__":
    main()
