"""Features of pairs of mentions, traits of entities, and the pronoun table."""

from __future__ import annotations

import pytest

from albeit.parsing import traits
from albeit.parsing.layers import Mention


def words(text: str) -> traits.Words:
    """Words as form/UPOS/XPOS/parent."""
    forms, upos, xpos, parents = zip(*(word.split("/") for word in text.split()), strict=True)
    return traits.Words([f.lower() for f in forms], list(upos), list(xpos), list(map(int, parents)))


DOCTOR = "Doctor/NOUN/NN/1 spoke/VERB/VBD/-1 she/PRON/PRP/1 her/PRON/PRP$/1"
NURSES = "Mr./PROPN/NNP/1 Miller/PROPN/NNP/-1 the/DET/DT/3 nurses/NOUN/NNS/-1"
JOINED = "Ann/PROPN/NNP/-1 and/CCONJ/CC/2 Bob/PROPN/NNP/0"
THEY = "they/PRON/PRP/-1 student/NOUN/NN/-1"
THINGS = "car/NOUN/NN/-1 it/PRON/PRP/-1 ship/NOUN/NN/-1"


@pytest.mark.parametrize(
    ("text", "mentions", "kind", "expected"),
    [
        (DOCTOR, [(0, 1, 0), (2, 3, 2), (3, 4, 3)], "person", "singular animate feminine"),
        (NURSES, [(0, 2, 1)], "person", "singular animate masculine"),
        (NURSES, [(2, 4, 3)], "person", "plural animate "),
        ("Anna/PROPN/NNP/-1 Smith/PROPN/NNP/0", [(0, 2, 0)], "person", "singular animate feminine"),
        (JOINED, [(0, 3, 0)], "person", "plural animate "),
        (JOINED, [(0, 1, 0)], "person", "singular animate feminine"),
        (THEY, [(0, 1, 0)], "person", "plural animate "),
        (THEY, [(0, 1, 0), (1, 2, 1)], "person", "singular animate "),
        (THINGS, [(0, 1, 0), (1, 2, 1)], "object", "singular inanimate neuter"),
        (THINGS, [(2, 3, 2)], "object", "singular inanimate "),
        # a tie
        ("he/PRON/PRP/-1 she/PRON/PRP/-1", [(0, 1, 0), (1, 2, 1)], "person", "singular animate "),
    ],
)
def test_traits(text: str, mentions: list[tuple[int, int, int]], kind: str, expected: str) -> None:
    votes = traits.Votes(words(text))
    for mention in mentions:
        votes.add(Mention(*mention))
    assert " ".join(votes.traits(kind)) == expected


@pytest.mark.parametrize("language", sorted(traits.LANGUAGES))
def test_every_language(language: str) -> None:
    third, every = traits.pronoun_kinds(language, "third"), traits.pronoun_kinds(language)
    assert set(third) < set(every)
    assert all(kinds and form == form.lower() for form, kinds in every.items())


def test_forms_of_several_kinds() -> None:
    assert traits.pronoun_kinds("de")["sie"] == ("sie-sg", "sie-pl")
    assert traits.pronoun_kinds("en")["yourselves"] == ("you",)
    assert "i" not in traits.pronoun_kinds("en", "third")
