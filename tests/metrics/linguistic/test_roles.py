"""The role metrics on a hand-annotated pair."""

from __future__ import annotations

import pytest

from tests.metrics.linguistic.analyses import EMPTY, HYP, REF, VERBLESS, score


def test_by_hand() -> None:
    assert score("sr-or", HYP, REF) == pytest.approx(2 / 3)
    assert score("sr-or(*)", HYP, REF) == pytest.approx(3 / 4)
    assert score("sr-mr", HYP, REF) == pytest.approx(2 / 3)
    assert score("SR-Mr(ARG0)", HYP, REF) == pytest.approx(1)
    assert score("sr-or(ARG2)", HYP, REF) == 0


def test_without_a_predicate() -> None:
    lexical = 2 / 5
    assert score("sr-or", VERBLESS, REF) == 0
    assert score("sr-or(missing=backoff)", VERBLESS, REF) == pytest.approx(lexical)
    assert score("sr-or(missing=interpolate)", VERBLESS, REF) == pytest.approx(lexical / 2)
    assert score("sr-or(missing=backoff)", HYP, REF) == score("sr-or", HYP, REF)
    assert score("sr-mr", EMPTY, EMPTY) == 0
