"""Words of many languages, cut by script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.parsing.tokenize import cut_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Das geht, sagte er.", "Das geht , sagte er ."),
        ("L'homme qu’il a vu aujourd'hui", "L' homme qu’ il a vu aujourd'hui"),
        ("Dell'arte, quest’anno", "Dell' arte , quest’ anno"),
        ("3.000,50 € um 12:30", "3.000,50 € um 12:30"),
        ("İstanbul'da çok", "İstanbul'da çok"),
        ("그는 갔다.", "그는 갔다 ."),
        ("siehe https://a.de/b?c=d.", "siehe https://a.de/b?c=d ."),
    ],
)
def test_words_between_spaces(text: str, words: str) -> None:
    assert " ".join(cut_words(text).forms) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("需要全身麻醉的手术。", "需要 全身 麻醉 的 手术 。"),
        ("彼は学生です", "彼 は 学生 です"),
        ("ฉันรักภาษาไทย", "ฉัน รัก ภาษา ไทย"),
        ("我爱Python3和C", "我 爱 Python 3 和 C"),
    ],
)
def test_scripts_without_spaces_are_cut_by_dictionaries(text: str, words: str) -> None:
    assert " ".join(cut_words(text).forms) == words


def test_marks_that_nobody_sees_are_no_words() -> None:
    assert cut_words("\u200fمرحبا\u200e \u202bعالم\u202c").forms == ("مرحبا", "عالم")
    assert cut_words("\u200b\ufeff").forms == ()
    assert cut_words("").forms == ()


def test_an_emoji_is_one_word_and_a_joiner_none() -> None:
    assert cut_words("gut 👩‍👩‍👧👍🏽! ❤️ 🇩🇪🇫🇷").forms == (
        "gut",
        "👩‍👩‍👧",
        "👍🏽",
        "!",
        "❤️",
        "🇩🇪",
        "🇫🇷",
    )
    assert cut_words("\u200d \u200c \ufe0f").forms == ()
    assert cut_words("می\u200cخواهم").forms == ("می\u200cخواهم",)


def test_vowel_signs_stay_in_the_word() -> None:
    vowelled = "كَتَبَ"
    assert cut_words(vowelled).forms == (vowelled,)


@given(st.text(max_size=60))
def test_words_cover_all_that_is_seen_in_order(text: str) -> None:
    tokens = cut_words(text)
    at = 0
    for form, (start, stop) in zip(tokens.forms, tokens.offsets, strict=True):
        assert at <= start < stop
        assert text[start:stop] == form
        assert not any(map(str.isalnum, text[at:start]))
        at = stop
    assert not any(map(str.isalnum, text[at:]))
