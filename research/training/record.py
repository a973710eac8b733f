"""What the large products of the exported files read, for static quantisation.

The files run over a sample of training sentences with the inputs of their products recorded, and
each input gets the range that loses least.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch

from training.batch import Collator
from training.calibrate import Range, best_range
from training.onnx_backend import Array, Floats, OnnxBackend
from training.predict import Analyser
from training.rows import Item

LARGE = 16384
"""Products with smaller weights gain too little to be quantised."""
KEPT = 1 / 8
"""The share of the values that is kept."""
SAMPLE = 400_000
"""The most values that a range is chosen by."""


def products(model: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    """The nodes that multiply by a large weight matrix."""
    large = {
        tensor.name
        for tensor in model.graph.initializer
        if len(tensor.dims) == 2 and tensor.dims[0] * tensor.dims[1] >= LARGE
    }
    for node in model.graph.node:
        if node.op_type in ("MatMul", "Gemm") and node.input[1] in large:
            yield node


class Recorder(OnnxBackend):
    """Runs the exported files and keeps some of what their products read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.rng = np.random.default_rng(0)
        self.sources: dict[str, list[str]] = {}
        self.outputs: dict[str, list[str]] = {}
        self.kept: dict[tuple[str, str], list[Floats]] = defaultdict(list)
        self.extremes: dict[tuple[str, str], Range] = {}
        self.largest: dict[str, dict[str, Floats]] = defaultdict(dict)
        """The largest absolute value in each column of what products read, file by file."""
        self.middle: list[Floats] = []

    def load(self, name: str) -> ort.InferenceSession:
        """A session that gives the products' inputs as further outputs."""
        model = onnx.load(str(self.folder / f"{name}.onnx"))
        self.outputs[name] = [each.name for each in model.graph.output]
        given = {each.name for each in (*model.graph.input, *model.graph.output)}
        self.sources[name] = sorted({node.input[0] for node in products(model)})
        for source in self.sources[name]:
            if source not in given:
                shown = onnx.helper.make_tensor_value_info(source, onnx.TensorProto.FLOAT, None)
                model.graph.output.append(shown)
        return self.open(model.SerializeToString())

    def run(self, name: str, *inputs: Array) -> list[Floats]:
        """The outputs of a file; what its products read is kept."""
        session = self.session(name)
        values = dict(zip((node.name for node in session.get_inputs()), inputs, strict=True))
        shown = [node.name for node in session.get_outputs()]
        values |= dict(zip(shown, session.run(None, values), strict=True))
        for source in self.sources[name]:
            read = np.asarray(values[source], np.float32)
            self._keep((name, source), read.ravel())
            columns = np.abs(read).reshape(-1, read.shape[-1]).max(0)
            self.largest[name][source] = np.maximum(self.largest[name].get(source, 0), columns)
        return [np.asarray(values[each]) for each in self.outputs[name]]

    def encode(self, ids: Array, mask: Array, cases: Array) -> tuple[Floats, Floats]:
        """Run the encoder; the middle layer is kept, special tokens left out."""
        hidden, middle = super().encode(ids, mask, cases)
        self.middle.append(middle[0, 1:-1])
        return hidden, middle

    def _keep(self, key: tuple[str, str], values: Floats) -> None:
        low, high = self.extremes.get(key, (0.0, 0.0))
        self.extremes[key] = min(low, float(values.min())), max(high, float(values.max()))
        self.kept[key].append(values[self.rng.random(len(values)) < KEPT])

    def ranges(self) -> dict[str, dict[str, Range]]:
        """The range of each product's input, file by file."""
        found: dict[str, dict[str, Range]] = defaultdict(dict)
        for (name, source), parts in self.kept.items():
            values = np.concatenate(parts)
            if len(values) > SAMPLE:
                values = self.rng.choice(values, SAMPLE, replace=False)
            values = np.append(values, np.array(self.extremes[name, source], np.float32))
            found[name][source] = best_range(torch.from_numpy(values))
        return found

    def middle_statistics(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of each dimension of the middle layer."""
        values = np.concatenate(self.middle)
        return values.mean(0), values.std(0, ddof=1)


def record(folder: Path, collator: Collator, items: Sequence[Item]) -> Recorder:
    """Run all files over the items, one at a time: padding must not be calibrated for."""
    recorder = Recorder(folder)
    analyser = Analyser(recorder, collator)
    for item in items:
        analyser([item])
    return recorder
