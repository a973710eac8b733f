"""A transformer's ONNX graph, node by node, from arrays: PyTorch is not needed to write it.

The judge that ships is written by it (`training.judge.export`), and so is what stands in for other
learned metrics where their cost is measured (`benchmarks/judge.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
Array = npt.NDArray[np.generic]
Weights = Mapping[str, npt.NDArray[np.float32]]
INT, FLOAT = TensorProto.INT64, TensorProto.FLOAT


@dataclass
class Graph:
    """Nodes and constants as they are added; every value has a name.

    What large products read is named by its part of the network: the ranges of one graph serve
    another that stores its words differently."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, Array] = field(default_factory=dict)

    def add(self, kind: str, *inputs: npt.ArrayLike, name: str = "", **settings: Any) -> str:
        """A node with one output, whose name is given back; inputs are names or constants."""
        out = name or f"{kind.lower()}.{len(self.nodes)}"
        names = [each if isinstance(each, str) else self.hold(each) for each in inputs]
        self.nodes.append(helper.make_node(kind, names, [out], f"{out}.node", **settings))
        return out

    def hold(self, value: npt.ArrayLike, name: str = "") -> str:
        """A constant; equal short ones are held once."""
        made = np.asarray(value)
        if made.dtype == np.float64:
            made = made.astype(np.float32)
        name = name or f"const.{made.dtype}.{made.tolist()}"
        self.constants[name] = made
        return name

    def linear(self, x: str, weight: Array, bias: Array, name: str) -> str:
        """A product with a matrix [out, in], as PyTorch keeps it, and a bias."""
        held = self.hold(np.ascontiguousarray(weight.T), f"{name}.w")
        out = self.add("MatMul", x, held, name=f"{name}.product")
        return self.add("Add", out, self.hold(bias, f"{name}.b"), name=name)

    def norm(self, x: str, weights: Weights, name: str, epsilon: float) -> str:
        """Layer normalisation over the last axis."""
        names = (f"{name}.weight", f"{name}.bias")
        held = (self.hold(weights[own], own) for own in names)
        settings = {"axis": -1, "epsilon": epsilon}
        return self.add("LayerNormalization", x, *held, name=f"{name}.out", **settings)

    def gelu(self, x: str, name: str) -> str:
        """With the error function."""
        erf = self.add("Erf", self.add("Div", x, float(np.sqrt(2))))
        twice = self.add("Mul", x, self.add("Add", erf, 1.0))
        return self.add("Mul", twice, 0.5, name=name)

    def length(self, like: str, axis: int) -> str:
        """The size of an axis, as a scalar."""
        return self.add("Gather", self.add("Shape", like), np.int64(axis), axis=0)

    def places(self, like: str) -> str:
        """0, 1, … along the second axis."""
        return self.add("Range", np.int64(0), self.length(like, 1), np.int64(1))

    def model(
        self,
        inputs: Mapping[str, tuple[int, Sequence[str | int]]],
        outputs: Mapping[str, Sequence[str | int]],
    ) -> onnx.ModelProto:
        """The file: inputs with type and sizes, outputs with sizes."""
        graph = helper.make_graph(
            self.nodes,
            "network",
            [helper.make_tensor_value_info(n, kind, size) for n, (kind, size) in inputs.items()],
            [helper.make_tensor_value_info(n, FLOAT, size) for n, size in outputs.items()],
            [numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        opsets = [helper.make_opsetid("", OPSET)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def block(
    graph: Graph, x: str, bias: str, weights: Weights, name: str, heads: int, epsilon: float
) -> str:
    """One layer: attention with `bias` added to its scores, then two products with GELU between.

    Query, key and value are one product, the scale of scores in the query's part."""
    parts = [f"{name}.attention.{part}" for part in ("query", "key", "value")]
    width = weights[f"{parts[0]}.weight"].shape[0]
    scale = [1 / np.sqrt(width // heads), 1.0, 1.0]
    weight, shift = (
        np.concatenate([weights[f"{p}.{kind}"] * s for p, s in zip(parts, scale, strict=True)])
        for kind in ("weight", "bias")
    )
    own = weight.astype(np.float32), shift.astype(np.float32)
    mixed = graph.linear(x, *own, f"{name}.qkv")
    mixed = graph.add("Reshape", mixed, np.array([0, 0, 3, heads, width // heads]))
    mixed = graph.add("Transpose", mixed, perm=[2, 0, 3, 1, 4])
    q, k, v = (graph.add("Gather", mixed, np.int64(n), axis=0) for n in range(3))
    scores = graph.add("MatMul", q, graph.add("Transpose", k, perm=[0, 1, 3, 2]))
    scores = graph.add("Softmax", graph.add("Add", scores, bias), axis=-1)
    mixed = graph.add("Transpose", graph.add("MatMul", scores, v), perm=[0, 2, 1, 3])
    mixed = graph.add("Reshape", mixed, np.array([0, 0, width]), name=f"{name}.mixed")

    def product(x: str, part: str) -> str:
        own = f"{name}.{part}"
        return graph.linear(x, weights[f"{own}.weight"], weights[f"{own}.bias"], own)

    x = graph.add("Add", x, product(mixed, "attention.output"))
    x = graph.norm(x, weights, f"{name}.attention.norm", epsilon)
    y = product(graph.gelu(product(x, "up"), f"{name}.gelu"), "down")
    return graph.norm(graph.add("Add", x, y), weights, f"{name}.norm", epsilon)


def absent(graph: Graph, mask: str) -> str:
    """What keeps attention from padding: [b, 1, 1, t], 0 or very negative."""
    missing = graph.add("Sub", 1.0, graph.add("Cast", mask, to=FLOAT))
    missing = graph.add("Mul", missing, -10000.0)
    return graph.add("Unsqueeze", missing, np.array([1, 2]))
