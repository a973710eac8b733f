"""The parsing model: steps, rounding, distillation, and a complete training of a few steps."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from training.options import WEIGHTS, read_options
from training.rows import Frame, Item, Row, write_items

torch = pytest.importorskip("torch", reason="training needs PyTorch")
pytest.importorskip("safetensors", reason="training needs safetensors")
distil = pytest.importorskip("training.model.distil")
eight_bit = pytest.importorskip("training.model.eight_bit")
encoders = pytest.importorskip("training.model.encoder")
heads = pytest.importorskip("training.model.heads")
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


def test_rounded_weights_and_inputs_are_on_few_levels_and_keep_their_gradient() -> None:
    weight = torch.randn(4, 32, requires_grad=True)
    rounded = eight_bit.rounded_weight(weight)
    levels = rounded / (weight.detach().abs().amax(1, keepdim=True) / eight_bit.WEIGHT_LEVEL)
    assert torch.allclose(levels, levels.round(), atol=1e-3)
    rounded.sum().backward()
    assert torch.equal(weight.grad, torch.ones(4, 32))
    x = torch.tensor([-3.0, -0.4, 0.0, 0.9, 5.0], requires_grad=True)
    out = eight_bit.rounded_input(x, -1.0, 2.0)
    assert torch.allclose(out, torch.tensor([-1.0, -0.4, 0.0, 0.9, 2.0]), atol=3 / 255)
    out.sum().backward()
    assert x.grad.tolist() == [0, 1, 1, 1, 0]


def test_a_rounded_encoder_stays_near_the_exact_one_and_differs_from_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(eight_bit, "SAMPLE", 5000)
    torch.manual_seed(1)
    config = replace(
        encoders.Config(), vocabulary=50, width=24, inner=48, attention_heads=2, layers=3
    )
    network = encoders.Encoder(config).eval()
    ids = torch.randint(1, 50, (3, 9))
    batch = {"ids": ids, "mask": torch.ones_like(ids), "cases": torch.ones_like(ids)}
    with torch.no_grad():
        exact, _ = network(*batch.values())
        eight_bit.attach(network, eight_bit.ranges(network, [batch]))
        rounded, _ = network(*batch.values())
    assert 1e-4 < (exact - rounded).abs().mean() / exact.abs().mean() < 0.05


def test_padding_and_neighbors_do_not_change_a_predicates_roles_but_its_position_does() -> None:
    torch.manual_seed(0)
    head = heads.Roles(24, 7, 0.3, size=32).eval()
    words = torch.randn(2, 5, 24)
    padded = torch.zeros(3, 9, 24)
    padded[1, :5] = words[1]
    padded[2] = torch.randn(9, 24)
    one = head(words, torch.tensor([0, 1]), torch.tensor([0, 3]))[1]
    other = head(padded, torch.tensor([2, 1]), torch.tensor([8, 3]))[1, :5]
    assert torch.allclose(one, other, atol=1e-5)
    scores = head(words, torch.tensor([0, 0]), torch.tensor([1, 4]))
    assert not torch.allclose(scores[0], scores[1], atol=1e-3)


def test_the_shipped_encoder_is_what_training_starts_from(tmp_path: Path) -> None:
    ort = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx", reason="reading the shipped files' tensors needs onnx")
    shipped = pytest.importorskip("training.shipped")
    weights = shipped.restored(shipped.stored(WEIGHTS))
    state = shipped.take_apart(weights, encoders.Config())
    encoder = encoders.Encoder(encoders.Config()).eval()
    own = {name.removeprefix("encoder."): value.float() for name, value in state.items()}
    encoder.load_state_dict({**own, "words.weight": weights["words.weight"]})
    rng = random.Random(4)
    ids = torch.tensor([[101, *(rng.randrange(1000, 20000) for _ in range(12)), 102]])
    ones = torch.ones_like(ids)
    with torch.no_grad():
        mine, _ = encoder(ids, ones, ones)
    session = ort.InferenceSession(str(WEIGHTS / "encoder.onnx"))
    names = [node.name for node in session.get_inputs()]
    inputs = dict(zip(names, (ids.numpy(), ones.numpy(), ones.numpy()), strict=True))
    theirs = torch.from_numpy(session.run(None, inputs)[0])
    assert float(torch.cosine_similarity(mine, theirs, dim=-1).min()) > 0.97


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
    write_items(tmp_path / "data/silver.jsonl.gz", [Item([row], tree, "silver")] * 3)
    labels = prepare.labels([*items, *groups])
    labels |= {"role": ["ARG0"], "bracket": ["S", "SBAR"]}
    (tmp_path / "data/labels.json").write_text(json.dumps(labels))
    (tmp_path / "data/foreign.txt").write_text("vielleicht\ndemain\n")
    return tmp_path / "data"


def test_teacher_student_export_and_quantization_run_from_end_to_end(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quantise = pytest.importorskip("training.quantise", reason="export needs onnx")
    export = pytest.importorskip("training.export")
    report = pytest.importorskip("training.report")
    monkeypatch.setattr(eight_bit, "SAMPLE", 500)
    monkeypatch.setattr(quantise, "LARGE", 500)
    words = [f"--data={prepared}", "--workers=0"]
    given = [*words, f"--out={tmp_path / 't'}", "--epochs=1", "--groups=1"]
    train.main(read_options(train.Settings, given))
    model = "model.safetensors"
    given = [*words, f"--out={tmp_path / 's'}", "--silver"]
    given += ["--teachers", str(tmp_path / "t" / model)]
    given += [f"--init={tmp_path / 't' / model}", "--eight-bit-from=0.1", "--epochs=2"]
    train.main(read_options(train.Settings, given))
    assert set(json.loads((tmp_path / "s/dev.json").read_text())["dev"]) == {"gum", "ewt", "groups"}
    model_path, onnx, out = tmp_path / "s" / model, tmp_path / "onnx", tmp_path / "out"
    export.main(model=model_path, out=onnx, data=prepared)
    quantise.main(model=model_path, onnx=onnx, data=prepared, out=out, sentences=4)
    about = json.loads((out / "meta.json").read_text())
    assert about["embeddings"]["rows"] == 30522
    assert len(list(out.glob("*.onnx"))) == 12
    report.main(data=prepared, onnx=out, noise=True)
