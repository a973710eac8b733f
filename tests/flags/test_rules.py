from albeit.flags.rules import RULES, at_the_head, line_suspects, means_nothing, speech_turned
from albeit.flags.suspect import PRONOUNS


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
