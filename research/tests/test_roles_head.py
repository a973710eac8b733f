"""The role head in PyTorch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="only training needs it")
heads = pytest.importorskip("training.model.heads", reason="training needs PyTorch")


def test_padding_and_neighbours_do_not_change_a_predicates_scores() -> None:
    torch.manual_seed(0)
    head = heads.Roles(24, 7, 0.3, size=32).eval()
    words = torch.randn(2, 5, 24)
    padded = torch.zeros(3, 9, 24)
    padded[1, :5] = words[1]
    padded[2] = torch.randn(9, 24)
    one = head(words, torch.tensor([0, 1]), torch.tensor([0, 3]))[1]
    other = head(padded, torch.tensor([2, 1]), torch.tensor([8, 3]))[1, :5]
    assert one.shape == (5, 7)
    assert torch.allclose(one, other, atol=1e-5)


def test_the_place_of_the_predicate_matters() -> None:
    head = heads.Roles(24, 7, 0.3, size=32).eval()
    words = torch.randn(1, 5, 24)
    scores = head(words, torch.tensor([0, 0]), torch.tensor([1, 4]))
    assert not torch.allclose(scores[0], scores[1], atol=1e-3)
