"""Features of pairs of mentions, and traits of entities."""

from __future__ import annotations

import numpy as np

from albeit.parsing.layers import Mention
from albeit.parsing.traits import CLASSES, Votes, Words, evidence, pair_codes, pair_features, stem


def traits(mentions: list[tuple[int, int, int]], kind: str, found: Words) -> tuple[str, ...]:
    votes = Votes(found)
    for mention in mentions:
        votes.add(Mention(*mention))
    return votes.traits(kind)


def words(text: str) -> Words:
    """Words as form/UPOS/XPOS/parent."""
    rows = [word.split("/") for word in text.split()]
    return Words(
        [row[0].lower() for row in rows],
        [row[1] for row in rows],
        [row[2] for row in rows],
        [int(row[3]) for row in rows],
    )


def test_pronouns_tell_first() -> None:
    found = words("Doctor/NOUN/NN/1 spoke/VERB/VBD/-1 she/PRON/PRP/1 her/PRON/PRP$/1")
    mentions = [(0, 1, 0), (2, 3, 2), (3, 4, 3)]
    assert traits(mentions, "person", found) == ("singular", "animate", "feminine")


def test_titles_nouns_and_names() -> None:
    found = words("Mr./PROPN/NNP/1 Miller/PROPN/NNP/-1 the/DET/DT/3 nurses/NOUN/NNS/-1")
    assert traits([(0, 2, 1)], "person", found) == ("singular", "animate", "masculine")
    assert traits([(2, 4, 3)], "person", found) == ("plural", "animate", "")
    named = words("Anna/PROPN/NNP/-1 Smith/PROPN/NNP/0")
    assert traits([(0, 2, 0)], "person", named) == ("singular", "animate", "feminine")


def test_several_joined_are_plural_and_have_no_gender() -> None:
    found = words("Ann/PROPN/NNP/-1 and/CCONJ/CC/2 Bob/PROPN/NNP/0")
    assert traits([(0, 3, 0)], "person", found) == ("plural", "animate", "")
    assert traits([(0, 1, 0)], "person", found) == ("singular", "animate", "feminine")


def test_they_is_plural_only_where_nothing_else_is_known() -> None:
    found = words("they/PRON/PRP/-1 student/NOUN/NN/-1")
    assert traits([(0, 1, 0)], "person", found)[0] == "plural"
    assert traits([(0, 1, 0), (1, 2, 1)], "person", found)[0] == "singular"


def test_things() -> None:
    found = words("car/NOUN/NN/-1 it/PRON/PRP/-1 ship/NOUN/NN/-1")
    assert traits([(0, 1, 0), (1, 2, 1)], "object", found) == ("singular", "inanimate", "neuter")
    assert traits([(2, 3, 2)], "object", found) == ("singular", "inanimate", "")


def test_a_tie_tells_nothing() -> None:
    found = words("he/PRON/PRP/-1 she/PRON/PRP/-1")
    assert traits([(0, 1, 0), (1, 2, 1)], "person", found)[2] == ""


FOUND = evidence(
    [["The", "old", "bridge", "fell"], ["Bridges", "fall", ";", "it", "did"]],
    [["DET", "ADJ", "NOUN", "VERB"], ["NOUN", "VERB", "PUNCT", "PRON", "VERB"]],
    [[3, 3, 4, 0], [2, 0, 2, 5, 2]],
)


def test_stems() -> None:
    assert [stem(word) for word in ("bridges", "cities", "glass", "its")] == [
        "bridge",
        "city",
        "glass",
        "its",
    ]


def test_words_of_a_document() -> None:
    assert FOUND.parents.tolist() == [2, 2, 3, -1, 5, -1, 5, 8, 5]
    assert FOUND.stems[2] == FOUND.stems[4] != FOUND.stems[3]
    assert FOUND.definite[2]
    assert not FOUND.definite[4]
    assert FOUND.classes.tolist() == [0, 0, 0, 0, 0, 0, 0, 5, 0]
    assert (FOUND.sets[2] > 0).sum() == 2  # bridge, old


def test_pairs() -> None:
    # "Bridges" on "bridge": another form, the same stem; one of two words shared, all of its own
    ((form, head, in_other, _, share, same, *rest),) = pair_features(
        FOUND, np.array([4]), np.array([2])
    ).tolist()
    assert (form, head, in_other, share, same) == (0, 1, 1, 1, 0)
    assert rest[-1] == np.float32(np.log1p(2) / 6)
    # "it", the third mention, on the first: a gap of two mentions and of one sentence
    codes = pair_codes(FOUND, np.array([2, 4, 7]), np.array([2]), np.array([0]))
    assert codes.tolist() == [[2, 1, 5 * CLASSES]]
