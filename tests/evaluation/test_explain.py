"""What is explained where, in which order, and what cannot be."""

from __future__ import annotations

import pytest

from albeit.data.evalset import Document, EvalSet
from albeit.errors import AlbeitError, MetricError
from albeit.evaluation import explain
from albeit.metrics.base import Batch
from albeit.metrics.registry import metric
from tests.evaluation.toys import Opening, Shown

SET = EvalSet(
    {"r": ("a b", "c", "d e")},
    {"one": ("a b", "x", "d e"), "two": ("a", "c", "d")},
    documents=(Document("first", 0, 2), Document("second", 2, 3)),
)


def test_segments_documents_and_systems_in_order() -> None:
    views = explain(SET, Shown(), segments=[3], documents=["first"])
    found = [(view.place, view.system, view.score) for view in views]
    assert found == [
        (3, "one", 1),
        (3, "two", 0),
        (1, "one", 1),
        (1, "two", 0),
        (2, "one", 0),
        (2, "two", 1),
    ]
    assert [text.name for text in views[0].texts] == ["one", "r"]


@pytest.mark.parametrize(
    ("chosen", "places", "message"),
    [
        ("bleu", {"segments": [4]}, "no segment 4: the set has 3"),
        ("bleu", {"documents": ["third"]}, "no document 'third'; there are 2: first, second"),
        ("cohesion", {"segments": [1]}, "--document ID"),
        ("nist", {"segments": [1]}, "has no explanations"),
    ],
)
def test_mistakes(chosen: str, places: dict[str, list[object]], message: str) -> None:
    with pytest.raises(AlbeitError, match=message):
        explain(SET, metric(chosen), **places)  # type: ignore[arg-type]


def test_a_metric_without_an_explanation_says_so() -> None:
    assert not Opening.explains()
    with pytest.raises(MetricError, match="opening has no explanations"):
        explain(SET, Opening(), documents=["first"])
    batch = Batch(("a",), [("a",)], None, (Document("d", 0, 1),))
    with pytest.raises(MetricError, match="does not explain"):
        Opening().explain(batch, None, Opening().statistics(batch, None)[0])
