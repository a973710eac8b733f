"""Training as if in 8 bits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="only training needs it")
eight_bit = pytest.importorskip("training.model.eight_bit", reason="training needs PyTorch")
encoder = pytest.importorskip("training.model.encoder", reason="training needs PyTorch")


def small() -> Any:
    torch.manual_seed(1)
    config = replace(
        encoder.Config(), vocabulary=50, width=24, inner=48, attention_heads=2, layers=3
    )
    return encoder.Encoder(config).eval()


def test_weights_lie_on_few_levels_and_keep_their_gradient() -> None:
    weight = torch.randn(4, 32, requires_grad=True)
    rounded = eight_bit.rounded_weight(weight)
    levels = rounded / (weight.detach().abs().amax(1, keepdim=True) / eight_bit.WEIGHT_LEVEL)
    assert torch.allclose(levels, levels.round(), atol=1e-3)
    assert levels.abs().max() <= eight_bit.WEIGHT_LEVEL + 1e-3
    rounded.sum().backward()
    assert torch.equal(weight.grad, torch.ones(4, 32))


def test_inputs_beyond_the_range_are_clipped_and_get_no_gradient() -> None:
    x = torch.tensor([-3.0, -0.4, 0.0, 0.9, 5.0], requires_grad=True)
    out = eight_bit.rounded_input(x, -1.0, 2.0)
    assert torch.allclose(out, torch.tensor([-1.0, -0.4, 0.0, 0.9, 2.0]), atol=3 / 255)
    out.sum().backward()
    assert x.grad.tolist() == [0, 1, 1, 1, 0]


def test_a_rounded_encoder_stays_near_the_exact_one_and_differs_from_it() -> None:
    network = small()
    ids = torch.randint(1, 50, (3, 9))
    batch = {"ids": ids, "mask": torch.ones_like(ids), "cases": torch.ones_like(ids)}
    with torch.no_grad():
        exact, _ = network(*batch.values())
        eight_bit.attach(network, eight_bit.ranges(network, [batch]))
        rounded, _ = network(*batch.values())
    gap = (exact - rounded).abs().mean() / exact.abs().mean()
    assert 1e-4 < gap < 0.05
