"""The network over documents: who sees whom, and trees from scores."""

import math

import pytest

torch = pytest.importorskip("torch", reason="only training needs it")
tower = pytest.importorskip("training.documents.tower", reason="training needs PyTorch")
distil = pytest.importorskip("training.documents.distil", reason="training needs PyTorch")
network = pytest.importorskip("training.documents.network", reason="training needs PyTorch")


def test_documents_of_a_batch_do_not_see_each_other() -> None:
    torch.manual_seed(0)
    found = tower.Tower(1, width=32, inner=64, dropout=0.0).eval()
    middle = torch.randn(2, tower.BLOCK, 32)
    cases = torch.ones(2, tower.BLOCK, dtype=torch.long)
    sentences = torch.arange(2 * tower.BLOCK).view(2, -1) // 16
    together = found(middle, cases, sentences)
    sentences[1] += 4 * tower.APART
    apart = found(middle, cases, sentences)
    alone = found(middle[:1], cases[:1], sentences[:1])
    assert torch.allclose(apart[:1], alone, atol=1e-5)
    assert not torch.allclose(together[:1], alone, atol=1e-3)


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
