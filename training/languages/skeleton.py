"""Write the graph of the multilingual encoder without its weights, which stay in the package they come with.

    python -m training.languages.skeleton src/albeit/annotate/multilingual/encoder.onnx

Weights are declared as external data; `albeit.annotate.multilingual.states` hands them over by name.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper, numpy_helper

from training.languages.encoder import BRANCH, FEATURES, WIDTH, WINDOWS

STATE = 512
EPSILON = 1e-12
LEFT = 2
"""How many subwords to the left the widest window sees."""


class Graph:
    """Nodes and weights, each named when it is added."""

    def __init__(self) -> None:
        self.nodes: list[object] = []
        self.weights: list[object] = []

    def __call__(self, kind: str, *inputs: str, **attributes: object) -> str:
        """One more node; the name of its output."""
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def outside(self, name: str, *shape: int) -> str:
        """A weight that is handed over when the graph is loaded."""
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="weights.npz")
        self.weights.append(tensor)
        return name

    def constant(self, value: npt.NDArray[np.generic]) -> str:
        """A number of the graph's own."""
        name = f"constant{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def norm(self, rows: str, gain: str, bias: str) -> str:
        """Rows with mean 0 and spread 1, then scaled."""
        return self("LayerNormalization", rows, gain, bias, axis=-1, epsilon=EPSILON)

    def affine(self, rows: str, weights: str, bias: str) -> str:
        """rows @ weights + bias."""
        return self("Add", self("MatMul", rows, weights), bias)


def skeleton() -> bytes:
    """The graph: vectors of the subwords that occur, which of them stands where, windows → states."""
    g = Graph()
    wide = len(WINDOWS) * BRANCH
    entered = g.norm(
        g.affine("words", g.outside("entry", WIDTH, wide), g.outside("entry_bias", wide)),
        g.outside("entry_gain", wide), g.outside("entry_low", wide),
    )  # fmt: skip
    entered = g("Gather", entered, "place")
    parts = [g("Gather", "words", "place")]
    zero = g.constant(np.zeros((1, BRANCH), np.float32))
    axis = g.constant(np.array([1]))

    def columns(table: str, first: int, count: int) -> str:
        bounds = [g.constant(np.array([k])) for k in (first, first + count)]
        return g("Slice", table, *bounds, axis)

    for k, (width, left) in enumerate(WINDOWS):
        rows = columns(entered, k * BRANCH, BRANCH)
        seen = columns("window", LEFT - left, width)
        flat = g.constant(np.array([-1, width * BRANCH]))
        for layer in (1, 2):
            weights = g.outside(f"w{layer}_{width}", width * BRANCH, BRANCH)
            bias = g.outside(f"b{layer}_{width}", BRANCH)
            around = g("Gather", g("Concat", rows, zero, axis=0), seen)
            rows = g("Add", g("Relu", g.affine(g("Reshape", around, flat), weights, bias)), rows)
        parts.append(rows)
    gain, low = g.outside("gain", FEATURES), g.outside("low", FEATURES)
    features = g.norm(g("Concat", *parts, axis=1), gain, low)
    states = g.affine(features, g.outside("exit", FEATURES, STATE), g.outside("exit_bias", STATE))
    unit = g("LpNormalization", states, axis=1, p=2)
    g.nodes.append(helper.make_node("Identity", [unit], ["states"]))
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        g.nodes, "encoder",
        [value("words", TensorProto.FLOAT, ["known", WIDTH]), value("place", TensorProto.INT64, ["rows"]),
         value("window", TensorProto.INT64, ["rows", 5])],
        [value("states", TensorProto.FLOAT, ["rows", STATE])],
        g.weights,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    found: bytes = model.SerializeToString()
    return found


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(skeleton())
