from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sacrebleu.metrics.chrf import CHRF

from albeit.errors import MetricError
from albeit.metrics.lexical.chrf import Chrf, ChrfPlusPlus
from albeit.metrics.registry import metric
from tests.metrics.lexical.corpora import (
    HYPOTHESES,
    REFERENCES,
    assert_additive,
    assert_equals_sacrebleu,
    corpora,
    read,
    statistics,
)

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("chrf", {}),
    ("chrf++", {"word_order": 2}),
    ("chrf(beta=3,char_order=4)", {"beta": 3, "char_order": 4}),
    ("chrf(lowercase=yes,whitespace=yes)", {"lowercase": True, "whitespace": True}),
    ("chrf(eps_smoothing=yes)", {"eps_smoothing": True}),
    ("chrf++(lowercase=yes)", {"word_order": 2, "lowercase": True}),
]


@pytest.mark.parametrize(("spec", "options"), SETTINGS)
@given(corpus=corpora)
@settings(max_examples=40, deadline=None)
def test_equals_sacrebleu(
    spec: str, options: dict[str, Any], corpus: tuple[list[str], list[list[str]]]
) -> None:
    assert_equals_sacrebleu(spec, CHRF(**options), corpus)


@pytest.mark.shared
@pytest.mark.parametrize("spec", SETTINGS[:2])
def test_equals_sacrebleu_on_news(shared_data: Path, spec: tuple[str, dict[str, Any]]) -> None:
    folder = shared_data / "wmt12" / "de-en"
    reference = read(folder / "ref.txt", 600)
    hypotheses = read(folder / "systems" / "onlineB.txt", 600)
    rows = statistics(metric(spec[0]), hypotheses, [reference])
    expected = CHRF(**spec[1])._extract_corpus_statistics(hypotheses, [reference])
    np.testing.assert_array_equal(rows, expected)


def test_additive() -> None:
    assert_additive(ChrfPlusPlus(), HYPOTHESES, REFERENCES)


def test_identical_text_is_perfect() -> None:
    for lines in REFERENCES:
        for ours in (Chrf(), ChrfPlusPlus()):
            rows = statistics(ours, lines, REFERENCES)
            np.testing.assert_allclose(ours.segment_score(rows), 100)
            assert ours.score(rows.sum(axis=0)) == pytest.approx(100)


def test_empty_lines() -> None:
    rows = statistics(Chrf(), ["", "ab", ""], [["ab", "", ""]])
    np.testing.assert_array_equal(Chrf().segment_score(rows), 0)


@pytest.mark.parametrize("spec", ["chrf(char_order=0)", "chrf(beta=0)", "chrf(word_order=-1)"])
def test_wrong_parameters(spec: str) -> None:
    with pytest.raises(MetricError):
        metric(spec)
