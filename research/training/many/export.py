"""Write a trained judge of many languages as the files that ship; nothing of its base is in them.

    python -m training many.export RUN/adapter.safetensors [--chrf N]

`judge.onnx` is the graph alone, without any weight. `adapter.npz` has what training learnt: the
parts of low rank and the matrix of the head in bytes with a scale per row, the rest in half or
single precision. `meta.json` has their checksum (`version`), the number of layers, the checksum of
the base, and a calibration that leaves raw scores as they are, until `training.many.calibrate`
says what they mean. The package adds the learnt parts to the base's products when it loads both
(`albeit.metrics.judge.sequence`).

Inputs: `words` [b, t, width], the vectors of `<bos> [source \\n] [reference \\n] translation
<eos>`; `sides` [b, t] (1 reference, 2 translation, 3 source, 0 all else); `last` [b], the place of
`<eos>`; `facts` [b, 3] about characters, from 0 to 1. Outputs: `score` [b], higher is better, and
`spread` [b], the logarithm of its standard error.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper, numpy_helper

from albeit.metrics.judge import WEIGHTS
from training.graph import FLOAT, INT, OPSET, Graph
from training.many.base import CHECKSUM

REFERENCE, TRANSLATION, SOURCE = 1, 2, 3
LONGEST = 512
"""Pieces that are read at once: as many as the layers' attention sees."""
EPSILON = 1e-6
FAR = -1e9
SPREAD = (-3.0, 3.0)
"""What the logarithm of a standard error may be."""
ROWS = 8
"""How often the head's vectors stand below each other."""
Array = npt.NDArray[np.generic]


@dataclass(frozen=True)
class Shape:
    """Of the base, and of the head."""

    layers: int
    width: int = 640
    heads: int = 4
    size: int = 256
    inner: int = 2048
    hidden: int = 384
    local: float = 1e4
    distant: float = 1e6
    every: int = 6
    """Bases of the rotary positions; every sixth layer has the second."""


@dataclass
class Outside(Graph):
    """A graph whose weights are handed over, by name, when it is loaded."""

    named: dict[str, TensorProto] = field(default_factory=dict)

    def weight(self, name: str, *shape: int, kind: int = FLOAT) -> str:
        """A weight; the same one may be asked for again."""
        tensor = TensorProto(name=name, data_type=kind, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="weights")
        self.named[name] = tensor
        return name

    def root(self, x: str, name: str, size: int) -> str:
        """Root mean square one, then scaled."""
        settings = {"axis": -1, "epsilon": EPSILON, "stash_type": 1}
        return self.add("SimplifiedLayerNormalization", x, self.weight(name, size), **settings)

    def product(self, x: str, name: str, rows: int, columns: int) -> str:
        """A product with a matrix [rows, columns]."""
        return self.add("MatMul", x, self.weight(name, rows, columns))

    def part(self, x: str, first: int, stop: int, axis: int) -> str:
        """Some of an axis."""
        return self.add("Slice", x, *(np.array([k]) for k in (first, stop, axis)))

    def shaped(self, x: str, *sizes: int) -> str:
        """The same numbers in another shape; 0 keeps an axis, -1 takes what is left."""
        return self.add("Reshape", x, np.array(sizes))

    def squeezed(self, x: str, *axes: int) -> str:
        """Without these axes."""
        return self.add("Squeeze", x, np.array(axes))

    def spread(self, x: str, *axes: int) -> str:
        """With axes of one."""
        return self.add("Unsqueeze", x, np.array(axes))

    def file(self, inputs: Mapping[str, tuple[int, list[Any]]], outputs: list[str]) -> bytes:
        """The model, which only names its weights."""
        value = helper.make_tensor_value_info
        own = [numpy_helper.from_array(array, name) for name, array in self.constants.items()]
        graph = helper.make_graph(
            self.nodes,
            "judge",
            [value(name, kind, shape) for name, (kind, shape) in inputs.items()],
            [value(name, FLOAT, ["b"]) for name in outputs],
            [*own, *self.named.values()],
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        return bytes(model.SerializeToString())


class Layers:
    """The base's layers: attention of some heads over one key head, then a gated product, each
    between
    two norms. A head's queries stand beside those of the others, so that nothing is moved
    about."""

    def __init__(self, graph: Outside, shape: Shape) -> None:
        self.graph, self.shape = graph, shape
        places = graph.places("words")
        self._angles = {theta: self._turn(places, theta) for theta in (shape.local, shape.distant)}
        mine, theirs = graph.spread(places, 1), graph.spread(places, 0)
        late = graph.add("Greater", theirs, mine)
        seen = graph.add("Where", late, FAR, 0.0)
        wide = graph.add("Expand", graph.spread(seen, 1), np.array([1, shape.heads, 1]))
        at = graph.add("Concat", np.array([-1]), graph.spread(graph.length("words", 1), 0), axis=0)
        self._late = graph.add("Reshape", wide, at)

    def _turn(self, places: str, theta: float) -> tuple[str, str]:
        """Cosines and sines of rotary positions [t, 1, size]."""
        graph, size = self.graph, self.shape.size
        power = np.float32(theta) ** -(np.arange(0, size, 2, dtype=np.float32) / np.float32(size))
        speed = graph.hold(np.tile(power.astype(np.float32), 2), f"speed.{theta:g}")
        angle = graph.add("Mul", graph.spread(graph.add("Cast", places, to=FLOAT), 1, 2), speed)
        return graph.add("Cos", angle), graph.add("Sin", angle)

    def _turned(self, x: str, theta: float) -> str:
        graph, half = self.graph, self.shape.size // 2
        one, other = graph.part(x, 0, half, 3), graph.part(x, half, 2 * half, 3)
        cosines, sines = self._angles[theta]
        across = graph.add("Concat", graph.add("Neg", other), one, axis=3)
        return graph.add("Add", graph.add("Mul", x, cosines), graph.add("Mul", across, sines))

    def __call__(self, x: str, number: int) -> str:
        """States [b, t, width] after one more layer."""
        graph, shape, name = self.graph, self.shape, f"layers.{number}."
        heads, size, width = shape.heads, shape.size, shape.width
        theta = shape.distant if (number + 1) % shape.every == 0 else shape.local
        mixed = graph.root(x, f"{name}before_attention", width)
        mixed = graph.product(mixed, f"{name}enter", width, (heads + 2) * size)
        mixed = graph.shaped(mixed, 0, 0, heads + 2, size)
        bounds = ((0, heads), (heads, heads + 1), (heads + 1, heads + 2))
        q, k, v = (graph.part(mixed, *bound, 2) for bound in bounds)
        q, k = (
            self._turned(graph.root(each, f"{name}{norm}", size), theta)
            for each, norm in ((q, "of_query"), (k, "of_key"))
        )
        q, k, v = graph.shaped(q, 0, -1, size), graph.squeezed(k, 2), graph.squeezed(v, 2)
        found = graph.add("MatMul", q, graph.add("Transpose", k, perm=[0, 2, 1]))
        found = graph.add("Mul", found, 1 / float(np.sqrt(size)))
        found = graph.add("Softmax", graph.add("Add", found, self._late), axis=-1)
        mixed = graph.shaped(graph.add("MatMul", found, v), 0, -1, heads * size)
        mixed = graph.product(mixed, f"{name}leave", heads * size, width)
        x = graph.add("Add", x, graph.root(mixed, f"{name}after_attention", width))
        inner = graph.root(x, f"{name}before_inner", width)
        gate = graph.product(inner, f"{name}gate", width, shape.inner)
        up = graph.product(inner, f"{name}up", width, shape.inner)
        gate = graph.add("FastGelu", gate, domain="com.microsoft")  # with the hyperbolic tangent
        inner = graph.product(graph.add("Mul", gate, up), f"{name}narrow", shape.inner, width)
        return graph.add("Add", x, graph.root(inner, f"{name}after_inner", width))


class Head:
    """What `training.many.network.Head` computes. All sums are over the places or the columns of
    one
    sequence, so that none depends on what else is in the batch."""

    def __init__(self, graph: Outside, shape: Shape) -> None:
        self.graph, self.shape = graph, shape
        reference, self.mine, source = (
            graph.add("Cast", graph.add("Equal", "sides", np.int64(side)), to=FLOAT)
            for side in (REFERENCE, TRANSLATION, SOURCE)
        )
        axis = graph.hold(np.array([1]))
        there = graph.add("ReduceMax", reference, axes=[1], keepdims=1)
        self.there = there
        """1 where there is a reference [b, 1]."""
        self.without = graph.add("Sub", 1.0, there)
        self.theirs = graph.add("Add", reference, graph.add("Mul", source, self.without))
        self.counts = [
            graph.add("Max", graph.add("ReduceSum", side, axis, keepdims=1), 1.0)
            for side in (self.mine, self.theirs)
        ]

    def _settled(self, states: str, place: str) -> str:
        """Mean nought and spread one by column, then a norm over columns."""
        graph, width = self.graph, self.shape.width
        centred = graph.add("Sub", states, graph.weight(f"head.{place}.centre", width))
        scaled = graph.add("Div", centred, graph.weight(f"head.{place}.spread", width))
        return self._norm(scaled, place)

    def _norm(self, x: str, place: str) -> str:
        graph, width = self.graph, self.shape.width
        names = (f"head.{place}.norm.weight", f"head.{place}.norm.bias")
        own = (graph.weight(name, width) for name in names)
        return graph.add("LayerNormalization", x, *own, axis=-1, epsilon=1e-5)

    def _met(self, states: str) -> str:
        """Means of each side's best cosines with the other [b, 2]."""
        graph = self.graph
        unit = graph.add("LpNormalization", states, axis=-1, p=2)
        close = graph.add("MatMul", unit, graph.add("Transpose", unit, perm=[0, 2, 1]))
        both = graph.add("Mul", graph.spread(self.mine, 2), graph.spread(self.theirs, 1))
        close = graph.add("Where", graph.add("Cast", both, to=TensorProto.BOOL), close, -1.0)
        best = [graph.add("ReduceMax", close, axes=[axis], keepdims=0) for axis in (2, 1)]
        both = [graph.spread(x, 1) for x in (*best, self.mine, self.theirs)]
        best, sides = (graph.add("Concat", *pair, axis=1) for pair in (both[:2], both[2:]))
        total = graph.add("ReduceSum", graph.add("Mul", best, sides), np.array([2]), keepdims=0)
        return graph.add("Div", total, graph.add("Concat", *self.counts, axis=1))

    def _column(self, x: str, name: str, size: int) -> str:
        """A product with one column, as a sum [b, rows]."""
        graph = self.graph
        product = graph.add("Mul", x, graph.weight(f"head.{name}.weight", 1, size))
        return graph.add("ReduceSum", product, np.array([-1]), keepdims=0)

    def _row(self, x: str) -> str:
        """A vector of each pair [b, rows, size], several times: a product with one row alone is
        added
        up in another order, and so a pair alone would differ from one among others."""
        return self.graph.add("Expand", self.graph.spread(x, 1), np.array([1, ROWS, 1]))

    def __call__(self, middle: str, states: str) -> None:
        """Add the outputs."""
        graph, width, hidden = self.graph, self.shape.width, self.shape.hidden
        middle, states = self._settled(middle, "middle"), self._settled(states, "last")
        place = graph.add("Equal", graph.places("words"), graph.spread("last", 1))
        chosen = [graph.add("Cast", place, to=FLOAT), self.mine, self.theirs]
        by = graph.add("Concat", *(graph.spread(each, 1) for each in chosen), axis=1)
        sums = graph.add("MatMul", by, states)  # the last state, and sums of both texts'
        end, *texts = (graph.squeezed(graph.part(sums, k, k + 1, 1), 1) for k in range(3))
        one, other = (
            self._norm(graph.add("Div", text, count), "last")
            for text, count in zip(texts, self.counts, strict=True)
        )
        apart = graph.add("Abs", graph.add("Sub", one, other))
        joined = graph.add("Concat", end, one, other, apart, graph.add("Mul", one, other), axis=1)
        told = graph.add("Concat", "facts", self._met(middle), self._met(states), axis=1)
        told = graph.add("Sub", graph.add("Mul", told, 2.0), 1.0)
        characters = graph.add("Mul", graph.part(told, 0, 3, 1), self.there)
        told = graph.add("Concat", characters, graph.part(told, 3, 7, 1), self.without, axis=1)
        joined, told = self._row(joined), self._row(told)
        up, facts = (
            graph.add("MatMul", x, self._turned(name, hidden, size))
            for x, name, size in ((joined, "up", 5 * width), (told, "facts", 8))
        )
        inside = graph.add("Add", graph.add("Add", up, facts), graph.weight("head.up.bias", hidden))
        inside = graph.add("Tanh", inside)
        score = self._column(inside, "score", hidden)
        score = graph.add("Add", score, self._column(told, "plain", 8))
        score = graph.add("Add", score, graph.weight("head.score.bias", 1))
        error = self._column(inside, "error", hidden)
        error = graph.add("Add", error, graph.weight("head.error.bias", 1))
        error = graph.add("Clip", error, *SPREAD)
        for found, name in ((score, "score"), (error, "spread")):
            graph.add("Squeeze", graph.part(found, 0, 1, 1), np.array([1]), name=name)

    def _turned(self, name: str, rows: int, columns: int) -> str:
        """A matrix [columns, rows], worked out once when the graph is loaded."""
        weight = self.graph.weight(f"head.{name}.weight", rows, columns)
        return self.graph.add("Transpose", weight, perm=[1, 0])


def build(shape: Shape) -> bytes:
    """The graph."""
    graph = Outside()
    side = graph.add("Gather", graph.weight("sides.weight", 4, shape.width), "sides")
    x = graph.add("Mul", "words", float(np.sqrt(shape.width)))
    x = graph.add("Add", x, side)
    layer, middle = Layers(graph, shape), ""
    for number in range(shape.layers):
        x = layer(x, number)
        middle = x if number + 1 == shape.layers // 2 else middle
    Head(graph, shape)(middle, x)
    grid: list[Any] = ["b", "t"]
    inputs = {"words": (FLOAT, [*grid, shape.width]), "sides": (INT, grid)}
    inputs |= {"last": (INT, ["b"]), "facts": (FLOAT, ["b", 3])}
    return graph.file(inputs, ["score", "spread"])


PLAIN = {"slope": 1.0, "offset": 0.0, "spread": 1.0}
"""Scores as they are, until `training.many.calibrate` says what they mean."""


def packed(learnt: Mapping[str, Array]) -> dict[str, Array]:
    """Large matrices in bytes, each row with a scale; vectors and the four sides as they are."""
    made: dict[str, Array] = {}
    for name, value in learnt.items():
        if value.ndim < 2 or len(value) == 1 or name == "sides.weight":
            made[name] = np.asarray(value, np.float32)
            continue
        whole = value.astype(np.float32)
        scale = np.maximum(np.abs(whole).max(1) / 127, 1e-12).astype(np.float32)
        made[name] = np.round(whole / scale[:, None]).astype(np.int8)
        made[f"{name}.scale"] = scale
    return made


def write(
    learnt: Mapping[str, Array],
    out: Path,
    calibration: Mapping[str, Any],
    shape: Shape,
    base: str = CHECKSUM,
    longest: int = LONGEST,
) -> str:
    """The three files; their version."""
    out.mkdir(parents=True, exist_ok=True)
    data = build(shape)
    stored = io.BytesIO()
    np.savez_compressed(stored, **packed(learnt))
    version = hashlib.sha256(data + stored.getvalue()).hexdigest()[:16]
    about = {"version": version, "longest": longest, "layers": shape.layers, "base": base}
    about["calibration"] = dict(calibration)
    (out / "judge.onnx").write_bytes(data)
    (out / "adapter.npz").write_bytes(stored.getvalue())
    (out / "meta.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return version


def settled(learnt: Mapping[str, Array], chrf: float) -> dict[str, Array]:
    """What the head needs when nothing is learnt any more: chrF weighs more, and standard errors
    are
    those of scores, not of what people say by them."""
    made = {name: np.asarray(value, np.float32) for name, value in learnt.items()}
    slope, _ = made.pop("head.people")
    made["head.error.bias"] = made["head.error.bias"] - np.log(slope)
    made["head.plain.weight"][0, 0] += chrf / 2  # facts are read from -1 to 1
    return made


def main(adapter: Path, *, chrf: float = 0.0, out: Path = WEIGHTS / "many") -> None:
    """Read, pack, write; chrF weighs more by `chrf` (training.many.combine)."""
    from safetensors.numpy import load_file

    learnt = settled(load_file(adapter), chrf)
    layers = 1 + max(int(name.split(".")[1]) for name in learnt if name.startswith("layers."))
    print(f"version {write(learnt, out, PLAIN, Shape(layers))}, {layers} layers")
    for path in sorted(out.iterdir()):
        print(f"{path} {path.stat().st_size / 1e6:.2f} MB")
