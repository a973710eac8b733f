"""Steps of a training: they go down, warm up and cool off, and end by count or by the clock."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="only training needs it")
steps = pytest.importorskip("training.steps", reason="training needs PyTorch")


def started(total: int, minutes: float = 60.0, **options: Any) -> tuple[Any, Any]:
    weight = torch.nn.Parameter(torch.tensor([4.0]))
    return weight, steps.Steps(torch.optim.SGD([weight], lr=0.1), total, minutes, **options)


def test_the_last_step_is_told_and_the_weights_moved() -> None:
    weight, taken = started(20)
    answers = [taken.take({"square": (weight**2).sum()}) for _ in range(20)]
    assert answers == [True] * 19 + [False]
    assert 0 < weight.item() < 4


def test_the_rate_rises_and_falls_to_nothing() -> None:
    weight, taken = started(100)
    seen = []
    for _ in range(100):
        seen.append(taken.optimiser.param_groups[0]["lr"] / 0.1)
        taken.take({"square": (weight**2).sum()})
    assert seen == [pytest.approx(steps.rate((k + 1) / 100)) for k in range(100)]
    assert seen[0] < seen[3] < max(seen) > seen[-2] > seen[-1] == pytest.approx(0)


def test_the_clock_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(steps.time, "time", lambda: now[0])
    weight, taken = started(1000, minutes=2.0)
    assert taken.take({"square": (weight**2).sum()})
    now[0] += 120
    assert not taken.take({"square": (weight**2).sum()})


def test_a_loss_that_is_no_number_ends_it() -> None:
    weight, taken = started(10)
    with pytest.raises(FloatingPointError, match="not finite"):
        taken.take({"a": (weight * float("nan")).sum()})


@pytest.mark.parametrize("apart", [False, True])
def test_groups_are_clipped_together_or_apart(apart: bool) -> None:
    a, b = (torch.nn.Parameter(torch.zeros(1)) for _ in range(2))
    groups = [{"params": [each]} for each in (a, b)]
    taken = steps.Steps(torch.optim.SGD(groups, lr=1.0), 100, 60.0, apart=apart)
    taken.take({"far": (30 * a + 40 * b).sum()})
    moved = [-each.item() / steps.rate(0.01) for each in (a, b)]
    assert moved == pytest.approx([1, 1] if apart else [0.6, 0.8], abs=1e-3)
