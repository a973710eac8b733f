"""The linguistic families on hand-annotated pairs, and their overlap by property."""

from __future__ import annotations

import warnings
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit import EvalSet, metric
from albeit.errors import AlbeitWarning, MetricError
from albeit.metrics.syntax import overlap
from albeit.parsing import layers
from albeit.parsing.formats.treebanks import read_ptb
from tests.metrics.documents import segment
from tests.metrics.documents import segment_score as score


def analysis(text: str, words: str, brackets: str, *roles: layers.Predicate) -> layers.Analysis:
    """A segment with dependencies as ``UPOS/head/relation``, one for each word."""
    rows = [row.split("/") for row in words.split()]
    tags, heads, relations = zip(*rows, strict=True) if rows else ((), (), ())
    found = layers.Dependencies(tags, tuple(map(int, heads)), relations)
    values: dict[layers.AnyLayer, object] = {layers.DEPENDENCIES: found, layers.ROLES: roles}
    values[layers.CONSTITUENTS] = read_ptb(brackets)[0][layers.CONSTITUENTS] if brackets else ()
    return segment(text, values)


REF = analysis(
    "The bank lent her money",
    "DET/1/det NOUN/2/nsubj VERB/-1/root PRON/2/iobj NOUN/2/obj",
    "(S (NP (DT The) (NN bank)) (VP (VBD lent) (NP (PRP her)) (NP (NN money))))",
    layers.Predicate(2, (("ARG0", 0, 2), ("ARG2", 3, 4), ("ARG1", 4, 5))),
)
HYP = analysis(
    "the bank gave money",
    "DET/1/det NOUN/2/nsubj:pass VERB/-1/root NOUN/2/obj",
    "(S (NP (DT the) (NN bank)) (VP (VBD gave) (NP (NN money))))",
    layers.Predicate(2, (("ARG0", 0, 2), ("ARG1", 3, 4))),
)
VERBLESS = analysis("bank money", "NOUN/1/compound NOUN/-1/root", "(NP (NN bank) (NN money))")
EMPTY = analysis("", "", "")


def entities(text: str, *found: layers.Entity) -> layers.Analysis:
    return segment(text, {layers.ENTITIES: found})


SAME = layers.Entity("person", 3, 4), layers.Entity("place", 5, 6)
MERKEL = entities("Angela Merkel met Putin in Berlin", layers.Entity("person", 0, 2), *SAME)
BERLIN = entities("Merkel has met Putin in berlin", layers.Entity("person", 0, 1), *SAME)
NAMELESS = entities("She met him in Berlin")

SYNTAX = (
    *("cp-stm", "cp-oc", "cp-op", "dp-hwcm-w", "dp-hwcm-c", "dp-hwcm-r"),
    *("dp-or", "dp-oc", "dp-ol"),
)


@pytest.mark.parametrize("name", [*SYNTAX, "drs-or", "drs-orp", "drs-stm"])
def test_identical_is_one_empty_is_zero_and_the_best_reference_counts(name: str) -> None:
    assert score(name, REF, REF) == pytest.approx(1)
    assert score(name, EMPTY, REF) == 0
    assert 0 < score(name, HYP, REF) <= 1
    assert score(name, HYP, REF, HYP) == pytest.approx(1)
    assert 0 <= score(name, VERBLESS, REF) <= 1


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        # categories: length 1: 4 of 4; 2: DET<NOUN, NOUN<VERB twice: 3 of 3; 3: 1 of 1; 4: none
        ("dp-hwcm-c", 1),
        # words: 1: the, bank, money of 4; 2: the<bank of 3; 3: none of 1
        ("dp-hwcm-w", (3 / 4 + 1 / 3 + 0) / 3),
        ("dp-hwcm-w(length=2,single=yes)", 1 / 3),
        ("dp-hwcm-r", 1),  # nsubj:pass is nsubj
        # under root: the, bank, money; nsubj: the, bank; det: the; obj: money
        ("dp-or", 7 / ((4 + 2 + 1 + 1) + (5 + 2 + 1 + 1 + 1) - 7)),
        # depth 1: 8 of 8 labels; 2: NP(DT NN), NP(NN), S(NP VP) match, VP(VBD NP) doesn't
        ("cp-stm(depth=1)", 1),
        ("cp-stm(depth=2)", (1 + 3 / 4) / 2),
        ("cp-oc(VP)", 1 / 4),
        ("cp-op(NN)", 1),
        ("sr-or", 2 / 3),
        ("sr-or(*)", 3 / 4),
        ("sr-mr", 2 / 3),
        ("SR-Mr(ARG0)", 1),
        ("sr-or(ARG2)", 0),
        # events: gave against lent; entities: bank, money against bank, her, money
        ("drs-or(event)", 0),
        ("drs-orp(event)", 1),
        ("drs-or(entity)", 2 / 3),
        ("ne-oe", 3 / 4),
        ("NE-Oe(person)", 2 / 3),
        ("ne-oe(event)", 0),
        ("ne-me", 2 / 4),
        ("ne-me(place)", 1),
        # met and in on both sides, has on one; Merkel, Putin, Berlin on both, Angela on one
        ("ne-oe(**)", 5 / 7),
    ],
)
def test_by_hand(spec: str, expected: float) -> None:
    pair = (BERLIN, MERKEL) if spec.lower().startswith("ne-") else (HYP, REF)
    assert score(spec, *pair) == pytest.approx(expected)


def test_without_entities_or_predicates() -> None:
    assert score("ne-oe(**)", NAMELESS, NAMELESS) == 1
    assert score("sr-mr", EMPTY, EMPTY) == 0
    pairs = ("sr-or", VERBLESS, REF, 2 / 5), ("ne-me", NAMELESS, MERKEL, 3 / 8)
    for name, hypothesis, reference, lexical in pairs:
        assert score(name, hypothesis, reference) == 0
        backoff, mixed = (
            score(f"{name}(missing={how})", hypothesis, reference)
            for how in ("backoff", "interpolate")
        )
        assert (backoff, mixed) == pytest.approx((lexical, lexical / 2))


BAGS = st.lists(st.sampled_from("abcd")).map(Counter)


@given(BAGS, BAGS)
def test_overlap_is_symmetric_bounded_and_one_on_itself(a: Counter[str], b: Counter[str]) -> None:
    assert overlap(a, b) == pytest.approx(overlap(b, a))
    assert 0 <= overlap(a, b) <= 1
    assert overlap(a, a) == (1 if a else 0)
    slow = sum((a & b).values()) / max(1, sum((a | b).values()))
    assert overlap(a, b) == pytest.approx(slow)


@pytest.mark.parametrize("spec", ["sr-or", "cp-oc", "cp-op", "dp-or", "dp-oc", "ne-oe", "drs-or"])
def test_a_type_that_the_model_does_not_have_is_a_warning(spec: str) -> None:
    """Every segment would score 0."""
    evalset = EvalSet({"ref": ("a b",)}, {"system": ("a c",)}, target_lang="en")
    with pytest.warns(AlbeitWarning, match="model gives no 'persn', only"):
        metric(f"{spec}(persn)").check(evalset)
    known = "sr-or(*) sr-mr(ARGM-TMP) ne-oe(person) ne-oe(**) cp-oc(NP) cp-op(NN) dp-or(nsubj)"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for each in f"{spec} {known} dp-or(root) dp-oc(NOUN) dp-ol(3) drs-or(event)".split():
            metric(each).check(evalset)
    with pytest.raises(MetricError, match="type is a depth"):
        metric("dp-ol(deep)")
