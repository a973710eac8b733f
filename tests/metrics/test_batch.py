"""A metric receives what its needs list, and reads nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np
import pytest

from albeit import read
from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.errors import MetricError
from albeit.evaluation import Evaluation, score
from albeit.metrics import Batch, Context, FloatArray, MeanMetric, Metric, mean_statistics
from albeit.metrics.registry import metric, names
from albeit.parsing.layers import CHAINS, TEXT, TOKENS
from albeit.parsing.needs import Need, Side

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo"
HIDDEN = (
    "references",
    "documents",
    "analyses",
    "source_analyses",
    "document_analyses",
    "source_document_analyses",
)
NOT_HERE = ("hybrid", "meteor-pa", "program", "function", "comet", "comet-qe")


class Forbidden(Sequence[Any], Mapping[Any, Any]):
    """Stands in for what a metric doesn't need; any use is an error."""

    def _fail(self, *_: object) -> NoReturn:
        raise AssertionError("the metric reads what its needs don't list")

    def __len__(self) -> int:
        self._fail()

    def __iter__(self) -> Iterator[Any]:
        self._fail()

    def __getitem__(self, key: Any) -> Any:
        self._fail()


@pytest.mark.slow
def test_no_metric_reads_what_its_needs_do_not_list(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Batch.seen_by

    def forbid(self: Batch, one: Metric) -> Batch:
        seen = original(self, one)
        hidden = {
            name: Forbidden() for name in HIDDEN if getattr(self, name) and not getattr(seen, name)
        }
        return replace(seen, **hidden)  # type: ignore[arg-type]

    evalset = read(DEMO, source_lang="de", target_lang="en")
    wanted = [metric(name) for name in names() if name not in NOT_HERE]
    usable = Evaluation(evalset).usable(wanted)[0]
    monkeypatch.setattr(Batch, "seen_by", forbid)
    assert len(score(evalset, usable).metrics) >= 45


@dataclass(frozen=True)
class Ones(MeanMetric):
    """Needs the translation only."""

    name: ClassVar[str] = "ones"
    summary: ClassVar[str] = "scores 1"
    needs: ClassVar[frozenset[Need]] = frozenset({Need(TEXT, Side.HYPOTHESIS)})

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        return mean_statistics(np.ones(len(batch)))


@pytest.fixture
def evalset() -> EvalSet:
    lines = ("One house stands.", "It is red.")
    return EvalSet({"r": lines}, {"a": lines}, lines, (Document("d", 0, 2),), source_lang="en")


def test_a_batch_has_what_the_needs_list(evalset: EvalSet) -> None:
    (lines,) = evalset.systems.values()
    whole = Batch(lines, [lines], lines, evalset.documents)
    seen = whole.seen_by(Ones())
    assert (seen.hypotheses, seen.references, seen.sources, seen.documents) == (lines, (), None, ())
    assert seen.lines(slice(1, 2)).hypotheses == lines[1:]
    assert whole.lines(slice(0, 1)).sources == lines[:1]


@dataclass(frozen=True)
class Whole(Ones):
    """A document metric that needs the text only."""

    name: ClassVar[str] = "whole"
    unit: ClassVar[Unit] = Unit.DOCUMENT


@dataclass(frozen=True)
class ReadsDocuments(Ones):
    """Scores segments by annotations of their documents."""

    name: ClassVar[str] = "reads-documents"
    needs: ClassVar[frozenset[Need]] = frozenset({Need(CHAINS, Side.HYPOTHESIS, Unit.DOCUMENT)})


@pytest.mark.parametrize("made", [Whole(), ReadsDocuments()])
def test_documents_are_asked_for_by_the_unit(made: Metric, evalset: EvalSet) -> None:
    loose = replace(evalset, documents=())
    assert not loose.has_documents
    with pytest.raises(MetricError, match="nothing says where they begin"):
        score(loose, [made])


def test_an_optional_side_shows_in_the_signature(evalset: EvalSet) -> None:
    terms = metric("terms")
    assert not terms.reads(Side.REFERENCE)
    assert terms.sees(Side.REFERENCE)
    said = [
        str(score(each, [terms])["terms"].signature)
        for each in (evalset, replace(evalset, references={}), replace(evalset, source=None))
    ]
    assert "source:yes|refs:1" in said[0]
    assert "aligner:source+refs." in said[0]
    assert "source:yes|refs:0" in said[1]
    assert "aligner:source+own" in said[1]
    assert "source:no|refs:1" in said[2]
    assert Need(TOKENS, Side.SOURCE) != Need(TOKENS, Side.SOURCE, optional=True)
