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
    from albeit import parsing as annotate
    from albeit.data import Document, EvalSet, Format, build_evalset, read, write
    from albeit.data.levels import Unit
    from albeit.diagnose.check import Finding, check
    from albeit.evaluation import Evaluation
    from albeit.evaluation.api import corpus_score, explain, score, sentence_scores
    from albeit.metaeval import JudgedSet, Measure, Ranking, Task, rank_metrics, read_judged
    from albeit.metrics.base import Batch, Metric
    from albeit.metrics.registry import metric
    from albeit.metrics.significance import Comparison, compare, confidence
    from albeit.metrics.table import Score, ScoreTable
    from albeit.metrics.view import View
    from albeit.parsing.layers import Analysis, Layer
    from albeit.parsing.needs import Need, Side
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
    "Analysis": "albeit.parsing.layers",
    "Batch": "albeit.metrics.base",
    "Comparison": "albeit.metrics.significance",
    "Document": "albeit.data",
    "EvalSet": "albeit.data",
    "Evaluation": "albeit.evaluation",
    "Finding": "albeit.diagnose.check",
    "Format": "albeit.data",
    "JudgedSet": "albeit.metaeval",
    "Layer": "albeit.parsing.layers",
    "Measure": "albeit.metaeval",
    "Metric": "albeit.metrics.base",
    "Need": "albeit.parsing.needs",
    "Ranking": "albeit.metaeval",
    "Score": "albeit.metrics.table",
    "ScoreTable": "albeit.metrics.table",
    "Side": "albeit.parsing.needs",
    "Task": "albeit.metaeval",
    "Unit": "albeit.data.levels",
    "View": "albeit.metrics.view",
    "build_evalset": "albeit.data",
    "check": "albeit.diagnose.check",
    "compare": "albeit.metrics.significance",
    "confidence": "albeit.metrics.significance",
    "corpus_score": "albeit.evaluation.api",
    "explain": "albeit.evaluation.api",
    "metric": "albeit.metrics.registry",
    "pairwise": "albeit.rerank",
    "rank_metrics": "albeit.metaeval",
    "read": "albeit.data",
    "read_judged": "albeit.metaeval",
    "render": "albeit.report",
    "score": "albeit.evaluation.api",
    "sentence_scores": "albeit.evaluation.api",
    "write": "albeit.data",
}

# onnxruntime reports to its makers unless this is set before it is first loaded; processes that
# albeit starts inherit it
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


if not TYPE_CHECKING:  # a type checker sees the imports above, and so finds wrong names

    def __getattr__(name: str) -> object:
        if name == "annotate":  # an old name of the package, until version 0.4
            return import_module("albeit.parsing")
        if name not in _HOMES:
            raise AttributeError(f"module 'albeit' has no attribute {name!r}")
        found = getattr(import_module(_HOMES[name]), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
