from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.metrics.lexical.tokenizers import tercom_words, tokenizer
from albeit.metrics.view import locate


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("The cat, sat.", ["the", "cat", ",", "sat", "."], ["The", "cat", ",", "sat", "."]),
        ("A &quot;b&quot; c", ["A", '"', "b", '"', "c"], ["A", "&quot;", "b", "&quot;", "c"]),
        ("İ was", ["i̇", "was"], ["İ", "was"]),
        ("", [], []),
    ],
)
def test_words_are_found_again(text: str, words: list[str], found: list[str]) -> None:
    tokens = locate(text, words)
    assert tokens.forms == tuple(words)
    cut = [text[a:b] for a, b in tokens.offsets]
    if "&" not in text:
        assert cut == found
    assert cut[0::2] == found[0::2]


@given(st.text(max_size=40))
def test_places_are_in_order_and_in_the_text(text: str) -> None:
    for words in (tokenizer("13a")(text).split(), tercom_words(normalized=True)(text)):
        offsets = locate(text, words).offsets
        assert len(offsets) == len(words)
        assert list(offsets) == sorted(offsets)
        assert all(0 <= a <= b <= len(text) for a, b in offsets)


def test_every_letter_is_in_its_word() -> None:
    text = "He isn't state-of-the-art; 3.5% (sic)."
    words = tokenizer("13a")(text).split()
    assert [text[a:b] for a, b in locate(text, words).offsets] == words
