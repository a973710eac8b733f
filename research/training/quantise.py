"""Step 5: make the shipped files: an 8-bit encoder, 8-bit heads, labels and tokenizer.

    python -m training quantise --model RUN/model.safetensors --onnx RUN/onnx

Matrix products with large weights run on 8-bit integers. Activation ranges are static, so that a
sentence's result never depends on its batch. A range has the least squared rounding error over a
sample of training sentences: a few outliers may be clipped. Weights are quantized per output
channel to ±63, so that sums of two products cannot saturate on CPUs without VNNI. Attention
products, softmax, normalization and small products stay in float32. Word embeddings are bytes with
one scale per word.
"""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from training.batch import CLS, SEP, Subwords
from training.noise import noisy_item
from training.options import WEIGHTS
from training.predict import Analyser, Array, Floats, OnnxBackend
from training.rows import Item, read_items

Range = tuple[float, float]
Ranges = Mapping[str, Mapping[str, Range]]
PADDING = 0
SMALL = 2048
LARGE = 16384
"""Products with smaller weights gain too little to be quantized."""
KEPT = 1 / 8
"""The share of the values that is kept."""
SAMPLE = 400_000
"""The most values that a range is chosen by."""


LEVELS = 255
WEIGHT_LEVEL = 63
SHRINK = tuple(1 - 0.03 * k for k in range(28))


def _error(values: Floats, low: float, high: float) -> float:
    scale = (high - low) / LEVELS
    zero = round(-low / scale)
    rounded = np.clip(np.round(values / scale + zero), 0, LEVELS)
    return float(np.square((rounded - zero) * scale - values).mean())


def best_range(values: Floats) -> Range:
    """Return the range (always with 0 in it) that loses least."""
    best = min(0.0, float(values.min())), max(0.0, float(values.max()))
    if best[0] == best[1]:
        return (0.0, 1.0)
    least = _error(values, *best)
    for sides in ((1, 1), (1, 0), (0, 1)):
        start = best
        for shrink in SHRINK[1:]:
            tried = start[0] * shrink ** sides[0], start[1] * shrink ** sides[1]
            error = _error(values, *tried) if tried[1] > tried[0] else np.inf
            if error < least:
                least, best = error, tried
    return best


def products(model: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    """Yield the nodes that multiply by a large weight matrix."""
    matrices = [tensor for tensor in model.graph.initializer if len(tensor.dims) == 2]
    large = {tensor.name for tensor in matrices if np.prod(tensor.dims) >= LARGE}
    for node in model.graph.node:
        if node.op_type in ("MatMul", "Gemm") and node.input[1] in large:
            yield node


class Recorder(OnnxBackend):
    """Runs exported files, and keeps some of what their products read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.rng = np.random.default_rng(0)
        self.sources: dict[str, list[str]] = {}
        self.outputs: dict[str, list[str]] = {}
        self.kept: dict[tuple[str, str], list[Floats]] = defaultdict(list)
        self.extremes: dict[tuple[str, str], Range] = {}
        self.largest: dict[str, dict[str, Floats]] = defaultdict(dict)
        """The largest absolute value in each column of what products read, by file."""
        self.middle: list[Floats] = []

    def load(self, name: str) -> onnxruntime.InferenceSession:
        """Return a session that gives the products' inputs as further outputs."""
        model = onnx.load(str(self.folder / f"{name}.onnx"))
        self.outputs[name] = [each.name for each in model.graph.output]
        given = {each.name for each in (*model.graph.input, *model.graph.output)}
        self.sources[name] = sorted({node.input[0] for node in products(model)})
        for source in self.sources[name]:
            if source not in given:
                shown = helper.make_tensor_value_info(source, TensorProto.FLOAT, None)
                model.graph.output.append(shown)
        return self.open(model.SerializeToString())

    def head(self, name: str, *inputs: Array) -> list[Floats]:
        """Return the outputs of a file; what its products read is kept, without padding."""
        session = self.session(name)
        values = dict(zip((node.name for node in session.get_inputs()), inputs, strict=True))
        shown = [node.name for node in session.get_outputs()]
        values |= dict(zip(shown, session.run(None, values), strict=True))
        for source in self.sources[name]:
            read = np.asarray(values[source], np.float32)
            if name == "encoder":
                read = read[inputs[1].astype(bool)]
            low, high = self.extremes.get((name, source), (0.0, 0.0))
            extremes = min(low, float(read.min())), max(high, float(read.max()))
            self.extremes[name, source] = extremes
            flat = read.ravel()
            self.kept[name, source].append(flat[self.rng.random(len(flat)) < KEPT])
            columns = np.abs(read).reshape(-1, read.shape[-1]).max(0)
            self.largest[name][source] = np.maximum(self.largest[name].get(source, 0), columns)
        outputs = [np.asarray(values[each]) for each in self.outputs[name]]
        if name == "encoder":
            special = np.isin(inputs[0], (CLS, SEP, PADDING))
            self.middle.append(outputs[1][~special])
        return outputs

    def ranges(self) -> dict[str, dict[str, Range]]:
        """Return the range of each product's input, by file."""
        ranges: dict[str, dict[str, Range]] = defaultdict(dict)
        for (name, source), parts in self.kept.items():
            values = np.concatenate(parts)
            if len(values) > SAMPLE:
                values = self.rng.choice(values, SAMPLE, replace=False)
            values = np.append(values, np.array(self.extremes[name, source], np.float32))
            ranges[name][source] = best_range(values)
        return ranges


def _tensors(model: onnx.ModelProto) -> dict[str, onnx.TensorProto]:
    return {tensor.name: tensor for tensor in model.graph.initializer}


def _add(model: onnx.ModelProto, name: str, value: npt.ArrayLike) -> str:
    model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    return name


def _replace_nodes(model: onnx.ModelProto, nodes: list[onnx.NodeProto]) -> None:
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _node(kind: str, inputs: list[str], outputs: list[str], **more: Any) -> onnx.NodeProto:
    return helper.make_node(kind, inputs, outputs, **more)


def _users(
    model: onnx.ModelProto, nodes: list[onnx.NodeProto] | None = None
) -> dict[str, list[onnx.NodeProto]]:
    users: dict[str, list[onnx.NodeProto]] = defaultdict(list)
    for node in model.graph.node if nodes is None else nodes:
        for name in node.input:
            users[name].append(node)
    return users


def weight_scales(weight: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Return the bytes and, per output channel (column), the scale with the least squared error."""
    top = np.abs(weight).max(0) + 1e-12
    best, scale = np.full(weight.shape[1], np.inf), top / WEIGHT_LEVEL
    for shrink in np.linspace(0.7, 1.0, 13):
        tried = top * shrink / WEIGHT_LEVEL
        rounded = np.clip(np.round(weight / tried), -WEIGHT_LEVEL, WEIGHT_LEVEL)
        error = np.square(rounded * tried - weight).sum(0)
        scale = np.where(error < best, tried, scale)
        best = np.minimum(best, error)
    bytes_ = np.clip(np.round(weight / scale), -WEIGHT_LEVEL, WEIGHT_LEVEL).astype(np.int8)
    return bytes_, scale.astype(np.float32)


def quantise_linear(model: onnx.ModelProto, ranges: Mapping[str, Range]) -> None:
    """Run every large product on bytes, with its bias added in the same node.

    A product whose input has no range stays as it is.
    """
    tensors, users = _tensors(model), _users(model)
    chosen = {node.name for node in products(model) if node.input[0] in ranges}
    read: set[str] = set()
    added: set[str] = set()
    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        if node.name in added:
            continue
        if node.name not in chosen:
            nodes.append(node)
            continue
        source = node.input[0]
        if source not in read:
            nodes.append(_quantize_input(model, source, ranges[source]))
            read.add(source)
        weight, (bias, output, plus) = numpy_helper.to_array(tensors[node.input[1]]), ([], "", "")
        if node.op_type == "Gemm":
            weight, bias, output = weight.T, list(node.input[2:]), node.output[0]
        else:
            bias, output, plus = _find_bias(node, users, tensors)
        added.add(plus)
        bytes_, scales = weight_scales(weight)
        model.graph.initializer.remove(tensors[node.input[1]])
        own = [f"{node.name}.w", f"{node.name}.w.scale", f"{node.name}.w.zero"]
        parts = np.ascontiguousarray(bytes_), scales, np.zeros(len(scales), np.int8)
        for name, value in zip(own, parts, strict=True):
            _add(model, name, value)
        inputs = [f"{source}.q", own[0], f"{source}.scale", own[1], f"{source}.zero", own[2], *bias]
        kind = "MatMulIntegerToFloat"
        nodes.append(_node(kind, inputs, [output], name=node.name, domain="com.microsoft"))
    _replace_nodes(model, nodes)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))


def _find_bias(
    node: onnx.NodeProto,
    users: Mapping[str, list[onnx.NodeProto]],
    tensors: Mapping[str, onnx.TensorProto],
) -> tuple[list[str], str, str]:
    """Return the bias that is added to a product, the output, and the name of the addition."""
    plus = users.get(node.output[0], [])
    if len(plus) == 1 and plus[0].op_type == "Add":
        bias = [name for name in plus[0].input if name in tensors]
        if bias:
            return bias, plus[0].output[0], plus[0].name
    return [], node.output[0], ""


def _quantize_input(model: onnx.ModelProto, source: str, limits: Range) -> onnx.NodeProto:
    """Return the node that brings a product's input to bytes."""
    low, high = limits
    scale = np.float32((high - low) / LEVELS)
    _add(model, f"{source}.scale", scale)
    _add(model, f"{source}.zero", np.uint8(np.clip(round(-low / float(scale)), 0, LEVELS)))
    inputs = [source, f"{source}.scale", f"{source}.zero"]
    return _node("QuantizeLinear", inputs, [f"{source}.q"])


def smooth(model: onnx.ModelProto, largest: Mapping[str, Floats], share: float = 0.5) -> None:
    """Let weights carry part of what differs between the columns of a product's input.

    A few columns of a wide encoder are far larger than the rest, and a common scale would leave the
    others few levels. Each column is divided by a factor of its own, and the weights it meets are
    multiplied by it, so that the product stays what it was. `largest` gives each column's largest
    value by the input's name; `share` of the difference goes into the weights."""
    tensors = _tensors(model)
    users = _users(model, [n for n in products(model) if n.input[0] in largest])
    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        nodes.append(node)
        for source in (name for name in node.output if name in users and name in largest):
            weights = [numpy_helper.to_array(tensors[user.input[1]]) for user in users[source]]
            heaviest = np.max([np.abs(weight).max(1) for weight in weights], axis=0)
            factor = (largest[source] + 1e-5) ** share / (heaviest + 1e-5) ** (1 - share)
            factor = (factor / np.exp(np.log(factor).mean())).astype(np.float32)
            _add(model, f"{source}.factor", (1 / factor).astype(np.float32))
            inputs, even = [source, f"{source}.factor"], f"{source}.even"
            nodes.append(_node("Mul", inputs, [even], name=f"{even}.node"))
            for user, weight in zip(users[source], weights, strict=True):
                whole = numpy_helper.from_array(weight * factor[:, None], user.input[1])
                tensors[user.input[1]].CopyFrom(whole)
                user.input[0] = even
    _replace_nodes(model, nodes)


def quantise_embedding(model: onnx.ModelProto, name: str = "words.weight") -> None:
    """Store an embedding table as bytes with one scale per row."""
    tensor = _tensors(model)[name]
    table = numpy_helper.to_array(tensor)
    scale = (np.abs(table).max(1, keepdims=True) / 127 + 1e-12).astype(np.float32)
    model.graph.initializer.remove(tensor)
    _add(model, f"{name}.bytes", np.round(table / scale).astype(np.int8))
    _add(model, f"{name}.scale", scale)
    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        if node.op_type != "Gather" or node.input[0] != name:
            nodes.append(node)
            continue
        row, scaled, real = f"{name}.row", f"{name}.rowscale", f"{name}.float"
        nodes += [
            _node("Gather", [f"{name}.bytes", node.input[1]], [row]),
            _node("Cast", [row], [real], to=TensorProto.FLOAT),
            _node("Gather", [f"{name}.scale", node.input[1]], [scaled]),
            _node("Mul", [real, scaled], list(node.output)),
        ]
    _replace_nodes(model, nodes)


def locate_embeddings(data: bytes, name: str = "words.weight") -> dict[str, int]:
    """Return where in a written file the embedding table and its scales begin, and the rows.

    Other networks share them."""
    tensors = _tensors(onnx.load_model_from_string(data))
    table, scale = tensors[f"{name}.bytes"], tensors[f"{name}.scale.half"]
    places = {"table": data.find(table.raw_data), "scales": data.find(scale.raw_data)}
    return places | {"rows": table.dims[0]}


def standardise(model: onnx.ModelProto, mean: Floats, deviation: Floats) -> None:
    """Give the token vectors zero mean and unit variance in every dimension.

    A few dimensions of a transformer's layers are far larger than the rest and dominate a
    cosine."""
    for node in model.graph.node:
        for names in (node.input, node.output):
            for index, name in enumerate(names):
                if name == "middle":
                    names[index] = "middle.plain"
    _add(model, "middle.mean", mean)
    _add(model, "middle.factor", (1 / deviation).astype(np.float32))
    shift = _node("Sub", ["middle.plain", "middle.mean"], ["middle.centred"])
    scale = _node("Mul", ["middle.centred", "middle.factor"], ["middle"])
    model.graph.node.extend([shift, scale])


def shrink(model: onnx.ModelProto) -> None:
    """Store the larger of the remaining float tensors in half precision.

    The node that restores one is folded away when the file is loaded."""
    nodes: list[onnx.NodeProto] = []
    for tensor in list(model.graph.initializer):
        value = numpy_helper.to_array(tensor)
        if tensor.data_type == TensorProto.FLOAT and value.size >= SMALL:
            model.graph.initializer.remove(tensor)
            half = _add(model, f"{tensor.name}.half", value.astype(np.float16))
            nodes.append(_node("Cast", [half], [tensor.name], to=TensorProto.FLOAT))
    _replace_nodes(model, [*nodes, *model.graph.node])


def quantise_smoothed(
    make: Callable[[bool], onnx.ModelProto], name: str, feed: Callable[[Recorder], None]
) -> bytes:
    """Return a graph with smoothed, quantized products, as the contents of a file.

    `make` gives the graph that is recorded (false) or written (true); `feed` runs it over texts."""

    def record(model: onnx.ModelProto) -> Recorder:
        with tempfile.TemporaryDirectory() as folder:
            onnx.save(model, str(Path(folder) / f"{name}.onnx"))
            recorder = Recorder(Path(folder))
            feed(recorder)
            return recorder

    largest = record(make(False)).largest[name]
    model = make(False)
    smooth(model, largest)
    ranges = record(model).ranges()[name]
    model = make(True)
    smooth(model, largest)
    quantise_linear(model, ranges)
    shrink(model)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def write_quantized(folder: Path, ranges: Ranges, out: Path, middle: list[Floats]) -> str:
    """Quantize all files of a folder; return the version, a digest of all of them."""
    out.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.onnx")):
        model = onnx.load(str(path))
        quantise_linear(model, ranges[path.stem])
        if path.stem == "encoder":
            values = np.concatenate(middle)
            quantise_embedding(model)
            standardise(model, values.mean(0), values.std(0, ddof=1))
        shrink(model)
        onnx.checker.check_model(model)
        data = model.SerializeToString()
        (out / path.name).write_bytes(data)
        digest.update(data)
    return digest.hexdigest()[:16]


def calibration_items(data: Path, count: int) -> list[Item]:
    """Return training sentences, a third of them with noise."""
    rng = random.Random(5)
    foreign = (data / "foreign.txt").read_text(encoding="utf-8").split()
    items: list[Item] = []
    for name in ("gum", "ewt"):
        items += rng.sample(list(read_items(data / f"{name}.train.jsonl.gz")), count // 2)
    items = [noisy_item(i, rng, foreign) if rng.random() < 1 / 3 else i for i in items]
    return [Item(item.rows[:1]) for item in items]


def main(
    *,
    model: Path,
    onnx: Path,
    data: Path = Path("research/data"),
    out: Path = WEIGHTS,
    sentences: int = 300,
) -> None:
    """Write the shipped files."""
    from training.model.network import load

    labels = json.loads((data / "labels.json").read_text())
    tokenizer = data / "base/tokenizer.json"
    config = load(model, data, labels).encoder.config
    recorder = Recorder(onnx)
    Analyser(recorder, tokenizer, labels)(calibration_items(data, sentences))
    version = write_quantized(onnx, recorder.ranges(), out, recorder.middle)
    shared = locate_embeddings((out / "encoder.onnx").read_bytes())
    meta = {
        "version": version,
        "base": "all-MiniLM-L6-v2 (Apache-2.0), taught by all-mpnet-base-v2 (Apache-2.0)",
        "training_data": "GUM (commit 72ce5ac), UD English EWT with PropBank's EWT release",
        "width": config.width,
        "rst_label_weight": 0.0,
        "labels": labels,
        "embeddings": shared,
    }
    own = Subwords(tokenizer).tokenizer.to_str()
    (out / "tokenizer.json").write_text(own, encoding="utf-8")
    text = json.dumps(meta, indent=1, ensure_ascii=False)
    (out / "meta.json").write_text(text + "\n", encoding="utf-8")
    size = sum(p.stat().st_size for p in out.iterdir() if p.suffix in (".onnx", ".json"))
    print(f"{size / 2**20:.1f} MiB in {out}")
