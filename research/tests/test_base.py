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


def test_distances_have_classes_by_side_and_size() -> None:
    apart = torch.tensor([-200, -9, -3, 0, 3, 9, 200])
    *near, far = encoder.distance_buckets(apart, 32).tolist()
    assert (near[0], *near[2:5], far) == (15, 3, 0, 16 + 3, 31)
    assert 8 <= near[1] == near[5] - 16 < 15


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
    some = [2054, base.CLS, base.SEP, base.PADDING, base.MASK]  # 2054 is an ordinary word
    assert words[some].tolist() == [2058, 0, 2, 1, size - 1]
