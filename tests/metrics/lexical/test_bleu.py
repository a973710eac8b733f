from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sacrebleu.metrics.bleu import BLEU

from albeit.errors import MetricError, MissingExtraError
from albeit.metrics.lexical.bleu import Bleu
from albeit.metrics.registry import metric
from tests.metrics.lexical.corpora import (
    HYPOTHESES,
    REFERENCES,
    assert_additive,
    assert_equals_sacrebleu,
    corpora,
    read,
    statistics,
    system,
)

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("bleu", {}),
    ("bleu(tokenize=intl)", {"tokenize": "intl"}),
    ("bleu(tokenize=zh)", {"tokenize": "zh"}),
    ("bleu(tokenize=char)", {"tokenize": "char"}),
    ("bleu(tokenize=none)", {"tokenize": "none"}),
    ("bleu(lowercase=yes)", {"lowercase": True}),
    ("bleu(smooth=none)", {"smooth_method": "none"}),
    ("bleu(smooth=floor)", {"smooth_method": "floor"}),
    ("bleu(smooth=floor,smooth_value=.01)", {"smooth_method": "floor", "smooth_value": 0.01}),
    ("bleu(smooth=add-k)", {"smooth_method": "add-k"}),
    ("bleu(smooth=add-k,smooth_value=2)", {"smooth_method": "add-k", "smooth_value": 2}),
    ("bleu(max_ngram=2)", {"max_ngram_order": 2}),
    ("bleu(max_ngram=6,effective_order=yes)", {"max_ngram_order": 6, "effective_order": True}),
]


@pytest.mark.parametrize(("spec", "options"), SETTINGS)
@given(corpus=corpora)
@settings(max_examples=40, deadline=None)
def test_equals_sacrebleu(
    spec: str, options: dict[str, Any], corpus: tuple[list[str], list[list[str]]]
) -> None:
    by_sentence = BLEU(force=True, **{**options, "effective_order": True})
    assert_equals_sacrebleu(spec, BLEU(force=True, **options), corpus, by_sentence)


@pytest.mark.shared
@pytest.mark.parametrize("spec", [SETTINGS[0], SETTINGS[1], SETTINGS[5]])
def test_equals_sacrebleu_on_news(shared_data: Path, spec: tuple[str, dict[str, Any]]) -> None:
    folder = shared_data / "wmt12" / "de-en"
    reference = read(folder / "ref.txt")
    hypotheses = read(folder / "systems" / "UG-WMT12.txt")
    rows = statistics(metric(spec[0]), hypotheses, [reference])
    theirs = BLEU(force=True, **spec[1])
    np.testing.assert_array_equal(rows, theirs._extract_corpus_statistics(hypotheses, [reference]))
    assert metric(spec[0]).score(rows.sum(axis=0)) == pytest.approx(
        theirs.corpus_score(hypotheses, [reference]).score, abs=1e-9
    )


@pytest.mark.shared
def test_equals_sacrebleu_with_two_references(shared_data: Path) -> None:
    folder = shared_data / "ted-mqm" / "zh-en"
    references = [read(path) for path in sorted(folder.glob("ref_*.txt"))]
    assert len(references) == 2
    hypotheses = read(sorted((folder / "systems").glob("*.txt"))[0])
    assert system(Bleu(), hypotheses, references) == pytest.approx(
        BLEU(force=True).corpus_score(hypotheses, references).score, abs=1e-9
    )


def test_additive() -> None:
    assert_additive(Bleu(), HYPOTHESES, REFERENCES)


def test_identical_text_is_perfect() -> None:
    for lines in REFERENCES:
        rows = statistics(Bleu(), lines, REFERENCES)
        assert Bleu().score(rows.sum(axis=0)) == pytest.approx(100)
        np.testing.assert_allclose(Bleu().segment_score(rows), 100)


def test_empty_lines() -> None:
    rows = statistics(Bleu(), ["", "a b c d", ""], [["a b", "", ""]])
    np.testing.assert_array_equal(Bleu().segment_score(rows), 0)
    assert Bleu().score(rows.sum(axis=0)) == 0


def test_scores_any_leading_shape() -> None:
    rows = statistics(Bleu(), HYPOTHESES, REFERENCES)
    stacked = np.stack([rows, rows[::-1]])
    assert Bleu().score(stacked).shape == (2, len(HYPOTHESES))
    np.testing.assert_array_equal(Bleu().score(stacked)[1], Bleu().score(rows)[::-1])


def test_tokeniser_follows_the_language_and_stands_in_the_signature() -> None:
    assert system(Bleu(), ["猫坐在垫子上"], [["猫坐在垫子上面"]], lang="zh") > 50
    assert "|tok:zh|" in str(Bleu().signature("zh"))
    assert str(metric("bleu(tokenize=intl,lowercase=yes)")) == "bleu(tokenize=intl,lowercase=yes)"


@pytest.mark.skipif(find_spec("MeCab") is not None, reason="MeCab is installed")
def test_missing_tokeniser_says_how_to_install_it() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'sacrebleu\[ja\]'"):
        system(Bleu(), ["猫"], [["猫"]], lang="ja")


@pytest.mark.parametrize(
    "spec",
    [
        "bleu(max_ngram=0)",
        "bleu(smooth_value=1)",
        "bleu(smooth=floor,smooth_value=-1)",
        "bleu(tokenize=moses)",
    ],
)
def test_wrong_parameters(spec: str) -> None:
    with pytest.raises(MetricError):
        metric(spec)
