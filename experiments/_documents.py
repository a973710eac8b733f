"""Test sets as documents: metric scores and human scores of every (system, document).

A document's human score is the mean of its segments' scores weighted by the reference's
length (z-scores by judge for WMT21, MQM for TED), or the share of comparisons won where
people compared systems (WMT13).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import Scores, judged_set

from albeit.corpus import EvalSet
from albeit.corpus.judgments import Pairs, Ratings, read_judgments
from albeit.engine.local import score
from albeit.errors import AlbeitError, AlbeitWarning
from albeit.metrics.base import Level
from albeit.metrics.registry import metric
from albeit.stats.correlation import kendall, pearson

__all__ = ["SETS", "DocumentSet", "kendall_within", "load", "pearson_within"]

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
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def family(self) -> str:
        """Sets of a family share documents: none is tested with what another was tuned on."""
        return "13" if self.name.endswith("13") else self.name

    def points(self, scores: Floats) -> tuple[Floats, Floats]:
        """Metric and human scores of all judged (system, document)."""
        judged = ~np.isnan(self.human)
        return scores[judged], self.human[judged]

    def pearson(self, scores: Floats) -> float:
        """Pearson's r over all points."""
        return float(pearson(*self.points(scores)))

    def kendall(self, scores: Floats) -> float:
        """Kendall's tau over all points."""
        return kendall(*self.points(scores))


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
    evalset, judgments = judged_set(data, folder, pair)
    if references is not None:
        evalset = evalset.select(references=references)
    if folder == "wmt21":
        path = data / folder / pair / "human_seg_remapped.tsv"
        judgments = read_judgments(path, column="z")
    aligned = judgments.align(list(evalset.systems), len(evalset))
    return DocumentSet(name, evalset, document_scores(evalset, aligned))


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
    sets: Sequence[DocumentSet], names: Sequence[str], scores: Scores
) -> Mapping[str, str]:
    """Score every set by every metric; returns those that could not, with the reason.

    Segment metrics come from the scores kept on disk where they are; document metrics are
    computed and timed each time.
    """
    gaps: dict[str, str] = {}
    for name in names:
        try:
            chosen = metric(name)
        except (AlbeitError, ImportError) as error:
            gaps[name] = str(error).split(". ")[0]
            continue
        for one in sets:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", AlbeitWarning)
                try:
                    start = time.perf_counter()
                    if chosen.level is Level.SEGMENT:
                        column = scores.table(one.evalset, [name])[chosen]
                    else:
                        column = score(one.evalset, [chosen], workers=scores.workers)[chosen]
                except (AlbeitError, ImportError) as error:
                    gaps[name] = str(error).split(". ")[0]
                    break
            one.metrics[name] = column.at("document") / chosen.scale
            one.seconds[name] = time.perf_counter() - start
    return gaps
