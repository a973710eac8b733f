"""The pronoun table."""

from __future__ import annotations

import pytest

from albeit.parsing.traits import LANGUAGES, pronoun_kinds


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language(language: str) -> None:
    third, every = pronoun_kinds(language, "third"), pronoun_kinds(language)
    assert set(third) < set(every)
    assert all(kinds and form == form.lower() for form, kinds in every.items())


def test_forms_of_several_kinds() -> None:
    assert pronoun_kinds("de")["sie"] == ("sie-sg", "sie-pl")
    assert pronoun_kinds("en")["yourselves"] == ("you",)
    assert "i" not in pronoun_kinds("en", "third")
