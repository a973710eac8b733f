from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers import tokenizer_13a

from albeit.metrics.lexical.tokenizers import choose_tokenizer, tokenizer
from tests.metrics.lexical.corpora import read

marks = st.text(st.sampled_from("ab19 .,-'\"&;<>()[]{}|~^_`!#$%*+:=?@/\\é\n\t\xa0"), max_size=40)
lines = st.one_of(st.text(max_size=40), marks, st.lists(marks).map("&quot;".join))

Tokenizer13a: Any = tokenizer_13a.Tokenizer13a


@given(line=lines)
@settings(max_examples=500, deadline=None)
def test_13a_equals_sacrebleu(line: str) -> None:
    assert tokenizer("13a")(line).split() == Tokenizer13a()(line).split()


@pytest.mark.shared
def test_13a_equals_sacrebleu_on_news(shared_data: Path) -> None:
    theirs, ours = Tokenizer13a(), tokenizer("13a")
    for line in read(shared_data / "wmt12" / "fr-en" / "ref.txt"):
        assert ours(line).split() == theirs(line).split()


def test_defaults_by_language() -> None:
    assert [choose_tokenizer("auto", x) for x in ("en", "de", "zh", "ja", "ko")] == [
        "13a",
        "13a",
        "zh",
        "ja-mecab",
        "ko-mecab",
    ]
