from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from albeit.errors import MissingExtraError
from albeit.metrics.lexical.bleu import Bleu
from albeit.metrics.lexical.tokenizers import choose_tokenizer
from albeit.metrics.registry import metric
from tests.metrics.lexical.corpora import HYPOTHESES, REFERENCES, statistics, system


def test_scores_any_leading_shape() -> None:
    rows = statistics(Bleu(), HYPOTHESES, REFERENCES)
    stacked = np.stack([rows, rows[::-1]])
    assert Bleu().score(stacked).shape == (2, len(HYPOTHESES))
    np.testing.assert_array_equal(Bleu().score(stacked)[1], Bleu().score(rows)[::-1])


def test_the_tokenizer_follows_the_language_and_is_in_the_signature() -> None:
    names = [choose_tokenizer("auto", lang) for lang in ("en", "de", "zh", "ja", "ko")]
    assert names == ["13a", "13a", "zh", "ja-mecab", "ko-mecab"]
    assert system(Bleu(), ["猫坐在垫子上"], [["猫坐在垫子上面"]], lang="zh") > 50
    assert "|tok:zh|" in str(Bleu().signature("zh"))
    assert str(metric("bleu(tokenize=intl,lowercase=yes)")) == "bleu(tokenize=intl,lowercase=yes)"


@pytest.mark.skipif(find_spec("MeCab") is not None, reason="MeCab is installed")
def test_missing_tokeniser_says_how_to_install_it() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'sacrebleu\[ja\]'"):
        system(Bleu(), ["猫"], [["猫"]], lang="ja")
