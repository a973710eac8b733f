"""Figures of parses and coreference, worked out by hand."""

from __future__ import annotations

import pytest

from training.corpora.documents import Mention
from training.evaluate import figures
from training.evaluate.coreference import Coreference, Score, clusters, head_keys
from training.rows import Frame, Node, Row, Span


def row(**layers: object) -> Row:
    return Row("x", "ewt", "blog", ["a", "b", ",", "c"], **layers)  # type: ignore[arg-type]


def test_segmentation_with_and_without_sentence_starts() -> None:
    gold = [row(edus=[0, 3, 6]), row(edus=[0])]
    predicted = [row(edus=[0, 3, 7]), row(edus=[0, 5])]
    whole = figures.segmentation(gold, predicted)
    assert (whole.matched, whole.predicted, whole.gold) == (3, 5, 4)
    inside = figures.segmentation(gold, predicted, inside=True)
    assert (inside.matched, inside.predicted, inside.gold) == (1, 3, 2)
    assert inside.f1 == pytest.approx(40)


RIGHT: list[Node] = [(0, 2, 0, "NS", "elaboration"), (1, 2, 1, "SN", "attribution")]
LEFT: list[Node] = [(0, 2, 1, "NN", "joint"), (0, 1, 0, "NS", "elaboration")]
STARTS = [0, 4, 7]


def test_original_parseval_counts_inner_nodes() -> None:
    score = figures.TreeScore()
    mine, gold = (figures.original(tree, STARTS, 10) for tree in (LEFT, RIGHT))
    assert mine[0] == ((0, 10), "NN", "joint")
    score.add(mine, gold)
    assert score.figures() == {"span": 50, "nuclearity": 0, "relation": 0, "full": 0}


def test_rst_parseval_counts_children_and_leaves() -> None:
    nodes = figures.marcu(RIGHT, STARTS, 10)
    known = [((0, 4), "N", "span"), ((4, 10), "S", "elaboration")]
    assert nodes == [*known, ((4, 7), "S", "attribution"), ((7, 10), "N", "span")]
    score = figures.TreeScore()
    score.add(figures.marcu(LEFT, STARTS, 10), nodes)
    # LEFT: (0,7) N joint, (7,10) N joint, (0,4) N span, (4,7) S elaboration
    assert score.figures() == {"span": 75, "nuclearity": 75, "relation": 25, "full": 25}


def test_connectives_and_their_senses() -> None:
    gold = [row(connectives=[(0, 1, "Comparison.Contrast"), (4, 6, "Contingency.Cause")])]
    mine = [row(connectives=[(0, 1, "Comparison.Concession"), (4, 5, "Contingency.Cause")])]
    counts, sense = figures.connectives(gold, mine)
    assert counts.f1 == 50
    assert sense == 100


def test_attachment_compares_universal_relations() -> None:
    gold = [row(heads=[2, 0, 2, 2], rels=["nsubj:pass", "root", "punct", "obj"])]
    mine = [row(heads=[2, 0, 2, 1], rels=["nsubj", "root", "punct", "obj"])]
    scores = figures.attachment(gold, mine)
    assert scores == {"uas": 75, "las": 75, "las_full": 50}


def test_evalb_deletes_punctuation_and_unfolds_chains() -> None:
    brackets: list[Span] = [(0, 4, "S"), (0, 2, "NP+QP"), (2, 3, "X"), (3, 4, "PRT")]
    expected = [(0, 3, "S"), (0, 2, "NP"), (0, 2, "QP"), (2, 3, "ADVP")]
    assert figures.evalb_brackets(brackets, ["NN", "NN", ",", "RP"]) == expected


def test_roles_need_their_predicate() -> None:
    gold = [row(frames=[Frame(1, [(0, 1, "ARG0"), (3, 4, "ARG1")])])]
    mine = [row(frames=[Frame(1, [(0, 1, "ARG0")]), Frame(3, [(3, 4, "ARG1")])])]
    predicates, arguments = figures.roles(gold, mine)
    assert predicates.f1 == pytest.approx(200 / 3)
    assert (arguments.matched, arguments.predicted, arguments.gold) == (1, 2, 2)


def test_entities_match_exactly() -> None:
    gold, mine = row(entities=[(0, 2, "person")]), row(entities=[(0, 2, "place")])
    assert figures.entities([gold], [mine]).f1 == 0


THIRD = 100 / 3
MEASURES = [
    # gold abc, de; the answer cuts the first and joins its rest to the second. MUC: abc lies in
    # two parts, de in one: (1 + 1) of (2 + 1) links; the other way round alike. B³ of a, b: 2/3,
    # c: 1/3, d, e: 1; the other way a, b: 1, c: 1/3, d, e: 2/3. CEAF: abc with ab and de with
    # cde, 4/5 each
    ([("ab cde", "abc de")], (2 * THIRD, 2 * THIRD), (11 * THIRD / 5, 11 * THIRD / 5), (80, 80)),
    # c is missing, xy is spurious: 1 of 2 links both ways; ab with abc: 4/5, of one gold entity
    # and two found
    ([("ab xy", "abc")], (50, 50), (4 * THIRD / 3, 50), (80, 40)),
    # documents are summed
    ([("ab", "ab"), ("", "cdef")], (25, 100), (THIRD, 100), (50, 100)),
]


@pytest.mark.parametrize(("documents", "muc", "b3", "ceaf"), MEASURES)
def test_measures_by_hand(
    documents: list[tuple[str, str]], muc: object, b3: object, ceaf: object
) -> None:
    score = Score()
    for predicted, gold in documents:
        score.add(*([frozenset(group) for group in side.split()] for side in (predicted, gold)))
    for ratio, expected in ((score.muc, muc), (score.b3, b3), (score.ceaf, ceaf)):
        assert (ratio.recall, ratio.precision) == pytest.approx(expected)
    assert score.mean == pytest.approx((score.muc.f1 + score.b3.f1 + score.ceaf.f1) / 3)


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
