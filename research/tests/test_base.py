"""Pretrained encoders in our form."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="only training needs it")
pytest.importorskip("safetensors", reason="only training needs it")
base = pytest.importorskip("training.base", reason="training needs PyTorch")
encoder = pytest.importorskip("training.model.encoder", reason="training needs PyTorch")
network = pytest.importorskip("training.model.network", reason="training needs PyTorch")


def test_packed_weights_come_back(tmp_path: Path) -> None:
    config = replace(encoder.Config(), vocabulary=3000, width=96, inner=800, layers=2, buckets=8)
    torch.manual_seed(0)
    made = encoder.Encoder(config)
    state = {n: v for n, v in made.state_dict().items() if n not in ("cases.weight", "mix")}
    (tmp_path / "config.json").write_text(json.dumps(asdict(config)))
    base.save_file(base.packed(state), tmp_path / "model-0.safetensors")
    read = network.base_encoder(tmp_path)
    for name, value in state.items():
        assert torch.allclose(read.state_dict()[name], value, atol=0.02), name
    assert len(network.base_encoder(tmp_path, layers=1).blocks) == 1


def test_parts_hold_everything_once_and_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "PART", 1000)
    state = {str(k): torch.zeros(100) for k in range(10)}
    portions = list(base.parts(state))
    assert [name for portion in portions for name in portion] == list(state)
    assert all(sum(v.numel() * 4 for v in p.values()) <= 1000 for p in portions)


def test_distances_have_classes_by_side_and_size() -> None:
    apart = torch.tensor([-200, -9, -3, 0, 3, 9, 200])
    classes = encoder.distance_buckets(apart, 32).tolist()
    assert classes[3] == 0
    assert classes[2] == 3
    assert classes[4] == 16 + 3
    assert classes[0] == 15
    assert classes[6] == 31
    assert 8 <= classes[1] < 15
    assert classes[5] == classes[1] + 16


def test_subwords_of_the_teacher_are_put_into_our_order() -> None:
    size = base.MPNET.vocabulary + 5
    state = {
        "embeddings.word_embeddings.weight": torch.arange(size).float()[:, None],
        "embeddings.position_embeddings.weight": torch.zeros(514, 1),
        "encoder.relative_attention_bias.weight": torch.zeros(32, 12),
        "embeddings.LayerNorm.weight": torch.ones(1),
        "embeddings.LayerNorm.bias": torch.ones(1),
    }
    for layer in range(base.MPNET.layers):
        for theirs in base.MPNET_LAYER.values():
            for kind in ("weight", "bias"):
                state[f"encoder.layer.{layer}.{theirs}.{kind}"] = torch.ones(1)
    words = base.from_mpnet(state)["words.weight"].flatten()
    assert words[2054] == 2058  # an ordinary word
    assert words[base.CLS] == 0
    assert words[base.SEP] == 2
    assert words[base.PADDING] == 1
    assert words[base.MASK] == size - 1
