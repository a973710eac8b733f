"""Random analyses with real structure, for round trips."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from albeit.parsing.layers import (
    CONNECTIVES,
    CONSTITUENTS,
    DEPENDENCIES,
    EDUS,
    ENTITIES,
    ROLES,
    RST,
    SENTENCES,
    TOKENS,
    VECTORS,
    Analysis,
    AnyLayer,
    Connective,
    Constituent,
    Dependencies,
    Entity,
    Predicate,
    RstNode,
    Tokens,
    Vectors,
)
from albeit.parsing.tokenize import join_forms

WORDS = st.sampled_from(["a", "the", "Étude", "(", ")", "n't", "&amp;", "<", '"', "5.5", "…", "日"])
LABELS = st.sampled_from(["joint", "elaboration", "same-unit", "causal-cause"])
POS = st.sampled_from(["NN", "VB", ",", "-LRB-"])


def without(analysis: Analysis, *dropped: AnyLayer) -> Analysis:
    """The analysis without some layers."""
    kept = {layer: analysis[layer] for layer in analysis if layer not in dropped}
    return Analysis(analysis.text, kept)


@st.composite
def rst(draw: st.DrawFn, first: int, last: int) -> RstNode:
    if first == last:
        return RstNode(first, last)
    split = draw(st.integers(first, last - 1))
    return RstNode(
        first,
        last,
        draw(st.sampled_from(["NS", "SN", "NN"])),
        draw(LABELS),
        draw(rst(first, split)),
        draw(rst(split + 1, last)),
    )


@st.composite
def constituent(draw: st.DrawFn, start: int, stop: int, depth: int = 0) -> Constituent:
    label = draw(st.sampled_from(["S", "NP", "VP"]))
    if stop - start == 1 and (depth > 3 or draw(st.booleans())):
        return Constituent(draw(POS), start, stop)
    if stop - start == 1:
        return Constituent(label, start, stop, (draw(constituent(start, stop, depth + 1)),))
    cuts = draw(cut_points(start, stop))
    if len(cuts) == 2:
        cuts = [start, stop - 1, stop]
    kids = [draw(constituent(a, b, depth + 1)) for a, b in pairwise(cuts)]
    return Constituent(label, start, stop, tuple(kids))


@st.composite
def cut_points(draw: st.DrawFn, start: int, stop: int) -> list[int]:
    inside = (
        draw(st.sets(st.integers(start + 1, stop - 1), max_size=4)) if stop - start > 1 else set()
    )
    return [start, *sorted(inside), stop]


@st.composite
def spans(draw: st.DrawFn, size: int) -> tuple[tuple[int, int], ...]:
    if not size:
        return ()
    cuts = draw(cut_points(0, size))
    return tuple(pairwise(cuts))


@st.composite
def analyses(draw: st.DrawFn, *, spaced: bool = False, least: int = 0) -> Analysis:
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
        tokens = Tokens(tuple(forms), tuple(offsets))
    size = len(forms)
    sentences = draw(spans(size))
    edus = draw(spans(size))
    heads = [-1] * size
    for a, b in sentences:
        for i in range(a + 1, b):
            heads[i] = draw(st.integers(a, i - 1))
    return Analysis(
        text,
        {
            TOKENS: tokens,
            SENTENCES: sentences,
            EDUS: edus,
            RST: draw(rst(0, len(edus) - 1)) if edus else None,
            DEPENDENCIES: Dependencies(("NOUN",) * size, tuple(heads), ("dep",) * size),
            CONSTITUENTS: tuple(draw(constituent(a, b)) for a, b in sentences),
            ROLES: tuple(Predicate(i, (("ARG0", 0, i + 1),)) for i in range(min(size, 2))),
            CONNECTIVES: tuple(Connective((i,), "Contingency.Cause") for i in range(min(size, 1))),
            ENTITIES: tuple(Entity("person", i, i + 1) for i in range(min(size, 1))),
            VECTORS: Vectors(np.full((size, 2), 0.5, np.float32), np.arange(size, dtype=np.int32)),
        },
    )
