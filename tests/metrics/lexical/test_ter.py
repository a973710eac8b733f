from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.ter import TER

from albeit.metrics.lexical.ter import Ter
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
    ("ter", {}),
    ("ter(normalized=yes)", {"normalized": True}),
    ("ter(no_punct=yes)", {"no_punct": True}),
    ("ter(normalized=yes,asian_support=yes)", {"normalized": True, "asian_support": True}),
    ("ter(case_sensitive=yes)", {"case_sensitive": True}),
]


@pytest.mark.parametrize(("spec", "options"), SETTINGS)
@given(corpus=corpora)
@settings(max_examples=40, deadline=None)
def test_equals_sacrebleu(
    spec: str, options: dict[str, Any], corpus: tuple[list[str], list[list[str]]]
) -> None:
    assert_equals_sacrebleu(spec, TER(**options), corpus)


@given(words=st.lists(st.sampled_from("abcdefghij"), max_size=40), seed=st.randoms())
@settings(max_examples=60, deadline=None)
def test_equals_sacrebleu_where_words_move(words: list[str], seed: Any) -> None:
    """Shuffled and repeated words: many shifts, up to the limit on candidates."""
    moved = list(words)
    seed.shuffle(moved)
    hypothesis, reference = " ".join(moved), " ".join(words)
    expected = TER()._extract_corpus_statistics([hypothesis], [[reference]])
    np.testing.assert_array_equal(statistics(Ter(), [hypothesis], [[reference]]), expected)


@pytest.mark.parametrize(
    ("n", "m"), [(1, 120), (120, 1), (40, 90), (90, 40), (3, 200), (200, 3), (60, 60)]
)
def test_equals_sacrebleu_at_the_edge_of_the_beam(n: int, m: int) -> None:
    draw = np.random.default_rng(n * 1000 + m)
    hypothesis = " ".join(draw.choice(list("abcdefgh"), n))
    reference = " ".join(draw.choice(list("abcdefghxyz"), m))
    expected = TER()._extract_corpus_statistics([hypothesis], [[reference]])
    np.testing.assert_array_equal(statistics(Ter(), [hypothesis], [[reference]]), expected)


@pytest.mark.shared
@pytest.mark.parametrize("spec", SETTINGS[:3])
def test_equals_sacrebleu_on_news(shared_data: Path, spec: tuple[str, dict[str, Any]]) -> None:
    folder = shared_data / "wmt12" / "de-en"
    reference = read(folder / "ref.txt", 60)
    hypotheses = read(folder / "systems" / "UG-WMT12.txt", 60)
    expected = TER(**spec[1])._extract_corpus_statistics(hypotheses, [reference])
    np.testing.assert_array_equal(statistics(metric(spec[0]), hypotheses, [reference]), expected)


def test_references_are_tokenised_twice_as_in_sacrebleu() -> None:
    hypotheses, references = ["At Sotheby's, he bid."], [["At Sotheby's, he bid."]]
    ours = statistics(Ter(normalized=True), hypotheses, references)
    expected = TER(normalized=True)._extract_corpus_statistics(hypotheses, references)
    np.testing.assert_array_equal(ours, expected)
    np.testing.assert_array_equal(ours, [[2, 7]])


def test_additive() -> None:
    assert_additive(Ter(), HYPOTHESES, REFERENCES)


def test_identical_text_needs_no_edit() -> None:
    for lines in REFERENCES:
        assert system(Ter(), lines, REFERENCES) == 0


def test_empty_lines() -> None:
    rows = statistics(Ter(), ["", "a b", ""], [["a b", "", ""]])
    np.testing.assert_array_equal(Ter().segment_score(rows), [100, 100, 0])
