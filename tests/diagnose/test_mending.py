from albeit.data.evalset import Document, EvalSet
from albeit.diagnose.flag import suspects
from albeit.diagnose.mending import controls, put_into
from albeit.diagnose.suspect import CONNECTIVES, PRONOUNS, TERMS, Suspect


def one_of(kind: str, text: tuple[str, ...], reference: tuple[str, ...]) -> Suspect:
    evalset = EvalSet({"ref": reference}, {"bad": text}, None, (Document("d", 0, len(text)),))
    [found] = suspects(evalset, [kind])
    return found


def test_a_pronoun_is_put_where_the_other_line_has_the_right_one_in_its_case() -> None:
    own = "They are late, the guests said."
    one = one_of(PRONOUNS, (own,), ("She is late, the guests said.",))
    assert put_into("As she is late, the guests said.", one, own) == (
        "As they are late, the guests said."
    )


def test_a_line_without_what_is_suggested_is_no_control() -> None:
    own = "Then he left."
    one = one_of(PRONOUNS, (own,), ("Then she left.",))
    assert put_into("Then the queen left.", one, own) is None
    assert put_into("Then he left.", one, own) is None


def test_what_stands_too_far_away_is_no_control() -> None:
    own = "Then he left."
    one = one_of(PRONOUNS, (own,), ("Then she left.",))
    assert (
        put_into(
            "Then left, one by one and with no word of thanks, all of the guests whom she knew.",
            one,
            own,
        )
        is None
    )


def test_connectives_and_terms_are_put_with_the_capitals_of_their_place() -> None:
    own = "He came, because it rained."
    one = one_of(CONNECTIVES, (own,), ("He came, although it rained.",))
    assert put_into("Although it rained hard.", one, own) == "Because it rained hard."
    text = ("The tanker is new.", "A tanker is long.", "The wagon is red.")
    reference = ("The tanker is new.", "A tanker is long.", "The tanker is red.")
    one = one_of(TERMS, text, reference)
    assert put_into("Tanker is red.", one, text[2]) == "Wagon is red."


def test_controls_are_other_systems_lines() -> None:
    systems = {"bad": ("Then he left.",), "same": ("Then he left.",), "good": ("She left then.",)}
    evalset = EvalSet({"ref": ("Then she left.",)}, systems, None, (Document("d", 0, 1),))
    found = suspects(evalset, [PRONOUNS])
    assert {one.system for one in found} == {"bad", "same"}
    assert all(controls(one, evalset) == [("She left then.", "He left then.")] for one in found)
    alone = EvalSet({"ref": ("Then she left.",)}, {"bad": systems["bad"]})
    assert controls(found[0], alone) == []
