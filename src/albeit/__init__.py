"""Score translations for discourse, and correlate any metric with human judgments.

The names below are the public API. Each is imported when it is first used, so ``import albeit``
takes little time. See ``docs/api.md``.
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
    from albeit.data.evalset import Unit
    from albeit.diagnose.check import Finding, check
    from albeit.evaluation import Evaluation, corpus_score, explain, score, sentence_scores
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

_NAMES = {
    "albeit.data": "Document EvalSet Format build_evalset read write",
    "albeit.data.evalset": "Unit",
    "albeit.diagnose.check": "Finding check",
    "albeit.evaluation": "Evaluation corpus_score explain score sentence_scores",
    "albeit.metaeval": "JudgedSet Measure Ranking Task rank_metrics read_judged",
    "albeit.metrics.base": "Batch Metric",
    "albeit.metrics.registry": "metric",
    "albeit.metrics.significance": "Comparison compare confidence",
    "albeit.metrics.table": "Score ScoreTable",
    "albeit.metrics.view": "View",
    "albeit.parsing.layers": "Analysis Layer",
    "albeit.parsing.needs": "Need Side",
    "albeit.report": "render",
    "albeit.rerank": "pairwise",
}
"""Modules, and the public names that are imported from them."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

# onnxruntime reports to its makers unless this is set before it is first loaded; processes that
# albeit starts inherit it
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


if not TYPE_CHECKING:  # a type checker sees the imports above, and so finds wrong names

    def __getattr__(name: str) -> object:
        if name == "annotate":  # an old name of the package, until version 0.4
            return import_module("albeit.parsing")
        if name not in _HOMES:
            raise AttributeError(f"module 'albeit' has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
