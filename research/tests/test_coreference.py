"""Coreference networks: who sees whom, states mapped to others, and a training of a few steps."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.parsing.coreference import APART, BLOCK, in_blocks, in_sight
from training.corpora.documents import Document, Mention
from training.rows import Row

torch = pytest.importorskip("torch", reason="training needs PyTorch")
pytest.importorskip("safetensors", reason="training needs safetensors")
pytest.importorskip("onnx", reason="export needs onnx")
data = pytest.importorskip("training.documents.data")
network = pytest.importorskip("training.documents.network")
tower = pytest.importorskip("training.documents.tower")
train = pytest.importorskip("training.documents.train")


def test_documents_of_a_batch_do_not_see_each_other() -> None:
    torch.manual_seed(0)
    one = tower.Tower(1, width=32, inner=64, dropout=0.0).eval()
    words = torch.randn(3, BLOCK, 32)

    def read(numbers: Any) -> Any:
        seen = (torch.from_numpy(each) for each in (numbers, in_sight(numbers)))
        return one(words[: len(numbers)], *seen)

    sentences = np.arange(3 * BLOCK).reshape(3, -1) // 16
    together = read(sentences)
    sentences[1], sentences[2] = -APART, sentences[2] + 4 * APART
    apart, alone = read(sentences), read(sentences[:1])
    assert torch.allclose(apart[:1], alone, atol=1e-5)
    assert not torch.allclose(together[:1], alone, atol=1e-3)


def test_biases_are_those_of_the_distance_between_sentences() -> None:
    torch.manual_seed(0)
    block = tower.TowerBlock(32, 64, 1, 0.0).eval()
    torch.nn.init.normal_(block.near.weight)
    x = torch.randn(3, BLOCK, 32)
    numbers = torch.from_numpy(in_blocks(np.arange(150) // 13, -APART))
    sight = torch.from_numpy(in_sight(numbers.numpy()))
    # by hand: every word with every other of its block and of the two next to it
    rows, sentence = x.flatten(0, 1), numbers.flatten()
    q, k, v = block.fused(rows).chunk(3, -1)
    scores = q @ k.T + block.near(tower.distances(sentence[None] - sentence[:, None]))[..., 0]
    place = torch.arange(3 * BLOCK)
    far = (place[None] // BLOCK - place[:, None] // BLOCK).abs() > 1
    mixed = torch.softmax(scores.masked_fill(far | (sentence[None] < 0), -10000.0), -1) @ v
    y = block.first(rows + block.output(mixed))
    wanted = block.second(y + block.down(torch.nn.functional.gelu(block.up(y))))
    whole = tower.Tower(0, 32, 64, 0.0)
    whole.blocks.append(block)
    assert torch.allclose(whole(x, numbers, sight).flatten(0, 1)[:150], wanted[:150], atol=1e-5)
    apart = torch.tensor([0, -1, 1, -2, 4, -300, 300])
    assert tower.distances(apart).tolist() == [0, 1, 6, 2, 8, 5, 10]


def test_having_no_antecedent_has_its_share() -> None:
    rows = torch.tensor([1, 1])
    pairs, none = network.shares(torch.tensor([0.0, math.log(2)]), rows, 2)
    assert none.exp().tolist() == pytest.approx([1.0, 0.25])
    assert pairs.exp().tolist() == pytest.approx([0.25, 0.5])


def write_documents(folder: Path) -> Path:
    """Two documents of three sentences, with random states."""
    rng = np.random.default_rng(1)
    words = ["She", "saw", "the", "boat", "."]
    kept = []
    for name in ("a", "b"):
        rows = [Row(f"{name}{k}", "gum", "news", words) for k in range(3)]
        mentions = [Mention(5 * k, 5 * k + 1, 5 * k, 1, "person", "giv") for k in range(3)]
        mentions += [Mention(5 * k + 2, 5 * k + 4, 5 * k + 3, 2 + k, "object") for k in range(3)]
        sentences = [
            data.Sentence(
                rng.normal(size=(5, train.WIDTH)).astype(np.float16),
                np.arange(5, dtype=np.int32),
                np.arange(1000, 1005, dtype=np.int32),
                np.ones(5, np.int8),
                ["PRON", "VERB", "DET", "NOUN", "PUNCT"],
                [2, 0, 4, 2, 2],
            )
            for _ in rows
        ]
        kept.append(data.Kept(Document(name, "news", rows, mentions), sentences))
    folder.mkdir()
    for part in ("train", "dev"):
        (folder / f"{part}.pickle").write_bytes(pickle.dumps(kept))
    return folder


def test_teacher_and_tower_train_and_are_exported(tmp_path: Path, base: Path) -> None:
    folder = write_documents(tmp_path / "documents")
    common: dict[str, Any] = {"data": folder, "epochs": 2, "tower": 1, "inner": 64}
    train.main(train.Settings(out=tmp_path / "t", large=base, **common))
    teacher, model = tmp_path / "t/model.safetensors", tmp_path / "w/model.safetensors"
    train.main(train.Settings(out=tmp_path / "w", teachers=[teacher], **common))
    train.main(train.Settings(out=tmp_path / "a", init=model, **{**common, "epochs": 0}))
    scores = json.loads((tmp_path / "a/dev.json").read_text())
    assert {"heads_mean", "mention_heads"} <= scores.keys()
    assert scores == json.loads((tmp_path / "w/dev.json").read_text())
    export = pytest.importorskip("training.documents.export")
    export.main(model, data=folder, out=tmp_path / "out", documents=2)
    about = json.loads((tmp_path / "out/meta.json").read_text())
    assert about["labels"] == {"kind": ["object", "person"]}
    assert {path.stem for path in (tmp_path / "out").glob("*.onnx")} == {
        *("tower", "words", "mentions", "antecedents", "edges", "quick", "links")
    }
