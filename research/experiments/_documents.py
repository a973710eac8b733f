"""Test sets as documents: metric scores and human scores of every (system, document).

A document's human score is the mean of its segments' scores weighted by the reference's
length (z-scores by judge for WMT21, MQM for TED), or the share of comparisons won where
people compared systems (WMT13). A share of wins says which system did better on a document
and nothing of how one document compares with another: every document's mean is a half. So
on such *relative* sets metric scores, too, are taken from the document's mean over systems.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import Scores, judged_set

from albeit.data import EvalSet
from albeit.data.judgments import Pairs, Ratings
from albeit.data.levels import Unit
from albeit.errors import AlbeitError, AlbeitWarning, MetricError
from albeit.evaluation import score
from albeit.metaeval.statistics import kendall
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric
from albeit.parsing import annotate_documents
from albeit.parsing.layers import CHAINS
from albeit.stats import pearson

__all__ = [
    "SETS",
    "DocumentSet",
    "Floats",
    "add_metrics",
    "chain_counts",
    "kendall_within",
    "load",
    "pearson_within",
]

Floats = npt.NDArray[np.float64]

SETS: dict[str, tuple[str, str, tuple[str, ...] | None]] = {
    "ru-en 21": ("wmt21", "ru-en", ("refA",)),
    "ja-en 21": ("wmt21", "ja-en", None),
    "is-en 21": ("wmt21", "is-en", None),
    "zh-en TED": ("ted-mqm", "zh-en", None),
    "cs-en 13": ("wmt13", "cs-en", None),
    "de-en 13": ("wmt13", "de-en", None),
    "es-en 13": ("wmt13", "es-en", None),
    "fr-en 13": ("wmt13", "fr-en", None),
}
"""Name to folder and references (all, where none are named)."""


@dataclass
class DocumentSet:
    """Human scores (systems, documents), NaN where nobody judged, and metric scores beside them."""

    name: str
    evalset: EvalSet
    human: Floats
    metrics: dict[str, Floats] = field(default_factory=dict)

    @property
    def family(self) -> str:
        """Sets of a family share documents: none is tested with what another was tuned on."""
        return "13" if self.name.endswith("13") else self.name

    @property
    def relative(self) -> bool:
        """Whether human scores compare the systems of one document only."""
        return self.family == "13"

    def shown(self, scores: Floats, relative: bool | None = None) -> Floats:
        """Scores of judged points (NaN elsewhere), from the document's mean on relative sets."""
        found = np.where(np.isnan(self.human), np.nan, scores)
        if self.relative if relative is None else relative:
            found = found - np.nanmean(found, axis=0, keepdims=True)
        return found

    def points(self, scores: Floats, relative: bool | None = None) -> tuple[Floats, Floats]:
        """Metric and human scores of all judged (system, document)."""
        judged = ~np.isnan(self.human)
        return self.shown(scores, relative)[judged], self.shown(self.human, relative)[judged]

    def pearson(self, scores: Floats, relative: bool | None = None) -> float:
        """Pearson's r over all points."""
        return float(pearson(*self.points(scores, relative)))

    def kendall(self, scores: Floats, relative: bool | None = None) -> float:
        """Kendall's tau over all points."""
        return kendall(*self.points(scores, relative))


def pearson_within(one: DocumentSet, scores: Floats) -> float:
    """The mean over documents of Pearson's r between systems."""
    return float(np.nanmean(pearson(scores.T, one.human.T)))


def kendall_within(one: DocumentSet, scores: Floats) -> float:
    """The mean over documents of Kendall's tau between systems."""
    found = [kendall(s, h) for s, h in zip(scores.T, one.human.T, strict=True)]
    return float(np.nanmean(found))


def load(data: Path, name: str) -> DocumentSet:
    """A set with its human document scores; only judged systems."""
    folder, pair, references = SETS[name]
    judged = judged_set(data, folder, pair, "z" if folder == "wmt21" else None)
    evalset = judged.select(references=references).evalset
    return DocumentSet(name, evalset, document_scores(evalset, judged.judgments))


def document_scores(evalset: EvalSet, judgments: Pairs | Ratings) -> Floats:
    """Human scores of documents: (systems, documents)."""
    documents = evalset.documents
    if isinstance(judgments, Ratings):
        reference = next(iter(evalset.references.values()))
        return judgments.document_scores(documents, [max(1, len(r.split())) for r in reference])
    of_segment = np.repeat(np.arange(len(documents)), [len(d) for d in documents])
    by_document = replace(judgments, segment=of_segment[judgments.segment])
    return by_document.ratings(len(documents)).matrix(len(documents))


def add_metrics(
    sets: Sequence[DocumentSet],
    names: Sequence[str],
    scores: Scores,
    with_model: Collection[str] = tuple(SETS),
) -> Mapping[str, str]:
    """Score every set by every metric; returns those that could not, with the reason.

    Metrics that need the model score only the sets named in ``with_model``.
    """
    gaps: dict[str, str] = {}
    for name in names:
        try:
            chosen = metric(name)
            for one in sets:
                if chosen.annotated and one.name not in with_model:
                    gaps[f"{name} on {one.name}"] = "not asked for (--model-sets)"
                    continue
                if chosen.unit is Unit.SEGMENT:
                    found = scores.table(one.evalset, [name]).columns.get(str(chosen))
                    if found is None:
                        raise MetricError(scores.gaps[str(chosen)])
                    one.metrics[name] = found.at("document") / chosen.scale
                else:
                    one.metrics[name] = _document_scores(one, chosen, scores)
        except (AlbeitError, ImportError) as error:
            gaps[name] = str(error).split(". ")[0]
    return gaps


def _document_scores(one: DocumentSet, chosen: Metric, scores: Scores) -> Floats:
    """A document metric's scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        return score(one.evalset, [chosen], workers=scores.workers)[chosen].at("document")


def chain_counts(one: DocumentSet) -> tuple[float, Floats]:
    """The mean number of chains a document: in references, and in each system."""

    def mean(lines: Sequence[str]) -> float:
        texts = [tuple(lines[d.rows]) for d in one.evalset.documents]
        found = annotate_documents(texts, frozenset({CHAINS}), one.evalset.target_lang)
        return float(np.mean([len(found[text][CHAINS]) for text in texts]))

    people = float(np.mean([mean(lines) for lines in one.evalset.references.values()]))
    return people, np.array([mean(lines) for lines in one.evalset.systems.values()])
