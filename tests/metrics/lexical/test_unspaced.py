"""Languages written without spaces: no metric takes a whole line for one word."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.ter import TER

from albeit.data.evalset import EvalSet
from albeit.evaluation import score
from albeit.metrics.lexical.tokenizers import characters
from albeit.metrics.registry import metric

TEXTS = {
    "zh": ("今天天气很好，我们去公园散步。", "今天天气很好，我们去公园走走。"),
    "ja": (
        "今日は天気がいいので、公園を散歩しました。",
        "今日は天気が悪いので、公園を散歩しました。",
    ),
    "th": ("วันนี้อากาศดีมากเราไปเดินเล่นที่สวน", "วันนี้อากาศดีเราไปเดินเล่นที่สวน"),
    "km": ("ថ្ងៃនេះអាកាសធាតុល្អណាស់", "ថ្ងៃនេះអាកាសធាតុល្អ"),
}


@pytest.mark.parametrize("lang", TEXTS)
def test_near_identical_texts_score_high(lang: str) -> None:
    reference, other = TEXTS[lang]
    evalset = EvalSet({"r": (reference,)}, {"a": (other,), "same": (reference,)}, target_lang=lang)
    names = ["ter", "rouge-l", "rouge-w", "chrf"] + ["bleu", "nist"] * (lang != "ja")
    table = score(evalset, [metric(name) for name in names])
    assert 0 < table["ter"].system[0] < 30
    assert table["ter"].system[1] == 0
    for name in names[1:]:
        near, same = table[name].system
        assert 0.5 < near / same < 1, name


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_ter_is_sacrebleus_with_asian_support(lang: str) -> None:
    reference, other = TEXTS[lang]
    evalset = EvalSet({"r": (reference,)}, {"a": (other,)}, target_lang=lang)
    table = score(evalset, [metric("ter"), metric("ter(asian_support=no)")])
    theirs = TER(normalized=True, asian_support=True).corpus_score([other], [[reference]])
    np.testing.assert_allclose(table["ter"].system[0], theirs.score)
    plain = TER().corpus_score([other], [[reference]])
    np.testing.assert_allclose(table["ter(asian_support=no)"].system[0], plain.score)
    assert "|tok:asian|" in str(table["ter"].signature)


def test_bleu_of_thai_compares_characters() -> None:
    reference, other = TEXTS["th"]
    table = score(EvalSet({"r": (reference,)}, {"a": (other,)}, target_lang="th"), [metric("bleu")])
    theirs = BLEU(tokenize="char").corpus_score([other], [[reference]])
    np.testing.assert_allclose(table["bleu"].system[0], theirs.score)
    assert "|tok:char|" in str(table["bleu"].signature)


def test_characters() -> None:
    assert characters("我有iPhone 12部。") == ["我", "有", "iPhone", "12", "部"]
    assert characters("ที่") == ["ท", "ี", "่"]
