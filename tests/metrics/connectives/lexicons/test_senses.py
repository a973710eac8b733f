from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.errors import InputError
from albeit.metrics.connectives.lexicons.senses import SENSES, SenseTest, agreement, parse_sense

SETS = st.frozensets(st.sampled_from(SENSES), max_size=3)


def test_spellings() -> None:
    assert parse_sense("comparison.concession.arg1-as-denier") == "Comparison.Concession"
    assert parse_sense("Contingency.Cause+Belief") == "Contingency.Cause"
    assert parse_sense(" Concession ") == "Comparison.Concession"
    with pytest.raises(InputError, match="unknown sense 'sad'"):
        parse_sense("sad")


def test_covering_is_not_symmetric() -> None:
    jedoch = ("Comparison.Contrast", "Comparison.Concession")
    assert agreement(("Comparison.Concession",), jedoch, "covering") == 1
    assert agreement(jedoch, ("Comparison.Concession",), "covering") == 0


def test_graded_gives_half_for_a_class() -> None:
    assert agreement(["Temporal.Synchronous"], ["Temporal.Asynchronous"], "graded") == 0.5
    assert agreement(["Temporal.Synchronous"], ["Contingency.Cause"], "graded") == 0


@given(SETS, SETS, st.sampled_from(["strict", "compatible", "graded"]))
def test_symmetric_and_ordered(one: frozenset[str], two: frozenset[str], test: SenseTest) -> None:
    assert agreement(one, two, test) == agreement(two, one, test)
    strict, compatible, graded = (
        agreement(one, two, t) for t in ("strict", "compatible", "graded")
    )
    assert strict <= compatible <= graded
    assert agreement(one, one, test) == float(bool(one))
