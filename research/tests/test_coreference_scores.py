"""Coreference measures, worked by hand."""

import pytest

from training.corpora.documents import Mention
from training.evaluate.coreference import Coreference, Score, clusters, head_keys


def sets(*groups: str) -> list[frozenset[object]]:
    return [frozenset(group) for group in groups]


def test_measures_by_hand() -> None:
    # gold abc, de; the answer cuts the first and joins its rest to the second: ab, cde
    score = Score()
    score.add(sets("ab", "cde"), sets("abc", "de"))
    # links: abc lies in two parts, de in one: (1 + 1) of (2 + 1); the other way round alike
    assert score.muc.recall == pytest.approx(100 * 2 / 3)
    assert score.muc.precision == pytest.approx(100 * 2 / 3)
    # a, b: 2/3, c: 1/3, d, e: 1; a, b: 1, c: 1/3, d, e: 2/3
    assert score.b3.recall == pytest.approx(100 * (2 / 3 + 2 / 3 + 1 / 3 + 2) / 5)
    assert score.b3.precision == pytest.approx(100 * (2 + 1 / 3 + 4 / 3) / 5)
    # abc with ab: 4/5, de with cde: 4/5
    assert score.ceaf.recall == pytest.approx(80)
    assert score.ceaf.precision == pytest.approx(80)
    assert score.mean == pytest.approx((200 / 3 + 100 * 11 / 15 + 80) / 3)


def test_missing_and_spurious_mentions() -> None:
    score = Score()
    score.add(sets("ab", "xy"), sets("abc"))
    # recall: c is a part of its own: 1 of 2 links; precision: 1 of 2
    assert score.muc.recall == 50
    assert score.muc.precision == 50
    assert score.b3.recall == pytest.approx(100 * (2 / 3 + 2 / 3 + 0) / 3)
    assert score.b3.precision == 50
    # ab with abc: 4/5, of one gold entity and two found
    assert score.ceaf.recall == 80
    assert score.ceaf.precision == 40


def test_documents_are_summed() -> None:
    score = Score()
    score.add(sets("ab"), sets("ab"))
    score.add([], sets("cdef"))
    assert score.muc.recall == pytest.approx(100 * 1 / 4)
    assert score.muc.precision == 100
    assert score.ceaf.recall == 50


def test_an_empty_answer_scores_nothing() -> None:
    score = Score()
    score.add([], sets("ab"))
    assert score.mean == 0


def test_singletons_are_left_out_of_both_sides() -> None:
    mentions = [("a", 1), ("b", 1), ("c", 2)]
    assert clusters(mentions, singletons=False) == [frozenset("ab")]
    assert clusters(mentions, singletons=True) == [frozenset("ab"), frozenset("c")]


def test_heads_pair_once_and_by_overlap() -> None:
    gold = [Mention(0, 5, 0, 1), Mention(0, 1, 0, 2)]
    predicted = [Mention(0, 1, 0, 7), Mention(0, 4, 0, 8), Mention(0, 2, 0, 9)]
    mine, theirs = head_keys(predicted, gold)
    assert mine[0] == theirs[1]
    assert mine[1] == theirs[0]
    assert mine[2] not in theirs


def test_exact_words_and_heads_differ() -> None:
    gold = [Mention(0, 3, 1, 1), Mention(5, 6, 5, 1)]
    predicted = [Mention(1, 3, 1, 1), Mention(5, 6, 5, 1)]
    score = Coreference()
    score.add(predicted, gold)
    found = score.figures()
    assert found["heads_mean"] == 100
    assert found["exact_muc"] == 0
    assert found["exact_b3"] == pytest.approx(25)
