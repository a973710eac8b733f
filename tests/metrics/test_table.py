from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from albeit import Document, EvalSet, Unit, confidence, score
from albeit.errors import InputError, MetricError, MissingExtraError
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column, Confidence, Score, ScoreTable
from tests.evaluation.toys import Exact, Opening


@pytest.fixture
def table() -> ScoreTable:
    systems = {"good": ("a", "b", "c", "x"), "bad": ("x", "b", "x", "x")}
    documents = Document("one", 0, 1), Document("two", 1, 4)
    evalset = EvalSet({"ref": ("a", "b", "c", "d")}, systems, documents=documents)
    return score(evalset, [Exact(), Opening()])


def test_every_level_follows_from_the_statistics(table: ScoreTable) -> None:
    exact, opening = table["exact"], table[Opening()]
    np.testing.assert_allclose(exact.system, [3 / 4, 1 / 4])
    np.testing.assert_allclose(exact.at("document"), [[1, 2 / 3], [0, 1 / 3]])
    np.testing.assert_allclose(exact.at("segment"), [[1, 1, 1, 0], [0, 1, 0, 0]])
    np.testing.assert_allclose(opening.at("document"), [[1, 1], [0, 1]])
    np.testing.assert_allclose(opening.system, [1, 0.5])
    assert opening.segment is None
    assert len(table) == 4


def test_a_score_has_value_interval_and_signature(table: ScoreTable) -> None:
    plain = table.score("exact", "good")
    assert plain == Score(0.75, str(table["exact"].signature))
    assert "refs:1|v:" in plain.signature
    assert float(plain) == 0.75
    sure = confidence(table, resamples=200, seed=1).score("exact", "good")
    low, high = sure.interval or (1, 0)
    assert 0 <= low <= 0.75 <= high <= 1
    assert sure.confidence == Confidence(0.95, 200, 1, Unit.SEGMENT)
    assert table.score("exact", "good").interval is None


def test_records_are_plain(table: ScoreTable) -> None:
    records = list(table.to_records())
    assert records[0] == {"system": "good", "metric": "exact", "score": 0.75}
    assert len(records) == 4
    json.dumps(records)
    two = {"system": "good", "metric": "exact", "document": "two", "score": pytest.approx(2 / 3)}
    assert list(table.to_records("document"))[1] == two
    sure = next(confidence(table, resamples=50).to_records())
    assert sorted(sure) == ["high", "low", "metric", "score", "system"]
    with pytest.raises(MetricError, match="opening has no segment scores"):
        list(table.to_records("segment"))


def test_frame_needs_pandas(table: ScoreTable, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    frame = table.to_frame("document")
    assert list(frame.columns) == ["system", "metric", "document", "score"]
    assert len(frame) == 8
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="pip install"):
        table.to_frame()


def test_columns_of_other_tools_are_added(table: ScoreTable) -> None:
    comet = Column("comet", Signature("comet"), True, np.array([0.9, 0.1]))
    more = table.with_columns([comet])
    assert more.metrics == ("exact", "opening", "comet")
    assert more.score("comet", "bad").value == 0.1
    with pytest.raises(MetricError, match="has a column comet already"):
        more.with_columns([comet])
    with pytest.raises(InputError, match="does not cover"):
        table.with_columns([comet._replace(system=np.array([0.9]))])
    with pytest.raises(MetricError, match="no column ter; it has exact, opening"):
        table["ter"]
    with pytest.raises(InputError, match="no system 'ugly'; there are good, bad"):
        table.score("exact", "ugly")
