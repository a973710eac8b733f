"""Write the two graphs of the multilingual encoder without its weights, which stay in the package they come with.

    python -m training.languages.skeleton src/albeit/annotate/multilingual

`subwords.onnx` does what depends on a subword alone, once for all places where it stands: its entry to
the three branches, its part in every window of their first convolutions, and its part in its own state.
`states.onnx` does the rest, a row a place. Weights are declared as external data;
`albeit.annotate.multilingual.states` hands them over by name.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper, numpy_helper

from albeit.annotate.multilingual.states import WIDTH

BRANCH, STATE = 256, 512
WINDOWS = ((2, 0), (3, 1), (5, 2))
"""Of the three branches: how many subwords a convolution sees, and how many of them to the left."""
FEATURES = WIDTH + len(WINDOWS) * BRANCH
EPSILON = 1e-12
LEFT = 2
"""How many subwords to the left the widest window sees."""
SEEN = sum(width for width, _ in WINDOWS)
"""Places in the windows of all branches together."""


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

    def affine(self, rows: str, weights: str, bias: str) -> str:
        """rows @ weights + bias."""
        return self("Add", self("MatMul", rows, weights), bias)

    def columns(self, table: str, first: int, count: int) -> str:
        """Some columns that stand together."""
        bounds = [self.constant(np.array([k])) for k in (first, first + count)]
        return self("Slice", table, *bounds, self.constant(np.array([1])))

    def moments(self, rows: str) -> str:
        """The sum of each row's numbers and that of their squares, as two columns."""
        axis = self.constant(np.array([1]))
        sums = self("ReduceSum", rows, axis, keepdims=1)
        squares = self("ReduceSum", self("Mul", rows, rows), axis, keepdims=1)
        return self("Concat", sums, squares, axis=1)

    def bytes(
        self, inputs: dict[str, list[object]], outputs: dict[str, tuple[str, list[object]]]
    ) -> bytes:
        """The model: inputs by name and shape, whole numbers where the first dimension is ``rows``;
        outputs by name, with the node that each comes from."""
        value = helper.make_tensor_value_info
        for name, (node, _) in outputs.items():
            self.nodes.append(helper.make_node("Identity", [node], [name]))
        kinds = {"place": TensorProto.INT64, "window": TensorProto.INT64}
        graph = helper.make_graph(
            self.nodes,
            "encoder",
            [value(n, kinds.get(n, TensorProto.FLOAT), shape) for n, shape in inputs.items()],
            [value(n, TensorProto.FLOAT, shape) for n, (_, shape) in outputs.items()],
            self.weights,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        found: bytes = model.SerializeToString()
        return found


def subwords() -> bytes:
    """Vectors of the subwords that occur → what each brings along wherever it stands."""
    g = Graph()
    wide = len(WINDOWS) * BRANCH
    entered = g(
        "LayerNormalization",
        g.affine("words", g.outside("entry", WIDTH, wide), g.outside("entry_bias", wide)),
        g.outside("entry_gain", wide),
        g.outside("entry_low", wide),
        axis=-1,
        epsilon=EPSILON,
    )
    outputs: dict[str, tuple[str, list[object]]] = {"entered": (entered, ["known", wide])}
    for k, (width, _) in enumerate(WINDOWS):
        rows = g.columns(entered, k * BRANCH, BRANCH)
        for d in range(width):
            part = g("MatMul", rows, g.outside(f"w1_{width}_{d}", BRANCH, BRANCH))
            outputs[f"part_{width}_{d}"] = part, ["known", BRANCH]
    own = g("MatMul", "words", g.outside("exit_own", WIDTH, STATE))
    outputs |= {"own": (own, ["known", STATE]), "moments": (g.moments("words"), ["known", 2])}
    return g.bytes({"words": ["known", WIDTH]}, outputs)


def states() -> bytes:
    """What subwords bring along, which of them stands where, windows of places → states."""
    g = Graph()
    zero = g.constant(np.zeros((1, BRANCH), np.float32))
    inputs: dict[str, list[object]] = {"place": ["rows"], "window": ["rows", 5]}
    inputs |= {
        "entered": ["known", len(WINDOWS) * BRANCH],
        "own": ["known", STATE],
        "moments": ["known", 2],
    }
    entered = g("Gather", "entered", "place")
    # the subword at each place of the window; beyond the text one that brings nothing along
    nothing = g("Sub", g("Shape", "part_2_0"), g.constant(np.array([1, 0])))
    nothing = g("Slice", nothing, g.constant(np.array([0])), g.constant(np.array([1])))
    around = g("Gather", g("Concat", "place", nothing, axis=0), "window")
    branches = []
    for k, (width, left) in enumerate(WINDOWS):
        parts = []
        for d in range(width):
            inputs[f"part_{width}_{d}"] = ["known", BRANCH]
            at = g.columns(around, LEFT - left + d, 1)
            at = g("Reshape", at, g.constant(np.array([-1])))
            parts.append(g("Gather", f"part_{width}_{d}", at))
        total = g("Add", g("Sum", *parts), g.outside(f"b1_{width}", BRANCH))
        rows = g("Add", g("Relu", total), g.columns(entered, k * BRANCH, BRANCH))
        seen = g.columns("window", LEFT - left, width)
        flat = g.constant(np.array([-1, width * BRANCH]))
        beside = g("Reshape", g("Gather", g("Concat", rows, zero, axis=0), seen), flat)
        weights = g.outside(f"w2_{width}", width * BRANCH, BRANCH)
        total = g.affine(beside, weights, g.outside(f"b2_{width}", BRANCH))
        branches.append(g("Add", g("Relu", total), rows))
    rows = g("Concat", *branches, axis=1)
    mean = g(
        "Mul",
        g("Add", g.moments(rows), g("Gather", "moments", "place")),
        g.constant(np.array([1 / FEATURES], np.float32)),
    )
    middle, square = (g.columns(mean, k, 1) for k in (0, 1))
    spread = g("Sqrt", g("Sub", square, g("Mul", middle, middle)))
    whole = g("MatMul", rows, g.outside("exit", FEATURES - WIDTH, STATE))
    whole = g("Div", g("Add", whole, g("Gather", "own", "place")), spread)
    unit = g("LpNormalization", g("Add", whole, g.outside("exit_bias", STATE)), axis=1, p=2)
    return g.bytes(inputs, {"states": (unit, ["rows", STATE])})


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "subwords.onnx").write_bytes(subwords())
    (folder / "states.onnx").write_bytes(states())
