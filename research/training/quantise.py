"""Step 5: make the shipped files: an 8-bit encoder, 8-bit heads, labels and tokenizer.

    python -m training.quantise --model RUN/model.safetensors --onnx RUN/onnx --out src/albeit/parsing/weights

Matrix products with large weights run on 8-bit integers. Activation ranges are static, so that a
sentence's result never depends on its batch; weights are quantised per output channel to ±63, so
that sums of two products cannot saturate on CPUs without VNNI. Attention products, softmax,
normalisation and small products stay in float32. Word embeddings are stored as bytes with one
scale a word.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from training.batch import Collator, Subwords
from training.calibrate import Range
from training.contract import meta
from training.model.network import load
from training.noise import noisy_item
from training.record import products, record
from training.rows import Item, read_items

WEIGHT_LEVEL = 63
SMALL = 2048
Floats = npt.NDArray[np.float32]


def _initializers(model: onnx.ModelProto) -> dict[str, onnx.TensorProto]:
    return {tensor.name: tensor for tensor in model.graph.initializer}


def _add(model: onnx.ModelProto, name: str, value: npt.NDArray[np.generic]) -> str:
    model.graph.initializer.append(numpy_helper.from_array(value, name))
    return name


def weight_scales(weight: Floats, level: int = WEIGHT_LEVEL) -> tuple[npt.NDArray[np.int8], Floats]:
    """Per output channel (column): the scale with the least squared error, and the bytes."""
    top = np.abs(weight).max(0, keepdims=True) + 1e-12
    best = np.full(weight.shape[1], np.inf)
    scale = (top / level)[0]
    for shrink in np.linspace(0.7, 1.0, 13):
        tried = top * shrink / level
        rounded = np.clip(np.round(weight / tried), -level, level)
        error = np.square(rounded * tried - weight).sum(0)
        scale = np.where(error < best, tried[0], scale)
        best = np.minimum(best, error)
    bytes_ = np.clip(np.round(weight / scale), -level, level).astype(np.int8)
    return bytes_, scale.astype(np.float32)


def quantise_linear(
    model: onnx.ModelProto, found: dict[str, Range], level: int = WEIGHT_LEVEL
) -> None:
    """Run every large product on bytes, with its bias added in the same node.

    `found` gives the range of each product's input by its name in the graph; a product whose input
    is not there stays as it is. `level` is the largest number that a weight is stored as: a smaller one
    loses more, and packs better.
    """
    graph = model.graph
    tensors = _initializers(model)
    users: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)
    chosen = {node.name for node in products(model) if node.input[0] in found}
    read: set[str] = set()
    added: set[str] = set()
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.name in added:
            continue
        if node.name not in chosen:
            nodes.append(node)
            continue
        source = node.input[0]
        if source not in read:
            nodes.append(_quantised(model, source, found[source]))
            read.add(source)
        weight = numpy_helper.to_array(tensors[node.input[1]])
        bias, output = list(node.input[2:]), node.output[0]
        plus = users.get(output, [])
        if node.op_type == "Gemm":
            weight = weight.T
        elif len(plus) == 1 and plus[0].op_type == "Add":
            bias = [name for name in plus[0].input if name in tensors]
            if bias:
                output = plus[0].output[0]
                added.add(plus[0].name)
        bytes_, scales = weight_scales(weight, level)
        graph.initializer.remove(tensors[node.input[1]])
        _add(model, f"{node.name}.w", np.ascontiguousarray(bytes_))
        _add(model, f"{node.name}.w.scale", scales)
        _add(model, f"{node.name}.w.zero", np.zeros(len(scales), np.int8))
        inputs = [
            *(f"{source}.q", f"{node.name}.w", f"{source}.scale", f"{node.name}.w.scale"),
            *(f"{source}.zero", f"{node.name}.w.zero", *bias),
        ]
        nodes.append(
            onnx.helper.make_node(
                "MatMulIntegerToFloat", inputs, [output], node.name, domain="com.microsoft"
            )
        )
    del graph.node[:]
    graph.node.extend(nodes)
    model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))


def smooth(model: onnx.ModelProto, largest: dict[str, Floats], share: float = 0.5) -> None:
    """Let weights carry part of what differs between the columns of a product's input.

    A few columns of a wide encoder are far larger than the rest, and a common scale would leave the
    others few levels. Each column is divided by a factor of its own, and the weights it meets are
    multiplied by it, so that the product stays what it was. `largest` gives each column's largest
    value by the input's name; `share` of the difference goes into the weights."""
    graph = model.graph
    tensors = _initializers(model)
    users: dict[str, list[onnx.NodeProto]] = {}
    for node in products(model):
        if node.input[0] in largest:
            users.setdefault(node.input[0], []).append(node)
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        nodes.append(node)
        for source in (name for name in node.output if name in users):
            weights = [numpy_helper.to_array(tensors[user.input[1]]) for user in users[source]]
            heaviest = np.max([np.abs(weight).max(1) for weight in weights], axis=0)
            factor = (largest[source] + 1e-5) ** share / (heaviest + 1e-5) ** (1 - share)
            factor = (factor / np.exp(np.log(factor).mean())).astype(np.float32)
            _add(model, f"{source}.factor", (1 / factor).astype(np.float32))
            nodes.append(
                onnx.helper.make_node(
                    "Mul", [source, f"{source}.factor"], [f"{source}.even"], f"{source}.even.node"
                )
            )
            for user, weight in zip(users[source], weights, strict=True):
                tensors[user.input[1]].CopyFrom(
                    numpy_helper.from_array(weight * factor[:, None], user.input[1])
                )
                user.input[0] = f"{source}.even"
    del graph.node[:]
    graph.node.extend(nodes)


def four_bit_products(model: onnx.ModelProto, block: int = 32) -> None:
    """Run every large product on weights of 4 bits, with a scale a block of inputs (MatMulNBits).

    What a product reads is brought to bytes row by row, block by block, so that no row depends on
    another. `quantise_linear` must follow, which names the operators' domain."""
    graph = model.graph
    tensors = _initializers(model)
    for node in list(products(model)):
        weight = numpy_helper.to_array(tensors[node.input[1]]).T  # [outputs, inputs]
        rows, columns = weight.shape
        bytes_, scales = weight_scales(weight.reshape(-1, block).T, 7)
        whole = (bytes_.T.reshape(rows, columns // block, block) + 8).astype(np.uint8)
        graph.initializer.remove(tensors[node.input[1]])
        _add(model, f"{node.name}.w", whole[..., ::2] | (whole[..., 1::2] << 4))
        _add(model, f"{node.name}.w.scale", scales)
        inputs = [node.input[0], f"{node.name}.w", f"{node.name}.w.scale"]
        node.CopyFrom(
            onnx.helper.make_node(
                "MatMulNBits",
                inputs,
                list(node.output),
                node.name,
                domain="com.microsoft",
                K=columns,
                N=rows,
                bits=4,
                block_size=block,
                accuracy_level=4,
            )
        )


def _quantised(model: onnx.ModelProto, source: str, found: Range) -> onnx.NodeProto:
    """The node that brings a product's input to bytes."""
    low, high = found
    scale = np.float32((high - low) / 255)
    zero = np.uint8(np.clip(round(-low / float(scale)), 0, 255))
    _add(model, f"{source}.scale", np.array(scale))
    _add(model, f"{source}.zero", np.array(zero))
    inputs = [source, f"{source}.scale", f"{source}.zero"]
    return onnx.helper.make_node("QuantizeLinear", inputs, [f"{source}.q"])


def quantise_embedding(model: onnx.ModelProto, name: str = "words.weight") -> None:
    """Store an embedding table as bytes with one scale a row."""
    graph = model.graph
    tensor = _initializers(model)[name]
    table = numpy_helper.to_array(tensor)
    scale = (np.abs(table).max(1, keepdims=True) / 127 + 1e-12).astype(np.float32)
    graph.initializer.remove(tensor)
    _add(model, f"{name}.bytes", np.round(table / scale).astype(np.int8))
    _add(model, f"{name}.scale", scale)
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type == "Gather" and node.input[0] == name:
            nodes += [
                onnx.helper.make_node("Gather", [f"{name}.bytes", node.input[1]], [f"{name}.row"]),
                onnx.helper.make_node(
                    "Cast", [f"{name}.row"], [f"{name}.float"], to=onnx.TensorProto.FLOAT
                ),
                onnx.helper.make_node(
                    "Gather", [f"{name}.scale", node.input[1]], [f"{name}.rowscale"]
                ),
                onnx.helper.make_node(
                    "Mul", [f"{name}.float", f"{name}.rowscale"], list(node.output)
                ),
            ]
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def embeddings(model: onnx.ModelProto, data: bytes, name: str = "words.weight") -> dict[str, int]:
    """Where in the written file the embedding table and its scales stand, for networks that share
    them: the first byte of each, and the number of rows."""
    tensors = _initializers(model)
    table, scale = tensors[f"{name}.bytes"], tensors[f"{name}.scale.half"]
    found = {"table": data.find(table.raw_data), "scales": data.find(scale.raw_data)}
    return found | {"rows": table.dims[0]}


def standardise(model: onnx.ModelProto, mean: Floats, deviation: Floats) -> None:
    """Give the token vectors zero mean and unit variance in every dimension.

    A few dimensions of a transformer's layers are far larger than the rest and drown them in a
    cosine; scaled vectors agree better with people.
    """
    for node in model.graph.node:
        for names in (node.input, node.output):
            for index, name in enumerate(names):
                if name == "middle":
                    names[index] = "middle.plain"
    _add(model, "middle.mean", mean)
    _add(model, "middle.factor", (1 / deviation).astype(np.float32))
    shift = onnx.helper.make_node("Sub", ["middle.plain", "middle.mean"], ["middle.centred"])
    scale = onnx.helper.make_node("Mul", ["middle.centred", "middle.factor"], ["middle"])
    model.graph.node.extend([shift, scale])


def shrink(model: onnx.ModelProto) -> None:
    """Store the larger of the remaining float tensors in half precision. The node that restores
    one is folded away when the file is loaded."""
    nodes: list[onnx.NodeProto] = []
    for tensor in list(model.graph.initializer):
        if tensor.data_type != onnx.TensorProto.FLOAT:
            continue
        value = numpy_helper.to_array(tensor)
        if value.size < SMALL:
            continue
        name = tensor.name
        model.graph.initializer.remove(tensor)
        _add(model, f"{name}.half", value.astype(np.float16))
        nodes.append(_cast(f"{name}.half", name))
    nodes.extend(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _cast(source: str, target: str) -> onnx.NodeProto:
    return onnx.helper.make_node("Cast", [source], [target], to=onnx.TensorProto.FLOAT)


def calibration_items(data: Path, count: int) -> list[Item]:
    """Training sentences, a third of them noised."""
    rng = random.Random(5)
    foreign = (data / "foreign.txt").read_text(encoding="utf-8").split()
    items = [
        i
        for name in ("gum", "ewt")
        for i in rng.sample(list(read_items(data / f"{name}.train.jsonl.gz")), count // 2)
    ]
    items = [noisy_item(i, rng, foreign) if rng.random() < 1 / 3 else i for i in items]
    return [Item(item.rows[:1]) for item in items]


def main() -> None:
    """Write the shipped files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("research/data"))
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--onnx", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("src/albeit/parsing/weights"))
    parser.add_argument("--sentences", type=int, default=300, help="for calibration")
    args = parser.parse_args()
    labels = json.loads((args.data / "labels.json").read_text())
    collator = Collator(Subwords(args.data / "base/tokenizer.json"), labels)
    config = load(args.model, args.data, labels).encoder.config
    recorder = record(args.onnx, collator, calibration_items(args.data, args.sentences))
    found = recorder.ranges()
    mean, deviation = recorder.middle_statistics()
    args.out.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    for path in sorted(args.onnx.glob("*.onnx")):
        model = onnx.load(str(path))
        quantise_linear(model, found[path.stem])
        if path.stem == "encoder":
            quantise_embedding(model)
            standardise(model, mean, deviation)
        shrink(model)
        onnx.checker.check_model(model)
        data = model.SerializeToString()
        if path.stem == "encoder":
            shared = embeddings(model, data)
        (args.out / path.name).write_bytes(data)
        digest.update(data)
    tokenizer = collator.subwords.tokenizer.to_str()
    (args.out / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
    (args.out / "meta.json").write_text(
        json.dumps(
            meta(labels, config, digest.hexdigest()[:16], embeddings=shared),
            indent=1,
            ensure_ascii=False,
        )
        + "\n",
        encoding="utf-8",
    )
    size = sum(p.stat().st_size for p in args.out.iterdir() if p.suffix in (".onnx", ".json"))
    print(f"{size / 2**20:.1f} MiB in {args.out}")


if __name__ == "__main__":
    main()
