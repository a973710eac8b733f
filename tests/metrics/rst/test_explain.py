"""What is lost adds up, and the pictures show both trees."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from albeit.annotate.layers import Analysis, RstNode, Tokens
from albeit.errors import MetricError
from albeit.metrics.registry import metric
from albeit.metrics.rst.dr import TreeKernelMetric
from albeit.metrics.rst.explain import Explanation, NodeView, explain
from albeit.report.trees import to_html, to_svg, to_text

LEAVES = [RstNode(i, i) for i in range(3)]


def text(words: str, tree: RstNode | None, *edus: tuple[int, int]) -> Analysis:
    forms = tuple(words.split())
    return Analysis(words, Tokens(forms, tuple((0, 0) for _ in forms)), edus=edus, rst=tree)


RIGHT = RstNode(1, 2, "NS", "elaboration", LEAVES[1], LEAVES[2])
REF = text(
    "they say : the bank lends which is good",
    RstNode(0, 2, "SN", "attribution", LEAVES[0], RIGHT),
    (0, 3), (3, 6), (6, 9),
)  # fmt: skip
HYP = text(
    "they say the bank lends & that is good",
    RstNode(0, 2, "SN", "attribution", LEAVES[0], RstNode(1, 2, "NN", "joint", LEAVES[1], LEAVES[2])),
    (0, 2), (2, 6), (6, 9),
)  # fmt: skip
EMPTY = text("", None)


def explained(spec: str, reference: Analysis, hypothesis: Analysis) -> Explanation:
    chosen = metric(spec)
    assert isinstance(chosen, TreeKernelMetric)
    return explain(chosen, reference, hypothesis)


@pytest.mark.parametrize(
    "spec", ["dr", "dr-lex", "dr-lex(lambda=.1,labels=none)", "dr(layout=split)"]
)
@pytest.mark.parametrize("hypothesis", [REF, HYP, EMPTY])
def test_losses_add_up_to_what_is_missing(spec: str, hypothesis: Analysis) -> None:
    result = explained(spec, REF, hypothesis)
    root = result.reference.root
    assert root is not None
    assert sum(node.lost for node in root.walk()) == pytest.approx(1 - result.score)


def test_shared_nodes_are_marked() -> None:
    def flags(node: NodeView) -> list[bool]:
        return [n.shared for n in node.walk()]

    root = explained("dr", REF, HYP).reference.root
    assert root is not None
    assert flags(root) == [False, True, False, True, True]


def test_pictures() -> None:
    result = explained("dr-lex", REF, HYP)
    shown = to_text(result)
    assert "≠ attribution" in shown
    assert "= [S] they say" in shown
    assert len(ET.fromstring(to_svg(result)).findall(".//{*}line")) == 8
    assert "&amp; that" in to_html(result)
    assert "(empty)" in to_text(explained("dr", REF, EMPTY))


def test_several_forms_cannot_be_explained_at_once() -> None:
    with pytest.raises(MetricError, match="several"):
        explained("discotk-light", REF, HYP)
