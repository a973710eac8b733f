from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.metrics.lexical.tokenizers import tercom_words, tokenizer
from albeit.metrics.view import locate


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("The cat, sat.", "the cat , sat .", "The cat , sat ."),
        ("İ was", "i̇ was", "İ was"),
        ("", "", ""),
        ("He isn't state-of-the-art; 3.5% (sic).", None, None),
    ],
)
def test_words_are_found_again(text: str, words: str | None, found: str | None) -> None:
    forms = (words if words is not None else tokenizer("13a")(text)).split()
    tokens = locate(text, forms)
    assert tokens.forms == tuple(forms)
    cut = [text[a:b] for a, b in tokens.offsets]
    assert cut == (forms if found is None else found.split())


@given(st.text(max_size=40))
def test_places_are_in_order_and_in_the_text(text: str) -> None:
    for words in (tokenizer("13a")(text).split(), tercom_words(normalized=True)(text)):
        offsets = locate(text, words).offsets
        assert len(offsets) == len(words)
        assert list(offsets) == sorted(offsets)
        assert all(0 <= a <= b <= len(text) for a, b in offsets)
