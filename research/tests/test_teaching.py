"""Distillation: what teachers say is kept and learnt from; training starts from shipped files."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import pytest

from training.rows import Item, Row

torch = pytest.importorskip("torch", reason="only training needs it")
earlier = pytest.importorskip("training.earlier", reason="training needs PyTorch")
feed = pytest.importorskip("training.feed", reason="training needs PyTorch")
teach = pytest.importorskip("training.teach", reason="training needs PyTorch")
distil = pytest.importorskip("training.model.distil", reason="training needs PyTorch")
encoders = pytest.importorskip("training.model.encoder", reason="training needs PyTorch")

WEIGHTS = Path(__file__).parents[2] / "src/albeit/parsing/weights"


def items(count: int, kind: str) -> list[Item]:
    return [
        Item([Row(f"{k}", kind, kind, ["word"] * (3 + k % 7))], kind=kind) for k in range(count)
    ]


def test_annotated_items_come_in_every_round_and_silver_ones_once() -> None:
    found = [*items(20, "gold"), *items(30, "silver")]
    sizes = [len(item.rows[0].words) for item in found]
    plan = teach.plan(found, sizes, 20, argparse.Namespace(seed=1, rounds=3, budget=40))
    seen = [k for batch, _ in plan for k in batch]
    assert all(seen.count(k) == (3 if k < 20 else 1) for k in range(50))
    for batch, _ in plan:
        assert len({found[k].kind for k in batch}) == 1
        assert len(batch) * max(sizes[k] for k in batch) <= 40


def test_kept_batches_come_back_in_another_order_each_round(tmp_path: Path) -> None:
    kept = [({"ids": torch.tensor([k])}, {"words": torch.zeros(1, 8)}) for k in range(12)]
    torch.save(kept[:7], tmp_path / "000007.pt")
    torch.save(kept[7:], tmp_path / "000012.pt")
    source = feed.Taught(tmp_path, 2, 1, "cpu")
    order = [int(batch["ids"]) for batch, _ in source]
    assert source.width == 8
    assert len(source) == len(order) == 24
    assert sorted(order[:12]) == sorted(order[12:]) == list(range(12))
    assert order[:12] != order[12:]


def test_states_loss_is_nothing_where_vectors_point_the_same_way() -> None:
    words = torch.randn(2, 3, 8)
    batch = {"flat": torch.tensor([0, 1, 3, 4, 5])}
    same = words.flatten(0, 1)[batch["flat"]] * 2
    assert float(distil.states_loss(words, same, batch)) == pytest.approx(0, abs=1e-6)
    assert float(distil.states_loss(words, -same, batch)) == pytest.approx(2, abs=1e-6)


def test_the_shipped_encoder_is_what_training_starts_from() -> None:
    ort = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx", reason="reading the shipped files' tensors needs onnx")
    weights = earlier.restored(earlier.stored(WEIGHTS))
    found = earlier.start(weights, encoders.Config())
    encoder = encoders.Encoder(encoders.Config()).eval()
    state = {name.removeprefix("encoder."): value.float() for name, value in found.items()}
    missing, unexpected = encoder.load_state_dict(
        {**state, "words.weight": weights["words.weight"]}, strict=False
    )
    assert not missing
    assert not unexpected
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
