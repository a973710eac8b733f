"""albeit scores translations for discourse, and says how far any metric agrees with people.

The names below are the public API; each is imported when it is first used, so that
``import albeit`` costs next to nothing. See ``docs/api.md``.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from albeit._version import __version__
from albeit.errors import AlbeitError

if TYPE_CHECKING:
    from albeit import annotate
    from albeit._api import explain, score
    from albeit._lists import corpus_score, sentence_scores
    from albeit.annotate.layer import Analysis, Layer
    from albeit.annotate.needs import Need, Side
    from albeit.corpus import Document, EvalSet, Format, build_evalset, read, write
    from albeit.corpus.levels import Unit
    from albeit.engine import Evaluation
    from albeit.flags.check import check
    from albeit.flags.finding import Finding
    from albeit.judged import JudgedSet, Task, read_judged
    from albeit.metaeval import Measure, Ranking, rank_metrics
    from albeit.metrics.base import Batch, Metric
    from albeit.metrics.registry import metric
    from albeit.metrics.significance import Comparison, compare, confidence
    from albeit.metrics.table import Score, ScoreTable
    from albeit.metrics.view import View
    from albeit.report import render
    from albeit.rerank import pairwise

__all__ = [
    "AlbeitError",
    "Analysis",
    "Batch",
    "Comparison",
    "Document",
    "EvalSet",
    "Evaluation",
    "Finding",
    "Format",
    "JudgedSet",
    "Layer",
    "Measure",
    "Metric",
    "Need",
    "Ranking",
    "Score",
    "ScoreTable",
    "Side",
    "Task",
    "Unit",
    "View",
    "__version__",
    "annotate",
    "build_evalset",
    "check",
    "compare",
    "confidence",
    "corpus_score",
    "explain",
    "metric",
    "pairwise",
    "rank_metrics",
    "read",
    "read_judged",
    "render",
    "score",
    "sentence_scores",
    "write",
]

_HOMES = {
    "Analysis": "albeit.annotate.layer",
    "Batch": "albeit.metrics.base",
    "Comparison": "albeit.metrics.significance",
    "Document": "albeit.corpus",
    "EvalSet": "albeit.corpus",
    "Evaluation": "albeit.engine",
    "Finding": "albeit.flags.finding",
    "Format": "albeit.corpus",
    "JudgedSet": "albeit.judged",
    "Layer": "albeit.annotate.layer",
    "Measure": "albeit.metaeval",
    "Metric": "albeit.metrics.base",
    "Need": "albeit.annotate.needs",
    "Ranking": "albeit.metaeval",
    "Score": "albeit.metrics.table",
    "ScoreTable": "albeit.metrics.table",
    "Side": "albeit.annotate.needs",
    "Task": "albeit.judged",
    "Unit": "albeit.corpus.levels",
    "View": "albeit.metrics.view",
    "build_evalset": "albeit.corpus",
    "check": "albeit.flags.check",
    "compare": "albeit.metrics.significance",
    "confidence": "albeit.metrics.significance",
    "corpus_score": "albeit._lists",
    "explain": "albeit._api",
    "metric": "albeit.metrics.registry",
    "pairwise": "albeit.rerank",
    "rank_metrics": "albeit.metaeval",
    "read": "albeit.corpus",
    "read_judged": "albeit.judged",
    "render": "albeit.report",
    "score": "albeit._api",
    "sentence_scores": "albeit._lists",
    "write": "albeit.corpus",
}

# onnxruntime reports to its makers unless this is set before it is first loaded; processes that
# albeit starts inherit it
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


if not TYPE_CHECKING:  # a type checker sees the imports above, and so finds wrong names

    def __getattr__(name: str) -> object:
        if name == "annotate":  # a package, beside whose name no function can stand
            return import_module("albeit.annotate")
        if name not in _HOMES:
            raise AttributeError(f"module 'albeit' has no attribute {name!r}")
        found = getattr(import_module(_HOMES[name]), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
