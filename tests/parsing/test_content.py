"""Content words, chains of them, and sentences that are matched by them."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit import score
from albeit.data.evalset import Document, EvalSet
from albeit.errors import LanguageError, MissingExtraError
from albeit.parsing import annotate_documents, content
from albeit.parsing.layers import CHAINS


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
    words = content.content_words(lang)
    assert set(words.keys(one)) & set(words.keys(other))
    assert len(words.keys(one)) < len(one.split()) + 2


CLITICS = "The Ambassador’s so-called U.S. embassies don't reopen &quot;quietly&quot; in 2003."


@pytest.mark.parametrize(
    ("lang", "form", "text", "keys"),
    [
        ("en", "word", CLITICS, "ambassador so-called embassies reopen quietly"),
        ("en", "stem", "embassies embassy", "embassi embassi"),
        ("tr", "word", "İstanbul'da IŞIK ve ışık", "istanbul ışık ışık"),
        ("nl", "stem", "De huizen en het huis van de foto's", "huiz huis foto"),
        # cut by dictionaries
        ("zh", "stem", "我们需要全身麻醉的手术，因为没有别的办法。", "需要 全身 麻醉 手术 办法"),
        ("zh", "stem", "這座橋因為發現裂縫而關閉了", "座 橋 發現 裂縫 關閉"),
        ("ja", "stem", "オーストラリアはＮＡＴＯに再開する", "オーストラリア nato 再開"),
        ("ja", "stem", "彼は新しい本を書いた。", "新 本 書"),
        ("th", "stem", "สะพานเก่าถูกปิดเพราะพบรอยร้าว", "สะพาน เก่า ปิด พบ รอย ร้าว"),
    ],
)
def test_content_words(lang: str, form: content.WordForm, text: str, keys: str) -> None:
    assert content.content_words(lang, form).keys(text) == keys.split()


def test_lemmas_are_english_and_know_irregular_forms() -> None:
    words = "mice embassies ople reported described states building news glass"
    lemmas = "mouse embassy ople report describe state building news glass"
    assert [content.lemma(word) for word in words.split()] == lemmas.split()
    with pytest.raises(LanguageError, match="'de'"):
        content.content_words("de", "lemma")
    with pytest.raises(LanguageError, match="'xx'"):
        content.content_words("xx")


@given(st.text(), st.sampled_from(sorted(content.LANGUAGES)))
def test_any_text_can_be_read(text: str, lang: str) -> None:
    words = content.content_words(lang)
    assert [key for _, key in words.words(text)] == words.keys(text)
    assert all(words.keys(text))


@pytest.mark.parametrize(("lang", "named"), [("zh", True), ("ja", True), ("pl", False)])
def test_dictionaries_are_needed(lang: str, named: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, documents = ("我们需要手术", "需要手术"), (Document("a", 0, 2),)
    evalset = EvalSet({"r": texts}, {"s": texts}, documents=documents, target_lang=lang)
    column = score(evalset, metrics=["cohesion"])["cohesion"]
    assert ("plain-unspaced-2-icu" in str(column.signature)) is named
    monkeypatch.setitem(sys.modules, "icu4py", None)
    if named:
        with pytest.raises(MissingExtraError, match=r"albeit\[multilingual\]"):
            score(evalset, metrics=["cohesion"])


def test_chains_are_a_layer_of_documents() -> None:
    lines = ("The dog. A cat.", "Dogs and cats.")
    found = annotate_documents([lines, lines], frozenset({CHAINS}))
    assert len(found) == 1
    assert found[lines][CHAINS] == {"dog": 0b101, "cat": 0b110}
    assert found[lines][CHAINS] is found[lines][CHAINS]
    assert list(CHAINS.render(found[lines][CHAINS], found[lines])) == ["dog  1 3", "cat  2 3"]


@pytest.mark.parametrize(
    ("left", "right", "matches"),
    [
        ("dog bark|cat sleep|week end", "dog bark|cat sleep|week end", "01-01 12-12 23-23"),
        ("dog bark|cat sleep", "dog bark cat sleep", "02-01"),
        ("dog bark cat sleep", "dog bark|cat sleep", "01-02"),
        ("dog bark|new idea|cat sleep", "dog bark|cat sleep", "01-01 12-11 23-12"),
    ],
)
def test_sentences_are_matched_in_order(left: str, right: str, matches: str) -> None:
    texts = [[sentence.split() for sentence in text.split("|")] for text in (left, right)]
    found = content.match_sentences(*texts)
    assert " ".join(f"{a}{b}-{c}{d}" for (a, b), (c, d) in found) == matches


Text = list[list[str]]
texts = st.lists(st.lists(st.sampled_from("abcdef"), max_size=4), min_size=1, max_size=6)


@given(texts, texts)
def test_matches_cover_both_texts_in_order(left: Text, right: Text) -> None:
    found = content.match_sentences(left, right)
    for side, text in enumerate((left, right)):
        covered = [place for match in found for place in range(*match[side])]
        assert covered == list(range(len(text)))


@given(st.lists(texts, min_size=1, max_size=4))
def test_a_common_numbering_never_goes_back(several: list[Text]) -> None:
    numbered = content.common_units(several)
    for text, units in zip(several, numbered, strict=True):
        assert len(units) == len(text)
        assert units == sorted(units)
    known = {unit for units in numbered for unit in units}
    assert known == set(range(len(known)))


@given(texts, texts)
def test_texts_are_numbered_by_matches(left: Text, right: Text) -> None:
    ours, theirs = content.common_units([left, right])
    for number, (mine, other) in enumerate(content.match_sentences(left, right)):
        assert {ours[i] for i in range(*mine)} <= {number}
        assert {theirs[i] for i in range(*other)} <= {number}
