import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.diagnose import candidates
from albeit.diagnose.candidates import exchanges, line_candidates

WORDS = st.lists(
    st.sampled_from(["he", "she", "it", "they", "saw", "the", "dog", "and", "it", "left"]),
    max_size=12,
)


FAR = "by the river to the old mill and then home over the long bridge"


@given(WORDS, WORDS)
def test_each_word_is_in_one_exchange_at_most(one: list[str], other: list[str]) -> None:
    pairs = exchanges(" ".join(one), " ".join(other))
    assert len({e.said for e in pairs}) == len(pairs) == len({e.wanted for e in pairs})
    assert all(e.said.name != e.wanted.name and 0 <= e.nearness <= 1 for e in pairs)


@given(WORDS)
def test_a_line_has_nothing_exchanged_with_itself(words: list[str]) -> None:
    assert exchanges(" ".join(words), " ".join(words)) == []


def test_a_mend_keeps_case_and_capitals_and_the_verb_agrees() -> None:
    line = "They are late, and her book is lost."
    they, her = candidates.pronouns_of(line)
    assert candidates.pronoun_like(they, "she", "she", line) == "She"
    assert candidates.pronoun_like(her, "he", "his", line) == "his"
    assert candidates.verb_after(" are late", "they", "she") == " is late"
    [one] = line_candidates("A", 4, "They are late.", "She is late.")
    assert (one.line, one.suggestion, one.fixed) == (4, "She", "She is late.")


@pytest.mark.parametrize(
    ("text", "reference", "count"),
    [
        ("He said that she left.", "She left, he said.", 0),
        (f"He walked {FAR}.", f"All the way along {FAR} walked she.", 0),
        ("It is clear that all came.", "They knew that all came.", 0),
        ("It is red and all came.", "She is red and all came.", 1),
        ("It was they who came.", "It was he who came.", 0),
        ("Then they came.", "Then he came.", 1),
        ("She said that she left.", 'She said: "I left."', 0),
        ("He said he left.", 'He said: "she left."', 1),
        ("If you look, the sea is blue.", "If we look, the sea is blue.", 0),
    ],
    ids=["order", "far", "expletive", "thing", "cleft", "subject", "reported", "quoted", "generic"],
)
def test_exchanges_that_are_harmless_by_their_form(text: str, reference: str, count: int) -> None:
    assert len(line_candidates("A", 0, text, reference)) == count


def test_what_the_source_says() -> None:
    she, they = frozenset({"she"}), frozenset({"they"})
    assert candidates.source_pronouns("她说他们来了", "zh") == [she, they]
    assert candidates.source_pronouns("Er kam.", "de") == [frozenset({"he", "it"})]
    assert candidates.source_pronouns("hán jött", "hu") is None


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("He Jiankui and Mr. He met, said He.", 0),
        ("He, 45, left.", 0),
        ("She said, \u201cYou left.\u201d He stayed.", 3),
        ("Then (he left.) - He came back", 2),
    ],
)
def test_names_that_look_like_pronouns(line: str, count: int) -> None:
    assert len(candidates.pronouns_of(line)) == count
