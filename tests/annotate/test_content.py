from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.annotate.content import LANGUAGES, content_words, lemma
from albeit.errors import LanguageError
from albeit.resources import stop_words


def test_english_words_lose_clitics_stop_words_and_numbers() -> None:
    text = "The Ambassador’s so-called U.S. embassies don't reopen &quot;quietly&quot; in 2003."
    assert content_words("en", "word").keys(text) == [
        "ambassador", "so-called", "embassies", "reopen", "quietly",
    ]  # fmt: skip
    assert content_words("en").keys("embassies embassy") == ["embassi", "embassi"]


@pytest.mark.parametrize(
    ("lang", "one", "other"),
    [
        ("en", "The attacks were planned.", "He attacked it, planning more."),
        ("de", "Die Regierungen der Länder.", "Eine Regierung, ein Land."),
        ("fr", "L’ambassadeur n’est pas là, dit-elle.", "Des ambassadeurs le disent."),
        ("es", "Los embajadores de las ciudades.", "El embajador en la ciudad."),
        ("it", "L'attacco dell'ambasciata.", "Gli attacchi alle ambasciate."),
        ("pt", "As embaixadas dos governos.", "A embaixada do governo."),
        ("ru", "Посольства этих стран.", "В посольстве одной страны."),
        ("ar", "السفارة في المدينة", "هذه سفارة ومدينة"),
    ],
)
def test_inflected_forms_meet_in_every_language(lang: str, one: str, other: str) -> None:
    words = content_words(lang)
    assert set(words.keys(one)) & set(words.keys(other))
    assert len(words.keys(one)) < len(one.split()) + 2


def test_text_without_spaces_goes_by_pairs_of_characters() -> None:
    assert content_words("zh").keys("大使馆的开放") == ["大使", "使馆", "开放"]
    assert content_words("ja").keys("オーストラリア大使館はＮＡＴＯに再開する") == [
        "オーストラリア", "大使", "使館", "nato", "再開",
    ]  # fmt: skip


def test_lemmas_are_english_and_know_irregular_forms() -> None:
    assert lemma("mice") == "mouse"
    assert lemma("embassies") == "embassy"
    assert lemma("ople") == "ople"
    assert [lemma(w) for w in ("reported", "described", "states")] == [
        "report",
        "describe",
        "state",
    ]
    assert [lemma(w) for w in ("building", "news", "glass")] == ["building", "news", "glass"]
    with pytest.raises(LanguageError, match="'de'"):
        content_words("de", "lemma")


def test_unknown_languages_are_named() -> None:
    with pytest.raises(LanguageError, match="'xx'"):
        content_words("xx")


@pytest.mark.parametrize("lang", sorted(LANGUAGES))
def test_stop_lists_are_lower_case_and_long_enough(lang: str) -> None:
    found = stop_words(lang)
    assert len(found) > 50
    assert all(word == word.lower() and not word.startswith("#") for word in found)
    assert not content_words(lang).keys(" ".join(sorted(found, key=len)[:1]))


@given(st.text(), st.sampled_from(sorted(LANGUAGES)))
def test_any_text_can_be_read(text: str, lang: str) -> None:
    words = content_words(lang)
    assert [key for _, key in words.words(text)] == words.keys(text)
    assert all(words.keys(text))


def test_turkish_capitals_and_what_hangs_on_names() -> None:
    found = content_words("tr", "word").keys("İstanbul'da IŞIK ve ışık")
    assert found == ["istanbul", "ışık", "ışık"]


def test_dutch_words() -> None:
    assert content_words("nl").keys("De huizen en het huis van de foto's") == [
        "huiz",
        "huis",
        "foto",
    ]
