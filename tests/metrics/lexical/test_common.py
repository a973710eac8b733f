"""Promises of all lexical metrics: additive rows, perfect scores, empty lines, parameters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from albeit.errors import AlbeitError
from albeit.metrics.registry import metric
from tests.metrics.lexical.corpora import REFERENCES, assert_additive, corpora, statistics

PERFECT = {
    "bleu": 100.0,
    "chrf": 100.0,
    "chrf++": 100.0,
    "ter": 0.0,
    "terp-a(table=none)": 0.0,
    "rouge-l": 1.0,
    "rouge-w": 1.0,
    "rouge-l(stem=yes)": 1.0,
    "meteor": 1.0,
}


@pytest.mark.parametrize("name", [*PERFECT, "nist", "rouge-w(variant=script)"])
@given(corpus=corpora)
@settings(max_examples=20, deadline=None)
def test_rows_are_additive(name: str, corpus: tuple[list[str], list[list[str]]]) -> None:
    assert_additive(metric(name), *corpus)


@pytest.mark.parametrize(("name", "score"), PERFECT.items())
def test_a_reference_has_the_perfect_score(name: str, score: float) -> None:
    for lines in REFERENCES:
        rows = statistics(metric(name), lines, REFERENCES)
        np.testing.assert_allclose(metric(name).segment_score(rows), score)
        assert metric(name).score(rows.sum(axis=0)) == pytest.approx(score)


@pytest.mark.parametrize("name", [*PERFECT, "nist", "rouge-w(variant=script)"])
def test_empty_lines(name: str) -> None:
    rows = statistics(metric(name), ["", "a b c d", ""], [["a b", "", ""]])
    expected = [100, 100, 0] if name.startswith("ter") else [0, 0, 0]
    np.testing.assert_allclose(metric(name).segment_score(rows), expected)


@pytest.mark.parametrize(
    "spec",
    [
        *("bleu(max_ngram=0)", "bleu(smooth_value=1)", "bleu(smooth=floor,smooth_value=-1)"),
        *("bleu(tokenize=moses)", "chrf(char_order=0)", "chrf(beta=0)", "chrf(word_order=-1)"),
        *("nist(max_ngram=0)", "rouge-l(beta=0)", "rouge-w(weight=.5)", "rouge-w(variant=x)"),
        "meteor(norm=moses)",
    ],
)
def test_wrong_parameters(spec: str) -> None:
    with pytest.raises(AlbeitError):
        metric(spec)
