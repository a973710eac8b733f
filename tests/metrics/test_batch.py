"""A metric sees what its needs name, and no more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.errors import MetricError
from albeit.evaluation import score
from albeit.metrics.base import Batch, Context, FloatArray, Metric, mean_score, mean_statistics
from albeit.metrics.registry import metric
from albeit.parsing.layers import CHAINS, TEXT, TOKENS
from albeit.parsing.needs import Need, Side, read


@dataclass(frozen=True)
class Peeping(Metric):
    """Says that it reads the translation, and looks elsewhere."""

    name: ClassVar[str] = "peeping"
    summary: ClassVar[str] = "looks at what it did not ask for"
    at: ClassVar[Callable[[Batch], Any]]

    @property
    def needs(self) -> frozenset[Need]:
        return read(TEXT, side=Side.HYPOTHESIS)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        type(self).at(batch)
        return mean_statistics(np.ones(len(batch)))

    def score(self, sums: FloatArray) -> FloatArray:
        return mean_score(sums)


@pytest.fixture
def evalset() -> EvalSet:
    lines = ("One house stands.", "It is red.")
    return EvalSet({"r": lines}, {"a": lines}, lines, (Document("d", 0, 2),), source_lang="en")


@pytest.mark.parametrize(
    ("at", "need"),
    [
        (lambda batch: batch.references[0], "the reference"),
        (lambda batch: len(batch.references), "the reference"),
        (lambda batch: list(batch.sources), "the source"),
        (lambda batch: batch.sources or (), "the source"),
        (lambda batch: [d.start for d in batch.documents], "documents"),
        (lambda batch: batch.analyses["It is red."], "analyses of segments of the hypothesis"),
        (lambda batch: "x" in batch.source_analyses, "analyses of segments of the source"),
        (lambda batch: batch.document_analyses[()], "analyses of documents of the hypothesis"),
    ],
)
def test_what_it_did_not_ask_for(
    at: Callable[[Batch], Any], need: str, evalset: EvalSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Peeping, "at", staticmethod(at), raising=False)
    beside = [metric("terms"), metric("dr"), metric("lc"), metric("act-free(source_sense=any)")][:3]
    with pytest.raises(MetricError, match=f"peeping reads {need}, which its needs do not name"):
        score(evalset, [Peeping(), *beside])
    monkeypatch.setattr(Peeping, "at", staticmethod(lambda batch: batch.hypotheses[0]))
    assert score(evalset, [Peeping()])["peeping"].system.tolist() == [1]


def test_lines_keep_what_is_not_seen(evalset: EvalSet) -> None:
    (lines,) = evalset.systems.values()
    whole = Batch(lines, [lines], lines, evalset.documents)
    some = whole.seen_by(Peeping()).lines(slice(1, 2))
    assert some.hypotheses == lines[1:]
    with pytest.raises(MetricError, match="reads the reference"):
        next(iter(some.references))
    assert whole.lines(slice(0, 1)).sources == lines[:1]


@dataclass(frozen=True)
class Whole(Peeping):
    """A document metric that asks for nothing but the text."""

    name: ClassVar[str] = "whole"
    unit: ClassVar[Unit] = Unit.DOCUMENT

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        return mean_statistics(np.ones(len(batch.documents)))


@dataclass(frozen=True)
class ReadsDocuments(Peeping):
    """Scores segments by analyses of their documents."""

    name: ClassVar[str] = "reads-documents"

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({Need(CHAINS, Side.HYPOTHESIS, Unit.DOCUMENT)})


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
