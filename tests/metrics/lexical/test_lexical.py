"""Lexical metrics: additive rows, empty lines, tokenizers, and languages without spaces."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.ter import TER

from albeit import EvalSet, metric, score
from albeit.errors import MissingExtraError
from albeit.metrics.lexical.tokenizers import characters, choose_tokenizer
from tests.metrics.lexical.corpora import assert_additive, corpora, statistics, system

LEXICAL = (
    *("bleu", "chrf", "chrf++", "ter", "terp-a(table=none)", "nist", "meteor"),
    *("rouge-l", "rouge-l(stem=yes)", "rouge-w", "rouge-w(variant=script)"),
)


@pytest.mark.parametrize("name", LEXICAL)
@given(corpus=corpora)
@settings(max_examples=20, deadline=None)
def test_rows_are_additive(name: str, corpus: tuple[list[str], list[list[str]]]) -> None:
    assert_additive(metric(name), *corpus)


@pytest.mark.parametrize("name", LEXICAL)
def test_empty_lines(name: str) -> None:
    rows = statistics(metric(name), ["", "a b c d", ""], [["a b", "", ""]])
    expected = [100, 100, 0] if name.startswith("ter") else [0, 0, 0]
    np.testing.assert_allclose(metric(name).segment_score(rows), expected)
    assert metric(name).score(np.stack([rows, rows[::-1]])).shape == (2, 3)


def test_the_tokenizer_follows_the_language() -> None:
    names = [choose_tokenizer("auto", lang) for lang in ("en", "de", "zh", "ja", "ko", "th")]
    assert names == ["13a", "13a", "zh", "ja-mecab", "ko-mecab", "char"]
    assert characters("我有iPhone 12部。") == ["我", "有", "iPhone", "12", "部"]
    assert characters("ที่") == ["ท", "ี", "่"]


@pytest.mark.skipif(find_spec("MeCab") is not None, reason="MeCab is installed")
def test_a_missing_tokenizer_names_the_command() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'sacrebleu\[ja\]'"):
        system(metric("bleu"), ["猫"], [["猫"]], lang="ja")


TEXTS = {
    "zh": ("今天天气很好，我们去公园散步。", "今天天气很好，我们去公园走走。"),
    "ja": ("今日は天気がいいので、公園を散歩した。", "今日は天気が悪いので、公園を散歩した。"),
    "th": ("วันนี้อากาศดีมากเราไปเดินเล่นที่สวน", "วันนี้อากาศดีเราไปเดินเล่นที่สวน"),
}


@pytest.mark.parametrize("lang", TEXTS)
@pytest.mark.parametrize("name", ["rouge-l", "rouge-w", "nist"])
def test_a_line_without_spaces_is_more_than_one_word(name: str, lang: str) -> None:
    """The other metrics equal sacreBLEU."""
    reference, _ = TEXTS[lang]
    if (name, lang) != ("nist", "ja"):
        same, near = (system(metric(name), [line], [[reference]], lang) for line in TEXTS[lang])
        assert 0.5 < near / same < 1


@pytest.mark.parametrize(
    ("spec", "lang", "field", "original"),
    [
        ("ter", "zh", "tok:asian", TER(normalized=True, asian_support=True)),
        ("ter", "ja", "tok:asian", TER(normalized=True, asian_support=True)),
        ("ter(asian_support=no)", "zh", "normalized:no", TER()),
        ("bleu", "th", "tok:char", BLEU(tokenize="char")),
        ("bleu", "zh", "tok:zh", BLEU(tokenize="zh")),
    ],
)
def test_language_chooses_options(spec: str, lang: str, field: str, original: BLEU | TER) -> None:
    reference, other = TEXTS[lang]
    table = score(EvalSet({"r": (reference,)}, {"a": (other,)}, target_lang=lang), [metric(spec)])
    expected = original.corpus_score([other], [[reference]]).score
    assert table[spec].system[0] == pytest.approx(expected)
    assert f"|{field}" in str(table[spec].signature)
