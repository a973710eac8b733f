from __future__ import annotations

import pytest

from training.evaluate import discourse
from training.rows import Node, Row


def row(edus: list[int], connectives: list[tuple[int, int, str]] | None = None) -> Row:
    return Row("x", "gum", "news", ["w"] * 10, edus=edus, connectives=connectives)


def test_segmentation_with_and_without_sentence_starts() -> None:
    gold = [row([0, 3, 6]), row([0])]
    predicted = [row([0, 3, 7]), row([0, 5])]
    whole = discourse.segmentation(gold, predicted)
    assert (whole.matched, whole.predicted, whole.gold) == (3, 5, 4)
    inside = discourse.segmentation(gold, predicted, inside=True)
    assert (inside.matched, inside.predicted, inside.gold) == (1, 3, 2)
    assert inside.f1 == pytest.approx(40)


RIGHT: list[Node] = [(0, 2, 0, "NS", "elaboration"), (1, 2, 1, "SN", "attribution")]
LEFT: list[Node] = [(0, 2, 1, "NN", "joint"), (0, 1, 0, "NS", "elaboration")]
STARTS = [0, 4, 7]


def test_original_parseval_counts_inner_nodes() -> None:
    score = discourse.TreeScore()
    mine = discourse.original(LEFT, STARTS, 10)
    assert mine[0] == ((0, 10), "NN", "joint")
    score.add(mine, discourse.original(RIGHT, STARTS, 10))
    assert score.figures() == {"span": 50, "nuclearity": 0, "relation": 0, "full": 0}


def test_rst_parseval_counts_children_and_leaves() -> None:
    nodes = discourse.marcu(RIGHT, STARTS, 10)
    assert nodes == [
        ((0, 4), "N", "span"),
        ((4, 10), "S", "elaboration"),
        ((4, 7), "S", "attribution"),
        ((7, 10), "N", "span"),
    ]
    score = discourse.TreeScore()
    score.add(discourse.marcu(LEFT, STARTS, 10), nodes)
    # LEFT: (0,7) N joint, (7,10) N joint, (0,4) N span, (4,7) S elaboration
    assert score.figures() == {"span": 75, "nuclearity": 75, "relation": 25, "full": 25}


def test_end_to_end_spans_are_words() -> None:
    other = discourse.original([(0, 1, 0, "NS", "elaboration")], [0, 4], 10)
    gold = discourse.original([(0, 1, 0, "NS", "elaboration")], [0, 5], 10)
    assert other == gold  # the root covers all words either way


def test_connectives_and_their_senses() -> None:
    gold = [row([0], [(0, 1, "Comparison.Contrast"), (4, 6, "Contingency.Cause")])]
    mine = [row([0], [(0, 1, "Comparison.Concession"), (4, 5, "Contingency.Cause")])]
    counts, sense = discourse.connectives(gold, mine)
    assert counts.f1 == 50
    assert sense == 100
