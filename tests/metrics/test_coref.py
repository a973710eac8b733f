"""Chains of mentions against the reference's, worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit import Analysis, metric
from albeit.metrics.coref import positions, read_mentions
from tests.metrics.documents import batch, document, explained, score

# words:              0    1    2    3    4   5    6  7   8      9    10   11  12
REFERENCE = document(
    *("Smith saw Ann.", "Smith called her.", "He was late."),
    chains=[[(0, 1, 0), (4, 5, 4), (8, 9, 8)], [(2, 3, 2), (6, 7, 6)]],
)
"""Smith in lines 1, 2 and 3 (as *he*), Ann in lines 1 and 2 (as *her*): five mentions."""


def test_by_hand() -> None:
    """A pronoun where the reference has the name, and a chain that broke off."""
    translation = document(
        *("Smith saw Ann.", "He called her.", "It was late."),
        chains=[[(0, 1, 0), (4, 5, 4)], [(2, 3, 2), (6, 7, 6)]],
    )
    # met: Smith, Ann, her with the same heads; he for Smith counts .5; he of line 3 is missed
    credit, held, wanted = 3.5, 4, 5
    assert score("coref", translation, REFERENCE) == pytest.approx(2 * credit / (held + wanted))
    assert score("coref(average=precision)", translation, REFERENCE) == pytest.approx(credit / held)
    assert score("coref(average=recall)", translation, REFERENCE) == pytest.approx(credit / wanted)
    chosen = metric("coref")
    row = chosen.statistics(batch(translation, REFERENCE), None)[0]
    kinds = {"same kind": 3, "pronoun for name": 1, "name for pronoun": 0}
    assert chosen.details(row) == {"credit": 3.5, "held": 4, "wanted": 5, "met": 4, **kinds}


FOUR = ("Smith came.", "Smith spoke.", "Smith sat.", "Smith left.")
WHOLE = document(*FOUR, chains=[[(3 * n, 3 * n + 1, 3 * n) for n in range(4)]])
CROSSED = document(
    *("Smith saw Ann.", "Ann called her.", "He was late."),
    chains=[[(0, 1, 0), (8, 9, 8)], [(2, 3, 2), (4, 5, 4), (6, 7, 6)]],
)
BROKEN = document(
    *(*FOUR[:3], "Smith went."), chains=[[(0, 1, 0), (3, 4, 3)], [(6, 7, 6), (9, 10, 9)]]
)
ALONE = document("It rained.", "Nobody came.", "All slept.")
EMPTY = document("", "", "")


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        # Smith, he; Ann, her. The second Ann has nothing left to match.
        (CROSSED, REFERENCE, 2 * 4 / (5 + 5)),
        # of a chain that is in two parts, only the better one counts
        (BROKEN, WHOLE, 2 * 2 / 8),
        (WHOLE, WHOLE, 1),
        (ALONE, ALONE, 1),
        (EMPTY, EMPTY, 1),
        (ALONE, REFERENCE, 0),
        (REFERENCE, ALONE, 0),
        (EMPTY, REFERENCE, 0),
    ],
)
def test_chains_are_paired_once(hypothesis: Analysis, reference: Analysis, expected: float) -> None:
    assert score("coref", hypothesis, reference) == pytest.approx(expected)
    if expected in (0, 1):
        for average in ("precision", "recall"):
            assert score(f"coref(average={average})", hypothesis, reference) == expected


def test_kinds_of_mentions() -> None:
    text = document(
        "Banks lend. His bank and the Bank of Spain do.",
        chains=[[(0, 1, 0), (4, 5, 4), (6, 10, 7)], [(3, 4, 3), (9, 10, 9)]],
    )
    read = [f"{mention.kind} {mention.head}" for mention in read_mentions(text).mentions]
    assert read == ["noun bank", "noun bank", "name bank", "pronoun he", "name spain"]


def test_sentences_inside_lines_are_matched() -> None:
    """Two stand for one in the first line, one for two in the second."""
    one = read_mentions(document("Ann came home. She sat down.", "Bob left the house."))
    other = read_mentions(
        document("Ann came home, sat down.", "Quiet, all quiet again. Bob left the house.")
    )
    assert positions(one, other) == ([0, 0, 1], [0, 1, 1], 2)


def test_what_was_lost_where() -> None:
    translation = document(
        *("Smith saw Ann.", "He called her.", "Such a rain it was."),
        chains=[[(0, 1, 0), (4, 5, 4)], [(10, 11, 10), (11, 12, 11)]],
    )
    view = explained("coref", batch(translation, REFERENCE))
    lost = {loss.label: loss.amount for loss in view.losses}
    assert lost == pytest.approx(
        {"Smith: matching": (0.5 + 0.5 + 1) / 9, "Ann: missed": 2 / 9, "rain: false": 2 / 9}
    )
    assert view.score == pytest.approx(1 - sum(lost.values()))
    assert [link.kind for link in view.links] == ["noun", "pronoun for noun"]
    assert view.chains is not None
    positions = [row.positions for row in view.chains.rows]
    assert positions == [((1, 2), (1, 2, 3)), ((), (1, 2)), ((3,), ())]


@given(
    st.lists(st.lists(st.integers(0, 11), min_size=2, max_size=5, unique=True), max_size=4),
    st.lists(st.lists(st.integers(0, 11), min_size=2, max_size=5, unique=True), max_size=4),
    st.sampled_from(["f", "precision", "recall"]),
)
def test_any_chains(ours: list[list[int]], theirs: list[list[int]], average: str) -> None:
    """Scores lie between 0 and 1, a text scores 1 against itself, and losses add up."""

    def made(chains: list[list[int]], last: str) -> Analysis:
        lines = ("he Ann bank", "it Bob her", "Ann they bank", f"he it {last}")
        return document(*lines, chains=[[(n, n + 1, n) for n in sorted(c)] for c in chains])

    one, other = made(ours, "Bob"), made(theirs, "her")
    spec = f"coref(average={average})"
    view = explained(spec, batch(one, other))
    assert 0 <= view.score <= 1
    assert sum(loss.amount for loss in view.losses) == pytest.approx(1 - view.score)
    assert score(spec, one, one) == 1
