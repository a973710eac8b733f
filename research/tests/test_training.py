"""The parsing model: steps, and a complete training of a few steps."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from training.options import WEIGHTS, read_options
from training.rows import Frame, Item, Row, write_items

torch = pytest.importorskip("torch", reason="training needs PyTorch")
pytest.importorskip("safetensors", reason="training needs safetensors")
steps = pytest.importorskip("training.steps")
train = pytest.importorskip("training.train")


def start(total: int, minutes: float = 60.0) -> tuple[Any, Any]:
    weight = torch.nn.Parameter(torch.tensor([4.0]))
    return weight, steps.Steps(torch.optim.SGD([weight], lr=0.1), total, minutes)


def test_the_rate_rises_and_falls_to_nothing_and_the_last_step_is_known() -> None:
    weight, taken = start(100)
    seen, answers = [], []
    for _ in range(100):
        seen.append(taken.optimiser.param_groups[0]["lr"] / 0.1)
        answers.append(taken.take({"square": (weight**2).sum()}))
    assert seen == [pytest.approx(steps.rate((k + 1) / 100)) for k in range(100)]
    assert seen[0] < seen[3] < max(seen) > seen[-2] > seen[-1] == pytest.approx(0)
    assert answers == [True] * 99 + [False]
    assert 0 < weight.item() < 4


def test_the_clock_or_a_loss_that_is_not_a_number_ends_a_training(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(steps.time, "time", lambda: now[0])
    weight, taken = start(1000, minutes=2.0)
    assert taken.take({"square": (weight**2).sum()})
    now[0] += 120
    assert not taken.take({"square": (weight**2).sum()})
    weight, taken = start(10)
    with pytest.raises(FloatingPointError, match="not finite"):
        taken.take({"a": (weight * float("nan")).sum()})


@pytest.fixture
def prepared(tmp_path: Path, base: Path, example_row: Callable[[], Row]) -> Path:
    """A folder as `training.prepare` and `training.base` leave it, with few sentences."""
    prepare = pytest.importorskip("training.prepare")
    shutil.copytree(base, tmp_path / "data/base")
    shutil.copy(WEIGHTS / "tokenizer.json", tmp_path / "data/base")
    row = example_row()
    row.entities = [(4, 5, "person")]
    row.frames = [Frame(2, [(1, 2, "ARG0")])]
    tree = [(0, 1, 0, "SN", "context")]
    items = [Item([row], tree, "single")] * 6
    for split in ("train", "dev"):
        for name in ("gum", "ewt"):
            write_items(tmp_path / f"data/{name}.{split}.jsonl.gz", items)
        both = [(0, 3, 1, "NN", "joint"), (0, 1, 0, "SN", "context"), (2, 3, 2, "SN", "context")]
        groups = [Item([row, row], both, "group")] * 2
        write_items(tmp_path / f"data/groups.{split}.jsonl.gz", groups)
    labels = prepare.labels([*items, *groups])
    labels |= {"role": ["ARG0"], "bracket": ["S", "SBAR"]}
    (tmp_path / "data/labels.json").write_text(json.dumps(labels))
    (tmp_path / "data/foreign.txt").write_text("vielleicht\ndemain\n")
    return tmp_path / "data"


def test_training_export_and_quantization_run_from_end_to_end(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quantise = pytest.importorskip("training.quantise", reason="export needs onnx")
    export = pytest.importorskip("training.export")
    report = pytest.importorskip("training.report")
    monkeypatch.setattr(quantise, "LARGE", 500)
    given = [f"--data={prepared}", "--workers=0", f"--out={tmp_path}", "--epochs=1", "--groups=1"]
    train.main(read_options(train.Settings, given))
    assert set(json.loads((tmp_path / "dev.json").read_text())["dev"]) == {"gum", "ewt", "groups"}
    model_path, onnx, out = tmp_path / "model.safetensors", tmp_path / "onnx", tmp_path / "out"
    export.main(model=model_path, out=onnx, data=prepared)
    quantise.main(model=model_path, onnx=onnx, data=prepared, out=out, sentences=4)
    about = json.loads((out / "meta.json").read_text())
    assert about["embeddings"]["rows"] == 30522
    assert len(list(out.glob("*.onnx"))) == 12
    report.main(data=prepared, onnx=out, noise=True)
