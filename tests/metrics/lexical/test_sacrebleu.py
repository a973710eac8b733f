"""BLEU, chrF, and TER equal sacreBLEU: statistics of segments, and scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from sacrebleu.tokenizers import tokenizer_13a

from albeit.metrics.lexical.ter import Ter
from albeit.metrics.lexical.tokenizers import tokenizer
from albeit.metrics.registry import metric
from tests.metrics.lexical.corpora import corpora, statistics

Tokenizer13a: Any = tokenizer_13a.Tokenizer13a
Spec = tuple[str, dict[str, Any]]
SPECS: list[Spec] = [
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
    ("chrf", {}),
    ("chrf++", {"word_order": 2}),
    ("chrf(beta=3,char_order=4)", {"beta": 3, "char_order": 4}),
    ("chrf(lowercase=yes,whitespace=yes)", {"lowercase": True, "whitespace": True}),
    ("chrf(eps_smoothing=yes)", {"eps_smoothing": True}),
    ("chrf++(lowercase=yes)", {"word_order": 2, "lowercase": True}),
    ("ter", {}),
    ("ter(normalized=yes)", {"normalized": True}),
    ("ter(no_punct=yes)", {"no_punct": True}),
    ("ter(normalized=yes,asian_support=yes)", {"normalized": True, "asian_support": True}),
    ("ter(case_sensitive=yes)", {"case_sensitive": True}),
]


def original(name: str, options: dict[str, Any], *, by_segment: bool = False) -> Any:
    if name.startswith("bleu"):
        return BLEU(force=True, **(options | {"effective_order": True} if by_segment else options))
    return (CHRF if name.startswith("chrf") else TER)(**options)


@pytest.mark.parametrize("spec", SPECS)
@given(corpus=corpora)
@settings(max_examples=40, deadline=None)
def test_scores(spec: Spec, corpus: tuple[list[str], list[list[str]]]) -> None:
    hypotheses, references = corpus
    ours, theirs = metric(spec[0]), original(*spec)
    rows = statistics(ours, hypotheses, references)
    np.testing.assert_array_equal(rows, theirs._extract_corpus_statistics(hypotheses, references))
    whole = theirs.corpus_score(hypotheses, references).score
    assert ours.score(rows.sum(axis=0)) == pytest.approx(whole, abs=1e-9)
    sentences = original(*spec, by_segment=True)
    segments = [
        sentences.sentence_score(line, [r[i] for r in references]).score
        for i, line in enumerate(hypotheses)
    ]
    np.testing.assert_allclose(ours.segment_score(rows), segments, atol=1e-9)


def ter_equals(hypothesis: str, reference: str, **options: Any) -> None:
    expected = TER(**options)._extract_corpus_statistics([hypothesis], [[reference]])
    rows = statistics(Ter(**options), [hypothesis], [[reference]])
    np.testing.assert_array_equal(rows, expected)


@given(words=st.lists(st.sampled_from("abcdefghij"), max_size=40), seed=st.randoms())
@settings(max_examples=60, deadline=None)
def test_ter_if_words_move(words: list[str], seed: Any) -> None:
    """Shuffled and repeated words: many shifts, up to the limit on candidates."""
    moved = list(words)
    seed.shuffle(moved)
    ter_equals(" ".join(moved), " ".join(words))


@pytest.mark.parametrize(
    ("n", "m"), [(1, 120), (120, 1), (40, 90), (90, 40), (3, 200), (200, 3), (60, 60)]
)
def test_ter_at_the_edge_of_the_beam(n: int, m: int) -> None:
    draw = np.random.default_rng(n * 1000 + m)
    ter_equals(" ".join(draw.choice([*"abcdefgh"], n)), " ".join(draw.choice([*"abcdefghxyz"], m)))


def test_ter_tokenizes_references_twice() -> None:
    ter_equals("At Sotheby's, he bid.", "At Sotheby's, he bid.", normalized=True)


marks = st.text(st.sampled_from("ab19 .,-'\"&;<>()[]{}|~^_`!#$%*+:=?@/\\é\n\t\xa0"), max_size=40)
lines = st.one_of(st.text(max_size=40), marks, st.lists(marks).map("&quot;".join))


@given(line=lines)
@settings(max_examples=500, deadline=None)
def test_tokenizer_13a(line: str) -> None:
    assert tokenizer("13a")(line).split() == Tokenizer13a()(line).split()
