"""Speed of the learned metric: beside its bare network, beside a network of COMET-22's size, beside others.

    PYTHONPATH=src:. python benchmarks/judge.py [speed] [comet] [runs] [same] [memory] [many] [--pairs N] [--weights DIR]

`speed`: pairs of WMT12 French-English from text to scores, against the same network run over the very
same subwords, already cut and batched: what no pass of a network of this shape can beat (its head is less
than a thousandth of it). `comet`: the same pairs by a stand-in for COMET-22: XLM-R-large's 24 layers of
1,024 columns with random weights, whose cost is that of any others, in float32, over three texts a pair (the
reference's length stands in for the source's); words, pooling and head are left out, in its favour. Needs
the package onnx. `runs`: whole runs of the engine over the same lines, nothing cached. `same`: whether any
score depends on the order of the pairs. `memory`: the most that fresh processes take for few and for many
pairs. `many`: the same of `judge-many`, beside the reference alone, with how long it takes to load once what
it keeps is there; every 20th pair, since its network is some thirty times as large. One thread, processor
time; the best of three for `speed`.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["ALBEIT_THREADS"] = "1"

import numpy as np
from _common import arguments, news, show, timed

from albeit import score
from albeit.data.evalset import EvalSet
from albeit.metrics.judge import DEFAULT, WEIGHTS
from albeit.metrics.judge.network import Network, load_judge
from albeit.metrics.judge.sequence import Sequences, Texts
from albeit.parsing.model import load_network

Row = dict[str, Any]
LAYERS, WIDTH, INNER, HEADS = 24, 1024, 4096, 16
"""XLM-R-large's shape."""
MANY = WEIGHTS / "many"
MANY_SHARE = 20
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
    best = dict.fromkeys(ways, float("inf"))
    for turn in range(4):
        for name, work in ways.items():
            seconds = clock(work)
            best[name] = min(best[name], seconds if turn else float("inf"))
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


def runs(options: Any) -> Iterator[Row]:
    """Whole runs, nothing kept."""
    ours, theirs = chosen(options)
    evalset = EvalSet({"ref": theirs}, {"all": ours}, source_lang="fr", target_lang="en")
    small = EvalSet({"ref": theirs[:8]}, {"all": ours[:8]}, source_lang="fr", target_lang="en")
    taken = {}
    for name in ("judge", "judge-small", "sim"):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["ALBEIT_CACHE"] = folder
            score(small, [name])
            taken[name] = clock(lambda name=name: score(evalset, [name]))  # type: ignore[misc]
    for name, seconds in taken.items():
        yield {
            "metric": name,
            "pairs": len(ours),
            "pairs/s": round(len(ours) / seconds, 1),
            "times sim": round(taken["sim"] / seconds, 1),
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
    """Fresh processes."""
    code = (
        "import resource, sys\nsys.path.insert(0, 'benchmarks')\nfrom judge import chosen, judge\n"
        "from argparse import Namespace\nfrom pathlib import Path\n"
        "options = Namespace(data=Path({data!r}), pairs={pairs}, weights=Path({weights!r}))\n"
        "judge(options).read(list(zip(*chosen(options), strict=True)))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    )
    for pairs in (options.pairs // 4, options.pairs):
        made = code.format(data=str(options.data), pairs=pairs, weights=str(options.weights))
        done = subprocess.run(
            [sys.executable, "-c", made], capture_output=True, text=True, check=True
        )
        yield {"pairs": pairs, "MB": round(int(done.stdout) / 1e6)}


def many(options: Any) -> Iterator[Row]:
    """`judge-many`: beside its sessions on ready batches, in any order, alone, and as it is loaded."""
    items = [Texts(a, b, None) for a, b in zip(*chosen(options), strict=True)][::MANY_SHARE]
    code = (
        "import json, resource, sys\nfrom pathlib import Path\n"
        "from albeit.metrics.judge.sequence import Texts, load_sequences\n"
        f"network = load_sequences(Path({str(MANY)!r}))\n"
        "network.read([Texts(*item) for item in json.load(sys.stdin)])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    )
    made = [sys.executable, "-c", code]
    for _ in range(2):  # once so that what it keeps is there; before this process takes much itself
        done = subprocess.run(
            made, input=json.dumps(items), capture_output=True, text=True, check=True
        )
    fresh = Sequences(MANY)
    loaded = clock(lambda: fresh.read(items[:1]))
    batches = list(fresh.inputs(items))
    bare = min(clock(lambda: [fresh.run(batch) for batch in batches]) for _ in range(3))
    whole = min(clock(lambda: fresh.read(items)) for _ in range(3))
    order = random.Random(2).sample(range(len(items)), len(items))
    first = fresh.read(items).scores
    again = fresh.read([items[k] for k in order]).scores
    alone = [fresh.read([item]).scores[0] for item in items]
    figures: dict[str, float | str] = {
        "pairs/s, bare network": round(len(items) / bare, 2),
        "pairs/s": round(len(items) / whole, 2),
        "of the bare network": f"{bare / whole:.0%}",
        "seconds to load": round(loaded, 1),
        "unlike when shuffled": int((first[order] != again).sum()),
        "unlike when alone": int((first != alone).sum()),
        "MB": round(int(done.stdout) / 1e6),
    }
    for name, figure in figures.items():
        yield {"judge-many": name, "pairs": len(items), "figure": figure}


PARTS = {f.__name__: f for f in (speed, comet, runs, same, memory, many)}


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
