"""DR and DR-LEX on hand-made discourse trees: what each form sees and does not see."""

from __future__ import annotations

import pytest

from albeit.data.evalset import Document
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Metric
from albeit.metrics.registry import metric
from albeit.metrics.rst.kernel import encode, log_kernels
from albeit.metrics.rst.trees import Grouping, Labels, Layout, Representation, Words
from albeit.parsing.layers import (
    DEPENDENCIES,
    EDUS,
    RST,
    TOKENS,
    Analysis,
    Dependencies,
    RstNode,
    Tokens,
)
from albeit.parsing.needs import Side, layers_of


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
            DEPENDENCIES: Dependencies(
                ("X",) * len(forms), (-1,) * len(forms), ("root",) * len(forms)
            ),
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


@pytest.mark.parametrize("spec", ["dr", "dr-lex", "dr-lex(words=stem)", "discotk-light"])
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
    assert score("dr-lex(words=pos)", "same labels", "ref") > score("dr-lex", "same labels", "ref")


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


def test_several_references() -> None:
    best = score("dr", "same labels", "other relation", "ref")
    mean = score("dr(consensus=mean)", "same labels", "other relation", "ref")
    assert best == pytest.approx(1)
    assert mean == pytest.approx((1 + score("dr", "same labels", "other relation")) / 2)


def test_requires_parts_of_speech_only_when_they_are_compared() -> None:
    assert DEPENDENCIES not in layers_of(metric("dr-lex").needs, Side.REFERENCE)
    assert DEPENDENCIES in layers_of(metric("dr-lex(words=pos)").needs, Side.REFERENCE)


@pytest.mark.parametrize(
    "spec",
    ["dr(lambda=0)", "dr(lambda=2)", "dr-lex(consensus=worst)", "discotk-light(words_lambda=0)"],
)
def test_bad_parameters(spec: str) -> None:
    with pytest.raises(MetricError):
        metric(spec)


@pytest.mark.parametrize("words", ["none", "form", "lower", "stem", "pos"])
@pytest.mark.parametrize("grouping", ["edu", "word"])
@pytest.mark.parametrize("layout", ["joint", "split"])
@pytest.mark.parametrize("labels", ["both", "nuclearity", "none"])
def test_encoding_at_once_is_encoding_what_was_built(
    layout: Layout, labels: Labels, words: Words, grouping: Grouping
) -> None:
    form = Representation(layout, labels, words, grouping)
    for analysed in TEXTS.values():
        # The order of nodes may differ, as long as children come before their parents.
        at_once, built = form.encode(analysed), encode(form.build(analysed))
        assert sorted(at_once.productions) == sorted(built.productions)
        kernels = log_kernels([at_once, at_once], [at_once, built], 0.4)
        assert kernels[0] == kernels[1] or kernels[0] == pytest.approx(kernels[1])


def test_words_as_written_in_lower_case_or_as_stems() -> None:
    written = analysis("cased", "The bank lends", tree=RstNode(0, 0))

    def units(words: Words) -> list[str]:
        (edu,) = [Representation("joint", "both", words).build(written)]
        return [leaf[0] for leaf in edu[1][0][1]]

    assert units("form") == ["The", "bank", "lends"]
    assert units("lower") == ["the", "bank", "lends"]
    assert units("stem") == ["the", "bank", "lend"]


def test_dr_lex_value_by_hand() -> None:
    # EDU(NUC(R), NGRAM(w(*)), ...) of four words each; "they think it lends" and "the bank
    # should lend" share the production of EDU, its NUC and nothing else.
    decay = metric("dr-lex").lambda_  # type: ignore[attr-defined]
    word = decay * (1 + decay)
    shared = decay + decay * (1 + decay)
    own = 4 * (decay + word) + decay + decay * (1 + decay) * (1 + word) ** 4
    assert score("dr-lex", "one edu", "another edu") == pytest.approx(shared / own)


def test_the_paper_s_layout_of_dr_lex() -> None:
    tree = Representation("split", "both", "form").build(TEXTS["ref"])
    label, children = tree
    assert label == "SPAN"
    assert [child[0] for child in children] == ["NUC", "REL", "EDU", "EDU"]
    edu = children[2]
    assert [child[0] for child in edu[1]] == ["NUC", "NGRAM"]
    assert edu[1][1][1] == (("analysts", (("*", ()),)), ("suggest", (("*", ()),)))
