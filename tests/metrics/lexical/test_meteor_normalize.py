"""METEOR's tokeniser and its view of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.metrics.lexical.meteor import hash_key, meteor_synsets
from albeit.metrics.lexical.tokenizers import tokenize_meteor
from albeit.resources.wordnet import wordnet


@pytest.mark.parametrize(
    ("lang", "line", "tokens"),
    [
        ("en", "Hello, it's the U.S.-based 'test'...", "hello , it 's the us based ' test ' ..."),
        ("en", "No. 5 of Mr. Smith--what? 3,000,x", "no. 5 of mr. smith what ? 3,000 , x"),
        ("en", "No. Yes.", "no . yes ."),
        ("en", "the 1990's “end”", 'the 1990 \'s " end "'),
        ("en", "a-b-c", "a b-c"),
        ("en", "x, ,y", "x , ,y"),
        ("en", "Inc. of", "inc. of"),
        ("en", "Inc.\u00a0of", "inc . of"),
        ("fr", "L’eau qu'il n'a", "l' eau qu' il n' a"),
        ("de", "Das war's am 3. Mai", "das war ' s am 3. mai"),
        ("es", "¿Dónde?", "¿ dónde ?"),
        ("en", "", ""),
        ("en", " \t ", ""),
        ("en", "\u3000", ""),
    ],
)
def test_tokens(lang: str, line: str, tokens: str) -> None:
    assert tokenize_meteor(line, lang) == tokens.split()


@given(st.text(), st.sampled_from(["en", "de", "fr", "es"]))
def test_tokens_are_words(line: str, lang: str) -> None:
    assert all(token and " " not in token for token in tokenize_meteor(line, lang))


def test_hash_is_that_of_java() -> None:
    assert hash_key("hello world") == 1794106052
    assert hash_key("polygenelubricants") == -(2**31)
    assert hash_key("n'") == hash_key("le")
    assert hash_key("\U0001f600") == 31 * 0xD83D + 0xDE00


def test_synsets_are_numbers_without_part_of_speech() -> None:
    table = wordnet()
    assert set(meteor_synsets("buys", table)) == set(meteor_synsets("buy", table))
    assert set(meteor_synsets("geese", table)) >= {s % 10**8 for s in table.entries("goose")}
    assert meteor_synsets("qwrtz", table) == ()
    # entity (a noun) and breathe (a verb) have the same number.
    assert set(meteor_synsets("entity", table)) & set(meteor_synsets("breathe", table))
