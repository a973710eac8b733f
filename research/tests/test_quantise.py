"""Products on bytes: close to float32, zero kept exactly, small weights left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from training.predict import OnnxBackend

onnx = pytest.importorskip("onnx", reason="only training needs it")
quantise = pytest.importorskip("training.quantise", reason="export needs onnx")

Floats = npt.NDArray[np.float32]
RNG = np.random.default_rng(1)


def floats(*shape: int) -> Floats:
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One file: a Gemm with bias, a MatMul with bias, one without, and a small one."""
    weights = {
        "a": floats(160, 128),
        "a.bias": floats(160),
        "b": floats(160, 128),
        "b.bias": floats(128),
        "c": floats(128, 144),
        "d": floats(144, 3),
    }
    node = onnx.helper.make_node
    nodes = [
        node("Gemm", ["x", "a", "a.bias"], ["ya"], "/a/Gemm", transB=1),
        node("MatMul", ["ya", "b"], ["yb"], "/b/MatMul"),
        node("Add", ["b.bias", "yb"], ["zb"], "/b/Add"),
        node("MatMul", ["zb", "c"], ["yc"], "/c/MatMul"),
        node("MatMul", ["yc", "d"], ["y"], "/d/MatMul"),
    ]
    number = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        nodes,
        "head",
        [onnx.helper.make_tensor_value_info("x", number, ["n", 128])],
        [onnx.helper.make_tensor_value_info("y", number, ["n", 3])],
        [onnx.numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    imports = [onnx.helper.make_opsetid("", 17)]
    onnx.save(
        onnx.helper.make_model(graph, opset_imports=imports, ir_version=8), tmp_path / "head.onnx"
    )
    return tmp_path


def test_large_products_run_on_bytes(folder: Path) -> None:
    recorder = quantise.Recorder(folder)
    inputs = floats(400, 128)
    (plain,) = recorder.head("head", inputs)
    (expected,) = OnnxBackend(folder).head("head", inputs)
    assert np.allclose(plain, expected, rtol=1e-3, atol=1e-2)
    found = recorder.ranges()
    assert set(found["head"]) == {"x", "ya", "zb"}
    model = onnx.load(str(folder / "head.onnx"))
    quantise.quantise_linear(model, found["head"])
    quantise.shrink(model)
    onnx.checker.check_model(model)
    kinds = [each.op_type for each in model.graph.node]
    assert kinds.count("MatMulIntegerToFloat") == 3
    assert kinds.count("MatMul") == 1
    assert "Add" not in kinds
    onnx.save(model, str(folder / "small.onnx"))
    backend = OnnxBackend(folder)
    (given,) = backend.head("small", inputs)
    assert np.abs(given - expected).mean() < 0.03 * np.abs(expected).mean()
    (alone,) = backend.head("small", inputs[7:8])
    assert np.allclose(alone[0], given[7], rtol=1e-5)


def test_a_range_holds_zero_and_clips_only_where_it_pays() -> None:
    low, high = quantise.best_range(np.abs(floats(5000)))
    assert low == 0
    assert high > 2
    assert quantise.best_range(np.append(floats(50_000), np.float32(1000)))[1] > 100
    assert quantise.best_range(np.zeros(5, np.float32)) == (0, 1)
