"""The shipped WordNet."""

from __future__ import annotations

import pytest

from albeit.resources import wordnet


def test_synonyms_and_base_forms() -> None:
    table = wordnet()
    assert "purchase" in table.synonyms("bought")
    assert table.base_forms("leaves") == ("leaf", "leave")
    assert "child" in table.base_forms("Children")
    assert table.base_forms("glass") == ("glass",)
    assert table.synsets("qwrtz") == frozenset()


def test_synsets_of_one_part_of_speech() -> None:
    table = wordnet()
    nouns, verbs = table.synsets("run", "noun"), table.synsets("run", "verb")
    assert nouns
    assert verbs
    assert not nouns & verbs
    assert nouns | verbs <= table.synsets("run")


def test_first_sense_first() -> None:
    table = wordnet()
    assert table.lemmas(table.entries("dog")[0]) == (
        "canis_familiaris",
        "dog",
        "domestic_dog",
    )


def test_hypernyms_lead_to_the_root() -> None:
    table = wordnet()
    seen = []
    level = table.entries("dog")[:1]
    while level:
        seen.append(table.lemmas(level[0]))
        level = table.hypernyms(level[0])
    assert ("entity",) in seen
    assert any("animal" in lemmas for lemmas in seen)
    assert table.hypernyms(1) == ()


@pytest.mark.parametrize(
    ("size", "of"), [(147306, "_places"), (117659, "_synsets"), (5940, "irregular")]
)
def test_whole(size: int, of: str) -> None:
    assert len(getattr(wordnet(), of)) == size
