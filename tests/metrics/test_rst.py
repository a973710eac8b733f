"""DR and DR-LEX on hand-made discourse trees: their definitions, scores, and explanations."""

from __future__ import annotations

import pytest

from albeit import View, metric
from albeit.parsing.layers import EDUS, RST, Analysis, RstNode
from albeit.report.views import render_views
from tests.metrics.documents import explained, segment, segment_batch
from tests.metrics.documents import segment_score as score


def text(*edus: str, tree: RstNode | None) -> Analysis:
    """A segment with these EDUs."""
    spans, start = [], 0
    for edu in edus:
        spans.append((start, start + len(edu.split())))
        start = spans[-1][1]
    return segment(" ".join(edus), {EDUS: tuple(spans), RST: tree})


def pair(nuclearity: str, relation: str) -> RstNode:
    return RstNode(0, 1, nuclearity, relation, RstNode(0, 0), RstNode(1, 1))  # type: ignore[arg-type]


REFERENCE = text("analysts suggest", "the bank should lend", tree=pair("SN", "attribution"))
SAME = text("we think", "it lends", tree=pair("SN", "attribution"))
RELATION = text("they say", "it lends", tree=pair("SN", "elaboration"))
NUCLEARITY = text("they say", "it lends", tree=pair("NS", "attribution"))
ONE_EDU = text("they think it lends", tree=RstNode(0, 0))
ANOTHER_EDU = text("the bank should lend", tree=RstNode(0, 0))
EMPTY = text(tree=None)


@pytest.mark.parametrize("spec", ["dr", "dr-lex", "discotk-light"])
def test_equal_trees_score_1_and_an_empty_text_0(spec: str) -> None:
    for same in (REFERENCE, ONE_EDU, EMPTY):
        assert score(spec, same, same) == pytest.approx(1)
    assert score(spec, EMPTY, REFERENCE) == score(spec, REFERENCE, EMPTY) == 0


@pytest.mark.parametrize(
    ("spec", "hypothesis", "expected"),
    [
        ("dr", SAME, 1),
        ("dr", ONE_EDU, 0),
        ("dr(labels=nuclearity)", RELATION, 1),
        ("dr(labels=relation)", NUCLEARITY, 1),
        ("dr(labels=none)", NUCLEARITY, 1),
        # R:attribution(S:EDU(*), N:EDU(*)) against the same with another relation: the two
        # EDU productions are shared, the root is not. λ = .4: K = .8; self = .8 + .4·1.4².
        ("dr(lambda=.4)", RELATION, 0.8 / (0.8 + 0.4 * 1.4**2)),
    ],
)
def test_dr_sees_trees_but_no_words(spec: str, hypothesis: Analysis, expected: float) -> None:
    assert score(spec, hypothesis, REFERENCE) == pytest.approx(expected)


def test_dr_lex_value_by_hand() -> None:
    # EDU(NUC(R), NGRAM(w(*)), ...) of four words each; "they think it lends" and "the bank
    # should lend" share the production of EDU, its NUC and nothing else.
    decay = metric("dr-lex").lambda_  # type: ignore[attr-defined]
    word = decay * (1 + decay)
    shared = decay + decay * (1 + decay)
    own = 4 * (decay + word) + decay + decay * (1 + decay) * (1 + word) ** 4
    assert score("dr-lex", ONE_EDU, ANOTHER_EDU) == pytest.approx(shared / own)


LEAVES = [RstNode(i, i) for i in range(3)]
RIGHT = RstNode(1, 2, "NS", "elaboration", LEAVES[1], LEAVES[2])
JOINT = RstNode(1, 2, "NN", "joint", LEAVES[1], LEAVES[2])
TREE, OTHER = (RstNode(0, 2, "SN", "attribution", LEAVES[0], low) for low in (RIGHT, JOINT))
REF = text("they say :", "the bank lends", "which is good", tree=TREE)
HYP = text("they say", "the bank lends &", "that is good", tree=OTHER)


def view(spec: str, *texts: Analysis) -> View:
    return explained(spec, segment_batch(*texts))


@pytest.mark.parametrize("spec", ["dr", "dr(labels=none)", "dr-lex(lambda=.1)", "discotk-light"])
@pytest.mark.parametrize("hypothesis", [REF, HYP, EMPTY])
@pytest.mark.parametrize("references", [(REF,), (HYP, REF), (EMPTY, HYP), (EMPTY,)])
def test_losses_add_up(spec: str, hypothesis: Analysis, references: tuple[Analysis, ...]) -> None:
    found = view(spec, hypothesis, *references)
    assert sum(loss.amount for loss in found.losses) == pytest.approx(1 - found.score)
    own = found.trees[-1].root
    if own is not None and EMPTY not in references:
        assert sum(node.lost for node in own.walk()) == pytest.approx(1 - found.score)


def test_words_are_linked_only_where_they_count() -> None:
    same = [link for link in view("dr-lex", REF, REF).links if link.kind == "node"]
    assert [link.one.tokens for link in same] == [link.other.tokens for link in same]
    assert [link.strength for link in same] == [1.0] * 5
    assert {link.kind for link in view("dr", HYP, REF).links} == {"node"}
    words = [link for link in view("dr-lex", HYP, REF).links if link.kind == "word"]
    pairs = [(link.one.tokens[0], link.other.tokens[0]) for link in words]
    assert pairs == [(0, 0), (1, 1), (2, 3), (3, 4), (4, 5), (7, 7), (8, 8)]


def test_trees_as_text() -> None:
    nodes = [tree.root.walk() for tree in view("dr", HYP, REF).trees if tree.root]
    assert [[n.shared for n in each] for each in nodes] == [[False, True, False, True, True]] * 2
    shown = render_views([view("dr-lex", HYP, REF)])
    assert "≠ attribution" in shown
    assert "= [S] they say" in shown
    assert "(empty)" in render_views([view("dr", REF, EMPTY)])
