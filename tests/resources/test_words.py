"""Stemmers and word lists."""

from __future__ import annotations

import pytest

from albeit.errors import LanguageError
from albeit.resources import function_words, nonbreaking_prefixes, stemmer


def test_stemmers() -> None:
    assert stemmer("en")("houses") == stemmer("en")("house")
    assert stemmer("it")("case") == stemmer("it")("casa")
    assert stemmer("en") is stemmer("en")
    with pytest.raises(LanguageError, match="no stemmer for 'xx'"):
        stemmer("xx")


def test_function_words() -> None:
    words = function_words("en")
    assert {"the", "of", ",", '"', "$", "said"} <= words
    assert not {"house", "because", "#"} & words
    assert len(words) == 93
    assert function_words("xx") == frozenset()


def test_nonbreaking_prefixes() -> None:
    prefixes = nonbreaking_prefixes("en")
    assert prefixes["Mr"] is False
    assert prefixes["No"] is True
    assert "Jan" not in prefixes
    assert len(nonbreaking_prefixes("de")) == 298
