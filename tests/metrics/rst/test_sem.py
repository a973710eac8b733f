"""DR-SEM on made-up vectors: what it shares with token similarity, and what trees change."""

from __future__ import annotations

import numpy as np
import pytest

from albeit.annotate.layers import EDUS, RST, TOKENS, VECTORS, Analysis, RstNode, Tokens, Vectors
from albeit.annotate.needs import Side, layers_of
from albeit.corpus.evalset import Document
from albeit.errors import MetricError
from albeit.metrics.base import Batch
from albeit.metrics.registry import metric
from albeit.metrics.rst.sem import satellites

LEAVES = (RstNode(0, 0), RstNode(1, 1))
NS = RstNode(0, 1, "NS", "elaboration", *LEAVES)
SN = RstNode(0, 1, "SN", "attribution", *LEAVES)


def text(name: str, words: str, tree: RstNode | None, *edus: tuple[int, int]) -> Analysis:
    """Every letter is a word with a vector of its own, near to nothing else."""
    forms = tuple(words)
    rows = np.zeros((len(forms), 30), np.float32)
    rows[np.arange(len(forms)), [ord(letter) - ord("a") for letter in forms]] = 1.0
    vectors = Vectors(rows, np.arange(len(forms), dtype=np.int32))
    offsets = tuple((0, 0) for _ in forms)
    return Analysis(name, {TOKENS: Tokens(forms, offsets), EDUS: edus, RST: tree, VECTORS: vectors})


TEXTS = {
    a.text: a
    for a in [
        text("ref", "abcdef", NS, (0, 3), (3, 6)),
        text("same", "abcdef", NS, (0, 3), (3, 6)),
        text("one edu", "abcdef", RstNode(0, 0), (0, 6)),
        text("moved", "abdcef", NS, (0, 3), (3, 6)),
        text("nucleus broken", "xyzdef", NS, (0, 3), (3, 6)),
        text("satellite broken", "abcxyz", NS, (0, 3), (3, 6)),
        text("longer", "abcdefxyz", NS, (0, 3), (3, 9)),
        text("shorter", "abcd", NS, (0, 3), (3, 4)),
        text("", "", None),
    ]
}


def score(spec: str, hypothesis: str, *references: str) -> float:
    batch = Batch(
        [hypothesis], [[r] for r in references], None, [Document("d", 0, 1)], analyses=TEXTS
    )
    chosen = metric(spec)
    return float(chosen.segment_score(chosen.statistics(batch, None))[0])


@pytest.mark.parametrize("hypothesis", [name for name in TEXTS if name])
def test_without_discourse_it_is_token_similarity(hypothesis: str) -> None:
    plain = score("dr-sem(inside=0,satellite=1)", hypothesis, "ref")
    assert plain == pytest.approx(score("sim", hypothesis, "ref"))


def test_a_text_equals_itself() -> None:
    assert score("dr-sem", "same", "ref") == pytest.approx(1)


def test_a_word_in_another_clause_is_worth_less() -> None:
    assert score("dr-sem(inside=0)", "moved", "ref") == pytest.approx(1)
    # c and d have changed clauses: inside their own, a third of the words is not found.
    assert score("dr-sem(inside=1,satellite=1)", "moved", "ref") == pytest.approx(2 / 3)


def test_a_broken_nucleus_costs_more_than_a_broken_satellite() -> None:
    spec = "dr-sem(satellite=.5)"
    assert score(spec, "nucleus broken", "ref") < score(spec, "satellite broken", "ref")
    assert score("dr-sem(satellite=.5,inside=0)", "nucleus broken", "ref") == pytest.approx(1 / 3)


def test_empty_texts_and_several_references() -> None:
    assert score("dr-sem", "", "ref") == 0
    assert score("dr-sem", "", "") == 1
    assert score("dr-sem", "same", "nucleus broken", "ref") == pytest.approx(1)


def test_satellites_are_counted_on_the_way_to_the_root() -> None:
    inner = RstNode(1, 2, "NS", "elaboration", RstNode(1, 1), RstNode(2, 2))
    tree = RstNode(0, 2, "NS", "explanation", RstNode(0, 0), inner)
    assert satellites(tree, 3).tolist() == [0, 1, 2]
    assert satellites(SN, 2).tolist() == [1, 0]


def test_parameters() -> None:
    assert VECTORS in layers_of(metric("dr-sem").needs, Side.HYPOTHESIS)
    for wrong in ("inside=2", "inside=-1", "satellite=0"):
        with pytest.raises(MetricError, match="dr-sem"):
            metric(f"dr-sem({wrong})")
