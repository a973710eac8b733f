"""Figures of parses, worked out by hand."""

from __future__ import annotations

import pytest

from training.evaluate import figures
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
