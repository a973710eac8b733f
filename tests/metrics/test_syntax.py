"""The linguistic families on hand-annotated pairs, and their overlap by property."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.data.evalset import Document
from albeit.errors import MetricError
from albeit.metrics.base import Batch
from albeit.metrics.registry import metric
from albeit.metrics.syntax import depth_precision, overlap
from albeit.parsing.layers import (
    CONSTITUENTS,
    DEPENDENCIES,
    ENTITIES,
    ROLES,
    TOKENS,
    Analysis,
    Constituent,
    Dependencies,
    Entity,
    Predicate,
    Tokens,
)
from albeit.parsing.needs import compared


def phrase(label: str, *children: Constituent) -> Constituent:
    return Constituent(label, children[0].start, children[-1].stop, children)


def word(label: str, at: int) -> Constituent:
    return Constituent(label, at, at + 1)


def tokens(text: str) -> Tokens:
    forms = tuple(text.split())
    return Tokens(forms, tuple((0, 0) for _ in forms))


REF = Analysis(
    "The bank lent her money",
    {
        TOKENS: tokens("The bank lent her money"),
        DEPENDENCIES: Dependencies(
            ("DET", "NOUN", "VERB", "PRON", "NOUN"),
            (1, 2, -1, 2, 2),
            ("det", "nsubj", "root", "iobj", "obj"),
        ),
        CONSTITUENTS: (
            phrase(
                "S",
                phrase("NP", word("DT", 0), word("NN", 1)),
                phrase(
                    "VP", word("VBD", 2), phrase("NP", word("PRP", 3)), phrase("NP", word("NN", 4))
                ),
            ),
        ),
        ROLES: (Predicate(2, (("ARG0", 0, 2), ("ARG2", 3, 4), ("ARG1", 4, 5))),),
    },
)
HYP = Analysis(
    "the bank gave money",
    {
        TOKENS: tokens("the bank gave money"),
        DEPENDENCIES: Dependencies(
            ("DET", "NOUN", "VERB", "NOUN"), (1, 2, -1, 2), ("det", "nsubj:pass", "root", "obj")
        ),
        CONSTITUENTS: (
            phrase(
                "S",
                phrase("NP", word("DT", 0), word("NN", 1)),
                phrase("VP", word("VBD", 2), phrase("NP", word("NN", 3))),
            ),
        ),
        ROLES: (Predicate(2, (("ARG0", 0, 2), ("ARG1", 3, 4))),),
    },
)
VERBLESS = Analysis(
    "bank money",
    {
        TOKENS: tokens("bank money"),
        DEPENDENCIES: Dependencies(("NOUN", "NOUN"), (1, -1), ("compound", "root")),
        CONSTITUENTS: (phrase("NP", word("NN", 0), word("NN", 1)),),
        ROLES: (),
    },
)
EMPTY = Analysis(
    "", {TOKENS: tokens(""), DEPENDENCIES: Dependencies((), (), ()), CONSTITUENTS: (), ROLES: ()}
)


def entities(text: str, *found: Entity) -> Analysis:
    return Analysis(text, {TOKENS: tokens(text), ENTITIES: found})


MERKEL = entities(
    "Angela Merkel met Putin in Berlin",
    Entity("person", 0, 2),
    Entity("person", 3, 4),
    Entity("place", 5, 6),
)
BERLIN = entities(
    "Merkel has met Putin in berlin",
    Entity("person", 0, 1),
    Entity("person", 3, 4),
    Entity("place", 5, 6),
)
NAMELESS = entities("She met him in Berlin")


def score(spec: str, hypothesis: Analysis, *references: Analysis) -> float:
    """The segment score of one pair."""
    batch = Batch(
        [hypothesis.text],
        [[r.text] for r in references],
        None,
        [Document("d", 0, 1)],
        analyses={a.text: a for a in (hypothesis, *references)},
    )
    chosen = metric(spec)
    return float(chosen.segment_score(chosen.statistics(batch, None))[0])


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
        ("dp-or(nsubj)", 1),
        # depth 1: 8 of 8 labels; 2: NP(DT NN), NP(NN), S(NP VP) match, VP(VBD NP) doesn't
        ("cp-stm(depth=1)", 1),
        ("cp-stm(depth=2)", (1 + 3 / 4) / 2),
        ("cp-stm(depth=2,single=yes)", 3 / 4),
        ("cp-oc(VP)", 1 / 4),
        ("cp-op(NN)", 1),
        ("sr-or", 2 / 3),
        ("sr-or(*)", 3 / 4),
        ("sr-mr", 2 / 3),
        ("SR-Mr(ARG0)", 1),
        ("sr-or(ARG2)", 0),
        ("sr-or(missing=backoff)", 2 / 3),
        # events: gave against lent; entities: bank, money against bank, her, money
        ("drs-or(event)", 0),
        ("drs-orp(event)", 1),
        ("drs-or(entity)", 2 / 3),
    ],
)
def test_by_hand(spec: str, expected: float) -> None:
    assert score(spec, HYP, REF) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("ne-oe", 3 / 4),
        ("NE-Oe(person)", 2 / 3),
        ("ne-oe(place)", 1),
        ("ne-oe(event)", 0),
        ("ne-oe(missing=backoff)", 3 / 4),
        ("ne-me", 2 / 4),
        ("ne-me(place)", 1),
        # met and in on both sides, has on one; Merkel, Putin, Berlin on both, Angela on one
        ("ne-oe(**)", 5 / 7),
    ],
)
def test_entities_by_hand(spec: str, expected: float) -> None:
    assert score(spec, BERLIN, MERKEL) == pytest.approx(expected)


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


def test_layers_and_bad_parameters() -> None:
    assert metric("cp-stm").needs == compared(TOKENS, CONSTITUENTS)
    assert metric("dp-or").needs == compared(TOKENS, DEPENDENCIES)
    bad = "cp-stm(depth=0)", "dp-hwcm-c(length=10)", "drs-stm(depth=0)"
    for spec in bad:
        with pytest.raises(MetricError):
            metric(spec)


BAGS = st.lists(st.sampled_from("abcd")).map(Counter)


@given(BAGS, BAGS)
def test_overlap_is_symmetric_bounded_and_one_on_itself(a: Counter[str], b: Counter[str]) -> None:
    assert overlap(a, b) == pytest.approx(overlap(b, a))
    assert 0 <= overlap(a, b) <= 1
    assert overlap(a, a) == (1 if a else 0)
    slow = sum((a & b).values()) / max(1, sum((a | b).values()))
    assert overlap(a, b) == pytest.approx(slow)


def test_depths_are_averaged_and_clipped() -> None:
    hyp, ref = [Counter("aab"), Counter("xy")], [Counter("ab"), Counter("x")]
    assert depth_precision(hyp, ref) == pytest.approx((2 / 3 + 1 / 2) / 2)
    one, none = Counter("a"), Counter[str]()
    assert depth_precision([one, none], [one, one]) == pytest.approx(1 / 2)
    assert depth_precision([one, none], [one, none]) == 1
    assert depth_precision([none], [none]) == 0
