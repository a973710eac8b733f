"""The network over documents: who sees whom, and trees from scores."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from albeit.parsing.coreference import APART, BLOCK, in_blocks, in_sight

torch = pytest.importorskip("torch", reason="only training needs it")
tower = pytest.importorskip("training.documents.tower", reason="training needs PyTorch")
distil = pytest.importorskip("training.documents.distil", reason="training needs PyTorch")
network = pytest.importorskip("training.documents.network", reason="training needs PyTorch")


def test_documents_of_a_batch_do_not_see_each_other() -> None:
    torch.manual_seed(0)
    found = tower.Tower(1, width=32, inner=64, dropout=0.0).eval()
    words = torch.randn(3, BLOCK, 32)

    def read(numbers: npt.NDArray[np.int64]) -> Any:
        seen = (torch.from_numpy(each) for each in (numbers, in_sight(numbers)))
        return found(words[: len(numbers)], *seen)

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
    # by hand: every word with every other of its block and of the two beside it
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
    found = whole(x, numbers, sight).flatten(0, 1)
    assert torch.allclose(found[:150], wanted[:150], atol=1e-5)


def test_distances_between_sentences_fall_into_classes() -> None:
    apart = torch.tensor([0, -1, 1, -2, 4, -300, 300])
    assert tower.distances(apart).tolist() == [0, 1, 6, 2, 8, 5, 10]


def test_all_splits_of_a_tree_are_candidates() -> None:
    tree = [(0, 2, 1, "NS", "elaboration"), (0, 1, 0, "NN", "joint")]
    spans, owner, chosen = network.candidates(tree, torch.device("cpu"))
    assert spans.tolist() == [[0, 0, 2], [0, 1, 2], [0, 0, 1]]
    assert owner.tolist() == [0, 0, 1]
    assert chosen.tolist() == [1, 2]
    logs = distil.split_logs(torch.tensor([0.0, math.log(3), 5.0]), owner, 2)
    assert logs.exp().tolist() == pytest.approx([0.25, 0.75, 1.0])


def test_having_no_antecedent_has_its_share() -> None:
    rows = torch.tensor([1, 1])
    pairs, none = distil.shares(torch.tensor([0.0, math.log(2)]), rows, 2)
    assert none.exp().tolist() == pytest.approx([1.0, 0.25])
    assert pairs.exp().tolist() == pytest.approx([0.25, 0.5])
