"""DR over documents: parts compared by their lines, worked by hand; and bad input."""

from __future__ import annotations

from math import sqrt

import pytest

from albeit.annotate.layers import RstNode
from albeit.corpus.evalset import Document, EvalSet
from albeit.engine import score as run
from albeit.errors import LanguageError, MetricError
from albeit.metrics.registry import metric
from albeit.metrics.rst.subtrees import cut, runs, subtrees
from tests.metrics.documents import batch, document, joined, leaf, score

LINES = ("He came.", "He saw.", "Then he left us.")
FIRST_TWO = joined(leaf(0), leaf(1), "NN", "joint")
REFERENCE_TREE = joined(FIRST_TWO, leaf(2), "NS", "elaboration")
REFERENCE = document(*LINES, tree=REFERENCE_TREE)
JOINT = document(
    "He was there.", "He looked.", "And he went.", tree=joined(FIRST_TWO, leaf(2), "NN", "joint")
)
OTHERWISE = document(
    "Come he did.",
    "Look he did.",
    "Go he did.",
    tree=joined(leaf(0), joined(leaf(1), leaf(2), "NN", "joint"), "NS", "elaboration"),
)


def test_by_hand() -> None:
    """With λ = .5 a pair of equal EDUs counts .5, the joint over two nuclei .5 · 1.5² = 1.125,
    a root over it and another EDU .5 · 2.125 · 1.5 = 1.59375."""
    both = 1.125 + 6 * 0.5
    reference = 1.59375 + 1.125 + 5 * 0.5
    translation = 1.59375 + 1.125 + 9 * 0.5
    whole = both / sqrt(reference * translation)
    assert score("dr-doc(lambda=.5,lines=0)", JOINT, REFERENCE) == pytest.approx(whole)
    # the first two lines are the same in both, so two parts of two are whole and 1
    assert score("dr-doc(lambda=.5)", JOINT, REFERENCE) == pytest.approx((1 + whole) / 2)
    # only the part over two lines is small enough
    assert score("dr-doc(lambda=.5,lines=2)", JOINT, REFERENCE) == 1
    # cut below the root, both are a root over N:EDU and an EDU, of which one has the same role
    assert score("dr-doc(lambda=.5,lines=0,depth=1)", JOINT, REFERENCE) == pytest.approx(
        (2 * 0.5) / sqrt((1.125 + 0.5 + 0.5) * (1.125 + 4 * 0.5))
    )


def test_words_count_only_in_the_lexical_one() -> None:
    assert score("dr-doc", REFERENCE, REFERENCE) == pytest.approx(1)
    renamed = document("A b.", "C d.", "E f g h.", tree=REFERENCE_TREE)
    assert score("dr-doc", renamed, REFERENCE) == pytest.approx(1)
    assert 0 < score("dr-lex-doc", renamed, REFERENCE) < 0.8
    assert score("dr-lex-doc", REFERENCE, REFERENCE) == pytest.approx(1)


def test_parts_over_other_lines_have_no_counterpart() -> None:
    """Both are roots of three lines; (1, 2) and (2, 3) have none, and count on either side."""
    whole = score("dr-doc(lines=0)", OTHERWISE, REFERENCE)
    assert 0 < whole < 1
    assert score("dr-doc", OTHERWISE, REFERENCE) == pytest.approx(whole / 2)
    assert score("dr-doc(lines=2)", OTHERWISE, REFERENCE) == 0


def test_the_best_reference_counts() -> None:
    assert score("dr-doc", JOINT, OTHERWISE, REFERENCE) == score("dr-doc", JOINT, REFERENCE)


def test_lines_are_found_whatever_edus_they_have() -> None:
    tree = joined(joined(leaf(0), leaf(1), "SN", "attribution"), leaf(2), "NS", "elaboration")
    one = document("He says he came.", "He saw.", edus=[0, 2, 5], tree=tree)
    assert list(subtrees(one, 8)) == [(0, 1)]
    assert [run for _, run in runs(one)] == [(0, 1), (0, 0), None, None, (1, 1)]


def test_empty_lines_and_texts() -> None:
    empty = document("", "", "", tree=None)
    assert score("dr-doc", empty, empty) == 1
    assert score("dr-doc", empty, REFERENCE) == 0
    assert score("dr-doc(lines=0)", empty, empty) == 1
    assert score("dr-doc(lines=0)", empty, REFERENCE) == 0
    gap = document("He came.", "", "Then he left us.", tree=joined(leaf(0), leaf(1), "NN", "joint"))
    assert list(subtrees(gap, 8)) == [(0, 2)]
    assert 0 < score("dr-doc", gap, REFERENCE) < 0.5


def test_one_line_has_no_part_but_is_a_whole() -> None:
    one = document("He came.", tree=leaf(0))
    other = document(
        "He came, and left.", edus=[0, 3], tree=joined(leaf(0), leaf(1), "NN", "joint")
    )
    assert score("dr-doc", one, other) == 1
    assert score("dr-doc(lines=0)", one, other) == 0


def test_cutting_keeps_the_upper_levels() -> None:
    assert cut(REFERENCE_TREE, 1) == RstNode(
        0, 2, "NS", "elaboration", RstNode(0, 1), RstNode(2, 2)
    )
    assert cut(REFERENCE_TREE, 2) == REFERENCE_TREE


def test_a_unit_below_the_cut_has_all_its_words() -> None:
    same = score("dr-lex-doc(lines=0,depth=1)", REFERENCE, REFERENCE)
    moved = document("He saw.", "He came.", "Then he left us.", tree=REFERENCE_TREE)
    assert same == pytest.approx(1)
    assert 0.5 < score("dr-lex-doc(lines=0,depth=1)", moved, REFERENCE) <= 1


@pytest.mark.slow
def test_a_deep_tree_is_no_trouble() -> None:
    count = 3000
    lines = tuple("He came." for _ in range(count))
    tree = leaf(count - 1)
    for n in range(count - 2, -1, -1):
        tree = joined(leaf(n), tree, "NS", "elaboration")
    deep = document(*lines, tree=tree)
    assert score("dr-doc", deep, deep) == pytest.approx(1)
    assert score("dr-doc(lines=0)", deep, deep) == pytest.approx(1)


def test_what_was_lost_where() -> None:
    chosen = metric("dr-doc(lambda=.5)")
    one = batch(OTHERWISE, REFERENCE)
    view = chosen.explain(one, None, chosen.statistics(one, None)[0])
    lost = {loss.label: loss.amount for loss in view.losses}
    assert len(lost) == len(view.losses) == 4
    nowhere = "joint, no such part in the other text"
    assert sorted(lost[label] for label in lost if label.endswith(nowhere)) == pytest.approx(
        [0.25] * 2
    )
    both = [
        lost[f"lines 1 to 3 of the {side}: elaboration"] for side in ("reference", "hypothesis")
    ]
    assert both[0] == both[1]
    assert sum(lost.values()) == pytest.approx(1 - view.score)
    reference, translation = (tree.root for tree in view.trees)
    assert reference is not None
    assert translation is not None
    assert [node.shared for node in reference.walk()] == [True, False, True, True, False]
    assert [child.stop - child.start for child in translation.children] == [4, 8]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("dr-doc(lambda=0)", "lambda must be above 0"),
        ("dr-doc(lines=1)", "lines is 2 or more, or 0"),
        ("dr-lex-doc(lines=-3)", "lines is 2 or more, or 0"),
        ("dr-lex-doc(depth=-1)", "depth is between 0"),
        ("dr-lex-doc(words=pos)", "words takes none or form or lower or stem"),
    ],
)
def test_parameters_that_make_no_sense(spec: str, said: str) -> None:
    with pytest.raises(MetricError, match=said):
        metric(spec)


@pytest.mark.parametrize("spec", ["dr-doc", "dr-lex-doc", "coref"])
def test_sets_that_cannot_be_scored(spec: str) -> None:
    lines = ("Er kam.", "Er ging.")
    with pytest.raises(MetricError, match="nothing says where they begin"):
        run(EvalSet({"r": lines}, {"s": lines}), [metric(spec)])
    german = EvalSet({"r": lines}, {"s": lines}, documents=(Document("d", 0, 2),), target_lang="de")
    with pytest.raises(LanguageError, match="'de'"):
        run(german, [metric(spec)])


@pytest.mark.parametrize("spec", ["dr-doc", "dr-lex-doc", "coref"])
def test_the_score_of_documents_together_is_that_of_their_parts(spec: str) -> None:
    texts = ("Anna came home.", "She was tired.", "Her brother cooked.", "It rained.", "Bob left.")
    other = ("Anna came home.", "He was tired.", "A brother cooked.", "It rained.", "")
    two = EvalSet(
        {"r": texts},
        {"s": other, "t": texts},
        documents=(Document("a", 0, 3), Document("b", 3, 5)),
    )
    column = run(two, [metric(spec)])[metric(spec)]
    assert column.statistics is not None
    rows = column.statistics[0]
    assert rows.shape[0] == 2
    assert column.system[0] == pytest.approx(float(metric(spec).score(rows.sum(axis=0))))
    assert column.system[1] == pytest.approx(1)
