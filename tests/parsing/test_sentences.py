from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.parsing.sentences import splitter


@pytest.mark.parametrize(
    ("lang", "sentences"),
    [
        ("en", ["Mr. Smith left the U.S. Army.", '"He came back!"', "Why?", "No. 5 knew."]),
        ("en", ["3. Open the box.", "J. R. Smith did."]),
        ("en", ["it was late.", "they slept."]),
        ("en", ["Roe v. Wade came before Brown vs. Board.", "See Sec. 2 and Fig. 3.", "He did."]),
        ("en", ["On Sept. 5 Amb. Rice left.", "He came in Jan.", "Nobody saw him."]),
        ("de", ["Am 3. Oktober kam er.", "Dann ging er."]),
        ("fr", ["« Il est parti. »", "M. Dupont reste."]),
        ("es", ["Llegó tarde.", "¿Por qué?", "Nadie sabe."]),
        ("ru", ["Он пришёл.", "Она ушла."]),
        ("ar", ["ماذا حدث؟", "لا شيء."]),
    ],
)
def test_sentences_are_found(lang: str, sentences: list[str]) -> None:
    assert splitter(lang)(" ".join(sentences)) == tuple(sentences)


def test_chinese_and_japanese_marks_need_no_space() -> None:
    assert splitter("ja")("今日は。「はい。」明日！") == ("今日は。", "「はい。」", "明日！")
    assert splitter("zh")("他来了。她走了？") == ("他来了。", "她走了？")


def test_one_sentence_stays_as_it_is() -> None:
    assert splitter("en")("  One of 3.5 things, e.g. this. ") == (
        "  One of 3.5 things, e.g. this. ",
    )
    assert splitter("en")("") == ("",)


@given(st.text(), st.sampled_from(["en", "de", "zh", "ar"]))
def test_nothing_but_white_space_is_lost(text: str, lang: str) -> None:
    pieces = splitter(lang)(text)
    assert len(pieces) >= 1
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_time_is_linear() -> None:
    split = splitter("en")

    def measure(count: int) -> float:
        text = "1. " * count
        start = perf_counter()
        assert split(text) == (text,)
        return perf_counter() - start

    assert measure(20_000) < 2
