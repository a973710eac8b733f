"""Marked errors against those of annotators, by the definition of the WMT25 evaluation task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import albeit
from albeit.arrays import FloatArray
from albeit.data.judgments import Ratings
from albeit.data.marked import Annotation, Span, read_marks
from albeit.errors import AlbeitWarning, InputError
from albeit.evaluation import Evaluation
from albeit.metaeval.spans import MarkedErrors, match, metric_marks
from albeit.metrics.base import Batch, MeanMetric, mean_statistics
from albeit.metrics.view import Loss, Place, View, compare_lines
from albeit.parsing.layers import Side

KINDS = ("minor", "major")
SPANS = st.lists(
    st.builds(
        lambda start, size, kind: Span(start, start + size, kind),
        st.integers(0, 9),
        st.integers(0, 5),
        st.sampled_from(KINDS),
    ),
    max_size=4,
)


@given(SPANS, SPANS)
def test_credit_by_definition(expected: list[Span], marked: list[Span]) -> None:
    credit = ours = theirs = 0.0
    for at in range(15):
        counts = [
            [
                sum(s.start <= at < s.end and s.severity == k for s in spans)
                for k in ("minor", "major")
            ]
            for spans in (expected, marked)
        ]
        (a, b), (c, d) = counts
        credit += min(a, c) + min(b, d)
        credit += 0.5 * min(max(0, a - c) + max(0, b - d), max(0, c - a) + max(0, d - b))
        theirs, ours = theirs + a + b, ours + c + d
    assert match(expected, marked).tolist() == [credit, ours, theirs]


def one(rater: str, *spans: Span, segment: int = 0) -> Annotation:
    return Annotation("A", segment, 1, 0.0, rater, len(spans), spans)


def test_annotators_and_marks() -> None:
    found = [one("x", Span(0, 4, "major")), one("y", Span(2, 6, "minor")), one("x", segment=1)]
    people = MarkedErrors.of(found)
    x, y = people.compare_raters()
    assert (x.name, x.precision, x.recall, x.pairs) == ("x", 0.25, 0.25, 1)
    assert y.f1 == 0.25
    same = people.compare("same", {("A", 0): [Span(0, 4, "major")]})
    assert (same.precision, same.recall, same.pairs) == (5 / 8, 5 / 8, 3)
    nothing = people.compare("nothing", {})
    assert (nothing.precision, nothing.recall, nothing.f1) == (1.0, 0.0, 0.0)
    rows = np.array([0, 0]), np.array([0, 1]), np.array([1.0, 1.0])
    ratings = Ratings(("A",), *rows, raters=("y",), rater=np.array([0, 0]))
    seen = MarkedErrors.of(found, ratings)  # y saw the second segment, and marked nothing
    assert seen.compare("same", {}).pairs == 4
    assert not MarkedErrors.of(found).within(["B"]).by_rater
    with pytest.raises(InputError, match="no marked errors"):
        MarkedErrors.of([])


class Suspicious(MeanMetric):
    """Marks every word that has an x."""

    name = "suspicious"

    def statistics(self, batch: Batch, context: Any) -> FloatArray:
        return mean_statistics(np.zeros(len(batch)))

    def explain(self, batch: Batch, context: Any, row: FloatArray) -> View:
        text = compare_lines(Side.HYPOTHESIS, batch.hypotheses, "en", 0)[0]
        places = [k for k, word in enumerate(text.tokens.forms) if "x" in word]
        losses = [Loss("x", 1.0, (Place(0, (k,)),), {}, "major") for k in places]
        return self.view(row, [text], losses=losses)


def test_words_that_a_metric_marks() -> None:
    evalset = albeit.EvalSet({"ref": ("a b", "c")}, {"A": ("ax bx c xd", "no")})
    marks = metric_marks(Evaluation(evalset), Suspicious(), [("A", 0), ("A", 1)])
    spans = [Span(0, 5, "major"), Span(8, 10, "major")]
    assert marks == {("A", 0): spans, ("A", 1): []}


def test_tables_of_marked_errors(tmp_path: Path) -> None:
    evalset = albeit.EvalSet({"ref": ("a", "b")}, {"A": ("one two", "three")})
    path = tmp_path / "spans.tsv"
    path.write_text(
        "system\tsegment\trater\tcategory\tseverity\tspan\n"
        "A\t1\tr\tFluency\tMinor\ttwo\n"
        "A\t1\tr\tFluency\tNeutral\tone\n"
        "A\t2\tr\tAccuracy/Omission\tMajor\tthree\n"
        "A\t2\tr\tFluency\tMajor\tfour\n"
    )
    with pytest.warns(AlbeitWarning, match="1 marked error not found"):
        found = read_marks(path, evalset)
    assert [each.spans for each in found] == [(Span(4, 7, "minor"),), (), (), ()]
    path.write_text("system\tline\tstart\tend\nA\t1\t0\t3\n")
    assert read_marks(path, evalset)[0].spans == (Span(0, 3, "minor"),)
    for text, says in (
        ("A\t3\t0\t3", ":2: line is '3', but the set has 2 segments"),
        ("A\t1\t5\t50", ":2: an error is from 5 to 50, which is not in the text"),
    ):
        path.write_text(f"system\tline\tstart\tend\n{text}\n")
        with pytest.raises(InputError, match=says):
            read_marks(path, evalset)
    path.write_text("system\tscore\nA\t1\n")
    with pytest.raises(InputError, match="no marked errors in a known format"):
        read_marks(path, evalset)
