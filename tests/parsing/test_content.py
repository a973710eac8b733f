from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit import score
from albeit.data.evalset import Document, EvalSet
from albeit.errors import LanguageError, MissingExtraError
from albeit.parsing.content import LANGUAGES, content_words, lemma
from albeit.resources.words import stop_words


def test_english_words_lose_clitics_stop_words_and_numbers() -> None:
    text = "The Ambassador’s so-called U.S. embassies don't reopen &quot;quietly&quot; in 2003."
    assert content_words("en", "word").keys(text) == [
        "ambassador",
        "so-called",
        "embassies",
        "reopen",
        "quietly",
    ]
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
        ("pl", "Rząd ogłosił nową politykę w Polsce.", "Polityka rządów i Polska."),
        ("ko", "정부는 새로운 정책을 발표했다.", "정부의 정책에 대한 비판이 있었다."),
    ],
)
def test_inflected_forms_meet_in_every_language(lang: str, one: str, other: str) -> None:
    words = content_words(lang)
    assert set(words.keys(one)) & set(words.keys(other))
    assert len(words.keys(one)) < len(one.split()) + 2


@pytest.mark.parametrize(
    ("lang", "text", "keys"),
    [
        ("zh", "我们需要全身麻醉的手术，因为没有别的办法。", "需要 全身 麻醉 手术 办法"),
        ("zh", "這座橋因為發現裂縫而關閉了", "座 橋 發現 裂縫 關閉"),
        ("ja", "オーストラリア大使館はＮＡＴＯに再開する", "オーストラリア 大使館 nato 再開"),
        ("ja", "彼は新しい本を書いた。", "新 本 書"),
        ("th", "สะพานเก่าถูกปิดเพราะพบรอยร้าว", "สะพาน เก่า ปิด พบ รอย ร้าว"),
    ],
)
def test_text_without_spaces_is_cut_by_dictionaries(lang: str, text: str, keys: str) -> None:
    assert content_words(lang).keys(text) == keys.split()


def test_without_the_extra_text_without_spaces_is_refused_before_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "icu4py", None)
    texts = ("我们需要手术", "需要手术")
    documents = (Document("a", 0, 2),)
    evalset = EvalSet({"ref": texts}, {"s": texts}, documents=documents, target_lang="zh")
    with pytest.raises(MissingExtraError, match=r"albeit\[multilingual\]"):
        score(evalset, metrics=["cohesion"])


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


@pytest.mark.parametrize(("lang", "named"), [("zh", True), ("ja", True), ("pl", False)])
def test_signatures_name_the_dictionaries_that_cut_words(lang: str, named: bool) -> None:
    texts = ("a", "b")
    evalset = EvalSet(
        {"ref": texts}, {"s": texts}, documents=(Document("a", 0, 2),), target_lang=lang
    )
    (column,) = score(evalset, metrics=["cohesion"]).columns.values()
    assert ("plain-unspaced-2-icu" in str(column.signature)) is named
