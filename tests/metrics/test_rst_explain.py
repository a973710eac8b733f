"""What is lost adds up, shared nodes are marked, and words are linked where they count."""

from __future__ import annotations

import pytest

from albeit.data.evalset import Document
from albeit.metrics.base import Batch
from albeit.metrics.registry import metric
from albeit.metrics.view import Node, View
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, RstNode, Tokens
from albeit.report.views import render_views

LEAVES = [RstNode(i, i) for i in range(3)]


def text(words: str, tree: RstNode | None, *edus: tuple[int, int]) -> Analysis:
    forms = tuple(words.split())
    return Analysis(
        words, {TOKENS: Tokens(forms, tuple((0, 0) for _ in forms)), EDUS: edus, RST: tree}
    )


RIGHT = RstNode(1, 2, "NS", "elaboration", LEAVES[1], LEAVES[2])
REF = text(
    "they say : the bank lends which is good",
    RstNode(0, 2, "SN", "attribution", LEAVES[0], RIGHT),
    (0, 3),
    (3, 6),
    (6, 9),
)
HYP = text(
    "they say the bank lends & that is good",
    RstNode(
        0, 2, "SN", "attribution", LEAVES[0], RstNode(1, 2, "NN", "joint", LEAVES[1], LEAVES[2])
    ),
    (0, 2),
    (2, 6),
    (6, 9),
)
EMPTY = text("", None)


def explained(spec: str, hypothesis: Analysis, *references: Analysis) -> View:
    chosen = metric(spec)
    batch = Batch(
        [hypothesis.text],
        [[r.text] for r in references],
        None,
        [Document("d", 0, 1)],
        analyses={a.text: a for a in (hypothesis, *references)},
    )
    (row,) = chosen.statistics(batch, None)
    return chosen.explain(batch, None, row)


@pytest.mark.parametrize("spec", ["dr", "dr(labels=none)", "dr-lex(lambda=.1)", "discotk-light"])
@pytest.mark.parametrize("hypothesis", [REF, HYP, EMPTY])
@pytest.mark.parametrize("references", [(REF,), (HYP, REF), (EMPTY, HYP), (EMPTY,)])
def test_losses_add_up_to_what_is_missing(
    spec: str, hypothesis: Analysis, references: tuple[Analysis, ...]
) -> None:
    view = explained(spec, hypothesis, *references)
    assert sum(loss.amount for loss in view.losses) == pytest.approx(1 - view.score)
    mine = view.trees[-1].root
    if mine is not None and EMPTY not in references:
        assert sum(node.lost for node in mine.walk()) == pytest.approx(1 - view.score)


def test_shared_nodes_are_marked() -> None:
    def flags(node: Node | None) -> list[bool]:
        assert node is not None
        return [n.shared for n in node.walk()]

    reference, hypothesis = explained("dr", HYP, REF).trees
    assert (reference.text, hypothesis.text) == (1, 0)
    assert flags(reference.root) == [False, True, False, True, True]
    assert flags(hypothesis.root) == [False, True, False, True, True]


def test_the_same_tree_meets_itself_node_by_node() -> None:
    view = explained("dr-lex", REF, REF)
    nodes = [link for link in view.links if link.kind == "node"]
    assert [link.one.tokens for link in nodes] == [link.other.tokens for link in nodes]
    assert {link.strength for link in nodes} == {1.0}
    assert len(nodes) == 5
    assert len([link for link in view.links if link.kind == "word"]) == 9


def test_words_are_linked_only_where_they_count() -> None:
    assert {link.kind for link in explained("dr", HYP, REF).links} == {"node"}
    words = [link for link in explained("dr-lex", HYP, REF).links if link.kind == "word"]
    assert [(link.one.tokens[0], link.other.tokens[0]) for link in words] == [
        (0, 0),
        (1, 1),
        (2, 3),
        (3, 4),
        (4, 5),
        (7, 7),
        (8, 8),
    ]


def test_text() -> None:
    shown = render_views([explained("dr-lex", HYP, REF)])
    assert "≠ attribution" in shown
    assert "= [S] they say" in shown
    assert "(empty)" in render_views([explained("dr", REF, EMPTY)])
