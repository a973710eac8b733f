from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.metrics.cohesion.compare import (
    NOTHING_KEPT,
    NOTHING_TO_KEEP,
    agreement,
    consensus,
    shared,
)
from tests.metrics.cohesion.table2 import REFERENCES, SYSTEM, bits

MT = bits(SYSTEM)

# Σ m'/m over the fifteen chains of the system, by hand from the paper's table.
BY_HAND = {
    "E01": Fraction(1, 2)
    + 1
    + 1
    + Fraction(3, 4)
    + Fraction(2, 7)
    + Fraction(2, 3)
    + 1
    + Fraction(2, 3)
    + 1,
    "E02": Fraction(1, 2)
    + 1
    + 1
    + Fraction(3, 4)
    + Fraction(2, 7)
    + Fraction(2, 3)
    + 1
    + Fraction(2, 4)
    + 1
    + 1,
    "E03": Fraction(1, 2)
    + 1
    + 1
    + Fraction(3, 4)
    + Fraction(2, 7)
    + Fraction(2, 3)
    + 1
    + Fraction(2, 4)
    + 1,
    "E04": Fraction(1, 2)
    + 1
    + 1
    + Fraction(2, 3)
    + Fraction(2, 7)
    + Fraction(2, 3)
    + 1
    + Fraction(1, 3)
    + 1
    + 1,
}


def test_the_papers_worked_example() -> None:
    ambassador = bits({"ambassador": "2,4"})["ambassador"]
    assert shared(MT["ambassador"], ambassador) == 1
    assert agreement(({"a": MT["ambassador"]}, {"a": ambassador})) == 1 / 2


@pytest.mark.parametrize("name", REFERENCES)
def test_the_document_of_table_2_against_each_reference(name: str) -> None:
    assert len(MT) == 15
    expected = BY_HAND[name] / 15
    assert agreement((MT, bits(REFERENCES[name]))) == pytest.approx(float(expected), abs=1e-15)


def test_f_counts_positions_of_all_chains() -> None:
    ours, theirs = {"a": 0b0111, "b": 0b0011}, {"a": 0b0110, "c": 0b1001}
    assert agreement((ours, theirs), "f") == 2 * 2 / (5 + 4)


def test_recall_counts_the_references_chains() -> None:
    ours, theirs = {"a": 0b0111, "b": 0b0011}, {"a": 0b1110, "c": 0b1001, "d": 0b0011}
    assert agreement((ours, theirs), "recall") == pytest.approx(2 / 3 / 3)
    assert agreement((ours, theirs), "precision") == pytest.approx(2 / 3 / 2)


def test_tolerance_pairs_neighbours_once() -> None:
    assert shared(0b0011, 0b0110) == 1
    assert shared(0b0011, 0b0110, tolerance=1) == 2
    assert shared(0b0010, 0b0101, tolerance=1) == 1
    assert shared(0b00001, 0b10000, tolerance=1) == 0


def test_documents_without_chains_have_named_values() -> None:
    some = {"a": 0b11}
    for average in ("precision", "recall", "f"):
        assert agreement(({}, {}), average) == NOTHING_TO_KEEP == 1.0
        assert agreement((some, {}), average) == NOTHING_KEPT == 0.0
        assert agreement(({}, some), average) == NOTHING_KEPT
        assert consensus([({}, {}), ({}, {})], average) == NOTHING_TO_KEEP
        assert consensus([({}, some), ({}, {})], average) == NOTHING_KEPT


def test_consensus_weighs_chains_that_references_share() -> None:
    ours = {"all": 0b11, "one": 0b11, "false": 0b11}
    first, second = {"all": 0b11, "one": 0b11}, {"all": 0b111}
    assert consensus([(ours, first), (ours, second)]) == (2 + 1 + 0) / (2 + 1 + 1)
    assert consensus([(ours, first), (ours, second)], "recall") == (2 + 1) / (2 + 1)
    held, wanted = 2 * 2 + 2 + 2, 2 * 2 + 2
    assert consensus([(ours, first), (ours, second)], "f") == 2 * (2 * 2 + 2) / (held + wanted)


indexes = st.dictionaries(
    st.sampled_from("abcdef"), st.integers(3, 255).filter(lambda n: n & (n - 1) != 0)
)


@given(indexes, indexes, st.sampled_from(["precision", "recall", "f"]), st.sampled_from([0, 1]))
def test_scores_lie_between_0_and_1_and_one_reference_is_its_own_consensus(
    ours: dict[str, int], theirs: dict[str, int], average: str, tolerance: int
) -> None:
    score = agreement((ours, theirs), average, tolerance)  # type: ignore[arg-type]
    assert 0 <= score <= 1
    assert consensus([(ours, theirs)], average, tolerance) == pytest.approx(score)  # type: ignore[arg-type]
    assert agreement((ours, ours), average, tolerance) == pytest.approx(1.0)  # type: ignore[arg-type]


@given(indexes, indexes)
def test_tolerance_never_lowers_a_score(ours: dict[str, int], theirs: dict[str, int]) -> None:
    assert agreement((ours, theirs), "f", 1) >= agreement((ours, theirs), "f", 0)
