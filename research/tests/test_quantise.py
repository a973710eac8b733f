"""Products on bytes: close to float32, zero kept exactly, small weights left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from training.predict import OnnxBackend

onnx = pytest.importorskip("onnx", reason="only training needs it")
graph = pytest.importorskip("training.graph")
quantise = pytest.importorskip("training.quantise", reason="export needs onnx")

Floats = npt.NDArray[np.float32]
RNG = np.random.default_rng(1)


def floats(*shape: int) -> Floats:
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One file: a Gemm with bias, a MatMul with bias, one without, and a small one."""
    made = graph.Graph()
    sizes = {"a": (160, 128), "a.bias": (160,), "b": (160, 128), "b.bias": (128,)}
    for name, size in (sizes | {"c": (128, 144), "d": (144, 3)}).items():
        made.hold(floats(*size), name)
    made.add("Gemm", "x", "a", "a.bias", name="ya", transB=1)
    made.add("MatMul", "ya", "b", name="yb")
    made.add("Add", "b.bias", "yb", name="zb")
    made.add("MatMul", "zb", "c", name="yc")
    made.add("MatMul", "yc", "d", name="y")
    model = made.model({"x": (graph.FLOAT, ["n", 128])}, {"y": ["n", 3]})
    onnx.save(model, tmp_path / "head.onnx")
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
