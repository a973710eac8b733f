"""The syntactic metrics on a hand-annotated pair."""

from __future__ import annotations

import pytest

from albeit.errors import MetricError
from albeit.metrics.registry import metric
from albeit.parsing.layers import CONSTITUENTS, DEPENDENCIES, TOKENS
from albeit.parsing.needs import compared
from tests.metrics.linguistic.analyses import EMPTY, HYP, REF, VERBLESS, score

ALL = ["cp-stm", "cp-oc", "cp-op", "dp-hwcm-w", "dp-hwcm-c", "dp-hwcm-r", "dp-or", "dp-oc", "dp-ol"]


@pytest.mark.parametrize("name", ALL)
def test_identical_is_one_empty_is_zero_and_the_best_reference_counts(name: str) -> None:
    assert score(name, REF, REF) == pytest.approx(1)
    assert score(name, EMPTY, REF) == 0
    assert 0 < score(name, HYP, REF) <= 1
    assert score(name, HYP, REF, HYP) == pytest.approx(1)


def test_head_word_chains_by_hand() -> None:
    # categories: length 1: 4 of 4; 2: DET<NOUN, NOUN<VERB twice: 3 of 3; 3: 1 of 1; 4: none.
    assert score("dp-hwcm-c", HYP, REF) == pytest.approx(1)
    # words: 1: the, bank, money of 4; 2: the<bank of 3; 3: none of 1.
    assert score("dp-hwcm-w", HYP, REF) == pytest.approx((3 / 4 + 1 / 3 + 0) / 3)
    assert score("dp-hwcm-w(length=2,single=yes)", HYP, REF) == pytest.approx(1 / 3)
    # relations ignore subtypes: nsubj:pass is nsubj.
    assert score("dp-hwcm-r", HYP, REF) == pytest.approx(1)


def test_words_by_relation() -> None:
    # root rules all words: the, bank, money; nsubj: the, bank; det: the; obj: money.
    hits = 3 + 2 + 1 + 1
    total = (4 + 2 + 1 + 1) + (5 + 2 + 1 + 1 + 1) - hits
    assert score("dp-or", HYP, REF) == pytest.approx(hits / total)
    assert score("dp-or(nsubj)", HYP, REF) == pytest.approx(1)
    assert score("dp-or(scope=head)", HYP, REF) == pytest.approx(3 / 6)


def test_subtrees_by_hand() -> None:
    # depth 1: 9 labels of the hypothesis, all in the reference but one NN too many? DT NN VBD
    # NN NP NP VP S: 8 of 8. depth 2: NP(DT NN), NP(NN) match, VP(VBD NP), S(NP VP): S matches.
    assert score("cp-stm(depth=1)", HYP, REF) == pytest.approx(1)
    assert score("cp-stm(depth=2)", HYP, REF) == pytest.approx((1 + 3 / 4) / 2)
    assert score("cp-stm(depth=2,single=yes)", HYP, REF) == pytest.approx(3 / 4)


def test_words_by_phrase() -> None:
    assert score("cp-oc(VP)", HYP, REF) == pytest.approx(1 / 4)
    assert score("cp-op(NN)", HYP, REF) == pytest.approx(1)


def test_layers_and_bad_parameters() -> None:
    assert metric("cp-stm").needs == compared(TOKENS, CONSTITUENTS)
    assert metric("dp-or").needs == compared(TOKENS, DEPENDENCIES)
    for spec in ("cp-stm(depth=0)", "dp-hwcm-c(length=10)", "dp-or(scope=tree)"):
        with pytest.raises(MetricError):
            metric(spec)


def test_other_shapes_do_not_crash() -> None:
    for name in ALL:
        assert 0 <= score(name, VERBLESS, REF) <= 1
