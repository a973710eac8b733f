"""The DRS metrics on a hand-annotated pair."""

from __future__ import annotations

import pytest

from albeit.errors import MetricError
from albeit.metrics.registry import metric
from tests.metrics.linguistic.analyses import EMPTY, HYP, REF, VERBLESS, score


@pytest.mark.parametrize("name", ["drs-or", "drs-orp", "drs-stm"])
def test_identical_empty_and_different(name: str) -> None:
    assert score(name, REF, REF) == pytest.approx(1)
    assert score(name, EMPTY, REF) == 0
    assert 0 < score(name, HYP, REF) < 1
    assert 0 <= score(name, VERBLESS, REF) < 1


def test_words_and_parts_of_speech_by_type() -> None:
    # events: gave against lent; entities: bank, money against bank, her, money.
    assert score("drs-or(event)", HYP, REF) == 0
    assert score("drs-orp(event)", HYP, REF) == 1
    assert score("drs-or(entity)", HYP, REF) == pytest.approx(2 / 3)


def test_bad_depth() -> None:
    with pytest.raises(MetricError):
        metric("drs-stm(depth=0)")
