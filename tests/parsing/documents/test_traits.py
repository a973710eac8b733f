"""What a text tells of an entity: worked by hand."""

from albeit.parsing.documents.traits import Words, traits


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
