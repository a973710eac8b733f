from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.metrics.connectives.lexicons import inventory, read_lexicon
from albeit.metrics.connectives.lexicons.induce import association, induce, write_proposals

WORDS = {
    "dogs": "perros",
    "cats": "gatos",
    "birds": "aves",
    "houses": "casas",
    "trees": "arboles",
    "sleep": "duermen",
    "run": "corren",
    "fall": "caen",
    "grow": "crecen",
}


def bitext(size: int = 240) -> list[tuple[str, str]]:
    """A language in which cause and time part what "since" joins."""
    generator = random.Random(4)
    pairs = []
    for _ in range(size):
        a, b = generator.sample(["dogs", "cats", "birds", "houses", "trees"], 2)
        x, y = generator.sample(["sleep", "run", "fall", "grow"], 2)
        word, said = generator.choice(
            [
                ("because", "porque"),
                ("since", "porque"),
                ("since", "desde que"),
                ("after", "desde que"),
                ("although", "aunque"),
                ("and", "y"),
            ]
        )
        pairs.append(
            (f"{a} {x} {word} {b} {y}", f"{WORDS[a]} {WORDS[x]} {said} {WORDS[b]} {WORDS[y]}")
        )
    return pairs


def test_forms_and_senses_are_proposed(tmp_path: Path) -> None:
    found = induce(inventory("en"), ("since", "although"), bitext(), ("en", "es"))
    by_form = {(p.connective, p.form): p.sense for p in found}
    assert by_form["since", "desde que"] == "Temporal.Asynchronous"
    assert by_form["since", "porque"] == "Contingency.Cause"
    assert by_form["although", "aunque"] == "Comparison.Concession"
    path = tmp_path / "p.tsv"
    path.write_text(write_proposals(found, ("en", "es")), encoding="utf-8")
    assert set(read_lexicon(path).entries) == {"since", "although"}


@given(st.integers(1, 50), st.integers(0, 50), st.integers(0, 50), st.integers(1, 200))
def test_association_is_never_negative(both: int, one: int, two: int, rest: int) -> None:
    first, second = both + one, both + two
    assert association(both, first, second, both + one + two + rest) >= -1e-9


def test_independent_events_are_not_associated() -> None:
    assert association(5, 50, 100, 1000) == 0
    assert association(50, 50, 50, 1000) > association(25, 50, 50, 1000) > 10


@pytest.mark.parametrize("together", [0, 1])
def test_avoidance_is_no_association(together: int) -> None:
    assert association(together, 50, 100, 1000) == 0
