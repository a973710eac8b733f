"""The shipped WordNet."""

from __future__ import annotations

import pytest

from albeit.resources.wordnet import wordnet


def test_base_forms_and_synsets() -> None:
    table = wordnet()
    assert table.synsets("purchase") & table.synsets("bought")
    assert table.base_forms("leaves") == ("leaf", "leave")
    assert "child" in table.base_forms("Children")
    assert table.base_forms("glass") == ("glass",)
    assert table.synsets("qwrtz") == frozenset()


def test_the_first_sense_is_first_and_hypernyms_lead_to_the_root() -> None:
    table = wordnet()
    level = table.entries("dog")[:1]
    assert level == table.entries("canis_familiaris")
    seen = set(level)
    while level:
        level = table.hypernyms(level[0])
        seen.update(level[:1])
    assert set(table.entries("entity")) & seen
    assert set(table.entries("animal")) & seen
    assert table.hypernyms(1) == ()


@pytest.mark.parametrize(
    ("size", "of"), [(147306, "_places"), (117659, "_synsets"), (5940, "irregular")]
)
def test_whole(size: int, of: str) -> None:
    assert len(getattr(wordnet(), of)) == size
