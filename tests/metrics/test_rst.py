"""DR and DR-LEX on hand-made discourse trees: what each form sees and does not see."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from albeit.data.evalset import Document
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Metric
from albeit.metrics.kernel import DUMMY, Encoder, Handle, log_kernels
from albeit.metrics.registry import metric
from albeit.metrics.rst import Representation, grow_tree
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, RstNode, Tokens
from tests.metrics.test_kernel import Tree, encode


def analysis(text: str, *edus: str, tree: RstNode | None) -> Analysis:
    """An analysis whose EDUs are the given strings, in order."""
    spans, start = [], 0
    for edu in edus:
        stop = start + len(edu.split())
        spans.append((start, stop))
        start = stop
    forms = tuple(word for edu in edus for word in edu.split())
    return Analysis(
        text,
        {
            TOKENS: Tokens(forms, tuple((0, 0) for _ in forms)),
            EDUS: tuple(spans),
            RST: tree,
        },
    )


def pair(nuclearity: str, relation: str) -> RstNode:
    return RstNode(0, 1, nuclearity, relation, RstNode(0, 0), RstNode(1, 1))  # type: ignore[arg-type]


TEXTS = {
    a.text: a
    for a in [
        analysis("ref", "analysts suggest", "the bank should lend", tree=pair("SN", "attribution")),
        analysis("same labels", "they think", "it lends", tree=pair("SN", "attribution")),
        analysis("other relation", "they think", "it lends", tree=pair("SN", "elaboration")),
        analysis("other nuclearity", "they think", "it lends", tree=pair("NS", "attribution")),
        analysis("one edu", "they think it lends", tree=RstNode(0, 0)),
        analysis("another edu", "the bank should lend", tree=RstNode(0, 0)),
        analysis("", tree=None),
    ]
}


def score(spec: str | Metric, hypothesis: str, *references: str) -> float:
    batch = Batch(
        [hypothesis], [[r] for r in references], None, [Document("d", 0, 1)], analyses=TEXTS
    )
    chosen = metric(spec)
    return float(chosen.segment_score(chosen.statistics(batch, None))[0])


@pytest.mark.parametrize("spec", ["dr", "dr-lex", "discotk-light"])
@pytest.mark.parametrize("text", ["ref", "one edu"])
def test_a_tree_equals_itself(spec: str, text: str) -> None:
    assert score(spec, text, text) == pytest.approx(1)


def test_dr_sees_structure_and_labels_but_no_words() -> None:
    assert score("dr", "same labels", "ref") == pytest.approx(1)
    assert score("dr", "other relation", "ref") < 1
    assert score("dr(labels=nuclearity)", "other relation", "ref") == pytest.approx(1)
    assert score("dr(labels=relation)", "other nuclearity", "ref") == pytest.approx(1)
    assert score("dr(labels=none)", "other nuclearity", "ref") == pytest.approx(1)


def test_dr_lex_gives_partial_credit_and_sees_words() -> None:
    assert 0 < score("dr-lex", "other relation", "ref") < score("dr-lex", "same labels", "ref") < 1


def test_dr_value_by_hand() -> None:
    # R:attribution(S:EDU(*), N:EDU(*)) against the same with another relation: the two
    # EDU productions are shared, the root is not. λ = .4: K = .8; self = .8 + .4·1.4².
    own = 0.8 + 0.4 * 1.4**2
    assert score("dr(lambda=.4)", "other relation", "ref") == pytest.approx(0.8 / own)


def test_one_edu_against_two() -> None:
    assert score("dr", "one edu", "ref") == 0
    assert score("dr", "one edu", "another edu") == pytest.approx(1)


def test_an_empty_translation_scores_zero_unless_there_is_nothing_to_translate() -> None:
    for spec in ("dr", "dr-lex", "discotk-light"):
        assert score(spec, "", "ref") == 0
        assert score(spec, "ref", "") == 0
        assert score(spec, "", "") == pytest.approx(1)


def test_the_best_of_several_references() -> None:
    assert score("dr", "same labels", "other relation", "ref") == pytest.approx(1)


@pytest.mark.parametrize("spec", ["dr(lambda=0)", "dr(lambda=2)", "dr-lex(lambda=0)"])
def test_bad_parameters(spec: str) -> None:
    with pytest.raises(MetricError, match="above 0 and at most 1"):
        metric(spec)


def test_dr_lex_value_by_hand() -> None:
    # EDU(NUC(R), NGRAM(w(*)), ...) of four words each; "they think it lends" and "the bank
    # should lend" share the production of EDU, its NUC and nothing else.
    decay = metric("dr-lex").lambda_  # type: ignore[attr-defined]
    word = decay * (1 + decay)
    shared = decay + decay * (1 + decay)
    own = 4 * (decay + word) + decay + decay * (1 + decay) * (1 + word) ** 4
    assert score("dr-lex", "one edu", "another edu") == pytest.approx(shared / own)


class Plain(Encoder):
    """Build nested tuples (label, children); the root is last."""

    def __init__(self) -> None:
        super().__init__()
        self.trees: list[Tree] = []

    def node(self, label: str, below: tuple[Handle, ...] = ()) -> Handle:
        self.trees.append((label, tuple(self.trees[child[1]] for child in below)))
        return label, len(self.trees) - 1

    def words(self, forms: Sequence[str]) -> tuple[Handle, ...]:
        return tuple(self.node("NGRAM", (self.node(w, (self.node(DUMMY),)),)) for w in forms)


def plain(text: str, form: Representation) -> Tree:
    encoder = Plain()
    grow_tree(TEXTS[text], form, encoder)
    return encoder.trees[-1]


def test_the_paper_s_trees() -> None:
    def word(form: str) -> Tree:
        return "NGRAM", ((form, (("*", ()),)),)

    def of(name: str, value: str) -> Tree:
        return name, ((value, ()),)

    label, children = plain("ref", "words")
    assert label == "SPAN"
    assert children[:2] == (of("NUC", "R"), of("REL", "attribution"))
    assert children[2] == ("EDU", (of("NUC", "S"), word("analysts"), word("suggest")))
    edus = ("S:EDU", (("*", ()),)), ("N:EDU", (("*", ()),))
    assert plain("ref", "both") == ("R:attribution", edus)


@pytest.mark.parametrize("text", TEXTS)
def test_words_at_once_are_words_one_by_one(text: str) -> None:
    at_once = Encoder()
    nodes = grow_tree(TEXTS[text], "words", at_once)
    tree, built = at_once.tree(), encode(plain(text, "words"))
    assert sorted(tree.productions) == sorted(built.productions)
    assert len(nodes) == sum(label in ("SPAN", "EDU") for label in labels(plain(text, "words")))
    kernels = log_kernels([tree, tree], [tree, built], 0.4)
    assert kernels[0] == pytest.approx(kernels[1])


def labels(tree: Tree) -> list[str]:
    return [tree[0], *(label for child in tree[1] for label in labels(child))]
