from hypothesis import given
from hypothesis import strategies as st

from albeit.diagnose.connectives import connectives_of, senses_of_source
from albeit.diagnose.pronouns import pronouns_of, recast, said_by_source, verb_after
from albeit.diagnose.rules import (
    RULES,
    at_the_head,
    exchanges,
    line_suspects,
    means_nothing,
    senses_apart,
    speech_turned,
)
from albeit.diagnose.suspect import CONNECTIVES, PRONOUNS

WORDS = st.lists(
    st.sampled_from(["he", "she", "it", "they", "saw", "the", "dog", "and", "it", "left"]),
    max_size=12,
)


def found(text: str, reference: str) -> list[tuple[str, str]]:
    return [(e.said.form, e.wanted.form) for e in exchanges(text, reference, pronouns_of)]


def test_a_pronoun_of_another_class_at_the_same_place_is_an_exchange() -> None:
    assert found("Then he left the house.", "Then she left the house.") == [("he", "she")]


def test_what_both_lines_have_is_put_aside_whatever_its_order() -> None:
    assert found("He said that she left.", "She left, he said.") == []


def test_far_apart_is_no_exchange() -> None:
    text = "He walked all the way along the river to the old mill and then home."
    reference = "All the way along the river to the old mill and then home walked she."
    assert found(text, reference) == []


@given(WORDS, WORDS)
def test_each_word_is_in_one_exchange_at_most(one: list[str], other: list[str]) -> None:
    pairs = exchanges(" ".join(one), " ".join(other), pronouns_of)
    assert len({e.said for e in pairs}) == len(pairs) == len({e.wanted for e in pairs})
    assert all(e.said.name != e.wanted.name and 0 <= e.nearness <= 1 for e in pairs)


@given(WORDS)
def test_a_line_has_nothing_exchanged_with_itself(words: list[str]) -> None:
    assert exchanges(" ".join(words), " ".join(words), pronouns_of) == []


def test_a_mend_keeps_case_and_capitals_and_the_verb_agrees() -> None:
    line = "They are late, and her book is lost."
    they, her = pronouns_of(line)
    assert recast(they, "she", "she", line) == "She"
    assert recast(her, "he", "his", line) == "his"
    assert verb_after(" are late", "they", "she") == " is late"
    [one] = line_suspects(RULES[PRONOUNS], "A", 4, "They are late.", "She is late.")
    assert (one.line, one.suggestion, one.mended) == (4, "She", "She is late.")


def test_the_us_is_no_pronoun() -> None:
    assert [word.form for word in pronouns_of("IT in the US helps us.")] == ["us"]


def test_connectives_that_turn_an_argument_are_suspects_and_loose_ones_are_not() -> None:
    text, reference = "He left because it rained.", "He left although it rained."
    [one] = line_suspects(RULES[CONNECTIVES], "A", 0, text, reference)
    assert one.suggestion == "although"
    assert line_suspects(RULES[CONNECTIVES], "A", 0, "Cats and dogs.", "Cats or dogs.") == []


def test_before_is_not_after() -> None:
    [before] = connectives_of("He left before she came.")
    [after] = connectives_of("He left after she came.")
    assert senses_apart(before.name, after.name)


def test_what_the_source_says() -> None:
    assert said_by_source("她说他们来了", "zh") == [frozenset({"she"}), frozenset({"they"})]
    assert said_by_source("Er kam.", "de") == [frozenset({"he", "it"})]
    assert said_by_source("hán jött", "hu") is None
    assert senses_of_source("因为下雨", "zh") == [frozenset({"Contingency"})]
    assert senses_of_source("…", "hu") is None


def suspects(text: str, reference: str) -> int:
    return len(line_suspects(RULES[PRONOUNS], "A", 0, text, reference))


def test_it_that_stands_for_nothing() -> None:
    assert means_nothing("It is clear that he came.", 2)
    assert not means_nothing("It is red.", 2)
    assert suspects("It is clear that all came.", "They knew that all came.") == 0


def test_it_was_they_who() -> None:
    assert at_the_head("It was they who came.", 7)
    assert not at_the_head("Then they came.", 5)


def test_speech_that_is_quoted_here_and_reported_there() -> None:
    assert speech_turned("he", "i", "He said he left.", 'He said: "I left."')
    assert not speech_turned("he", "she", "He said he left.", 'He said: "she left."')
    assert suspects("She said that she left.", 'She said: "I left."') == 0


def test_people_in_general_are_we_or_you() -> None:
    assert suspects("If you look, the sea is blue.", "If we look, the sea is blue.") == 0
