"""Stemmers and word lists.

Light stemmers: forms of one word meet, and short words stay whole.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.errors import LanguageError
from albeit.resources import words
from albeit.resources.words import stemmer


def test_stemmers() -> None:
    assert stemmer("en")("houses") == stemmer("en")("house")
    assert stemmer("it")("case") == stemmer("it")("casa")
    assert stemmer("en") is stemmer("en")
    with pytest.raises(LanguageError, match="no stemmer for 'xx'"):
        stemmer("xx")


def test_function_words() -> None:
    found = words.function_words("en")
    assert {"the", "of", ",", '"', "$", "said"} <= found
    assert not {"house", "because", "#"} & found
    assert len(found) == 93
    assert words.function_words("xx") == frozenset()


def test_nonbreaking_prefixes() -> None:
    prefixes = words.nonbreaking_prefixes("en")
    assert prefixes["Mr"] is False
    assert prefixes["No"] is True
    assert "Jan" not in prefixes
    assert len(words.nonbreaking_prefixes("de")) == 298


@pytest.mark.parametrize(
    ("lang", "forms"),
    [
        ("pl", "ambasador ambasadora ambasadorowi ambasadorem ambasadorzy ambasadorów"),
        ("pl", "ręka ręki ręce rękę ręką rękami rękach"),
        ("pl", "polska polski polsce polską"),
        ("pl", "nowy nowa nowe nowego nowych nowymi"),
        ("ko", "정부 정부는 정부의 정부가 정부에서 정부에도"),
        ("ko", "학생 학생들 학생들이 학생들에게 학생은"),
    ],
)
def test_forms_of_a_word_have_one_stem(lang: str, forms: str) -> None:
    assert len({stemmer(lang)(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(("lang", "word"), [("pl", "dom"), ("ko", "나라"), ("ko", "회의")])
def test_what_is_short_stays_whole(lang: str, word: str) -> None:
    assert stemmer(lang)(word) == word


@given(st.text(min_size=1, max_size=12))
def test_something_always_stays(word: str) -> None:
    assert len(stemmer("pl")(word)) >= min(len(word), words.LEAST_POLISH)
    assert len(stemmer("ko")(word)) >= min(len(word), words.LEAST_KOREAN)
