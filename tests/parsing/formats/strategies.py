"""Random analyses with real structure, for round trips."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from albeit.parsing import layers
from albeit.parsing.tokenize import join_forms

WORDS = st.sampled_from(["a", "the", "Étude", "(", ")", "n't", "&amp;", "<", '"', "5.5", "…", "日"])
LABELS = st.sampled_from(["joint", "elaboration", "same-unit", "causal-cause"])
NONE: st.SearchStrategy[set[int]] = st.just(set())
POS = st.sampled_from(["NN", "VB", ",", "-LRB-"])


def without(analysis: layers.Analysis, *dropped: layers.AnyLayer) -> layers.Analysis:
    """The analysis without some layers."""
    kept = {layer: analysis[layer] for layer in analysis if layer not in dropped}
    return layers.Analysis(analysis.text, kept)


@st.composite
def rst(draw: st.DrawFn, first: int, last: int) -> layers.RstNode:
    if first == last:
        return layers.RstNode(first, last)
    split = draw(st.integers(first, last - 1))
    nuclearity: Any = draw(st.sampled_from(["NS", "SN", "NN"]))
    children = draw(rst(first, split)), draw(rst(split + 1, last))
    return layers.RstNode(first, last, nuclearity, draw(LABELS), *children)


@st.composite
def constituent(draw: st.DrawFn, start: int, stop: int, depth: int = 0) -> layers.Constituent:
    if stop - start == 1 and (depth > 3 or draw(st.booleans())):
        return layers.Constituent(draw(POS), start, stop)
    parts = draw(spans(start, stop))
    if len(parts) == 1 and stop - start > 1:
        parts = ((start, stop - 1), (stop - 1, stop))
    children = tuple(draw(constituent(a, b, depth + 1)) for a, b in parts)
    return layers.Constituent(draw(st.sampled_from(["S", "NP", "VP"])), start, stop, children)


@st.composite
def spans(draw: st.DrawFn, start: int, stop: int) -> tuple[tuple[int, int], ...]:
    """Spans that cover some words."""
    inside = st.sets(st.integers(start + 1, stop - 1), max_size=4) if stop > start + 1 else NONE
    return tuple(pairwise([start, *sorted(draw(inside)), stop])) if stop > start else ()


@st.composite
def analyses(draw: st.DrawFn, *, spaced: bool = False, least: int = 0) -> layers.Analysis:
    """Any analysis; ``spaced`` puts odd white space around the words."""
    forms = draw(st.lists(WORDS, min_size=least, max_size=10))
    text, tokens = join_forms(forms)
    if spaced:
        text, offsets = "", []
        for form in forms:
            text += draw(st.sampled_from(["", " ", "  ", "\t", "\u00a0"]))
            offsets.append((len(text), len(text) + len(form)))
            text += form
        text += draw(st.sampled_from(["", " ", "  "])) if forms else ""
        tokens = layers.Tokens(tuple(forms), tuple(offsets))
    size = len(forms)
    sentences, edus = draw(spans(0, size)), draw(spans(0, size))
    heads = [-1] * size
    for a, b in sentences:
        heads[a + 1 : b] = [draw(st.integers(a, i - 1)) for i in range(a + 1, b)]
    first, two = range(min(size, 1)), range(min(size, 2))
    rows, words = np.full((size, 2), 0.5, np.float32), np.arange(size, dtype=np.int32)
    trees = tuple(draw(constituent(a, b)) for a, b in sentences)
    values: dict[layers.AnyLayer, Any] = {
        layers.TOKENS: tokens,
        layers.SENTENCES: sentences,
        layers.EDUS: edus,
        layers.RST: draw(rst(0, len(edus) - 1)) if edus else None,
        layers.DEPENDENCIES: layers.Dependencies(("NOUN",) * size, tuple(heads), ("dep",) * size),
        layers.CONSTITUENTS: trees,
        layers.ROLES: tuple(layers.Predicate(i, (("ARG0", 0, i + 1),)) for i in two),
        layers.CONNECTIVES: tuple(layers.Connective((i,), "Contingency.Cause") for i in first),
        layers.ENTITIES: tuple(layers.Entity("person", i, i + 1) for i in first),
        layers.VECTORS: layers.Vectors(rows, words),
    }
    return layers.Analysis(text, values)
