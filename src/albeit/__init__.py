"""albeit scores translations for discourse, and says how far any metric agrees with people.

The names below are the public API; each is imported when it is first used, so that
``import albeit`` costs next to nothing. See ``docs/api.md``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from albeit._version import __version__
from albeit.errors import AlbeitError

if TYPE_CHECKING:
    from albeit._api import explain, score
    from albeit.corpus import build_evalset, read, write
    from albeit.corpus.evalset import Document, EvalSet
    from albeit.metrics.base import Metric
    from albeit.metrics.registry import metric
    from albeit.metrics.significance import Comparison, compare, confidence
    from albeit.metrics.table import Score, ScoreTable
    from albeit.metrics.view import View

__all__ = [
    "AlbeitError",
    "Comparison",
    "Document",
    "EvalSet",
    "Metric",
    "Score",
    "ScoreTable",
    "View",
    "__version__",
    "build_evalset",
    "compare",
    "confidence",
    "explain",
    "metric",
    "read",
    "score",
    "write",
]

_HOMES = {
    "Comparison": "albeit.metrics.significance",
    "Document": "albeit.corpus.evalset",
    "EvalSet": "albeit.corpus.evalset",
    "Metric": "albeit.metrics.base",
    "Score": "albeit.metrics.table",
    "ScoreTable": "albeit.metrics.table",
    "View": "albeit.metrics.view",
    "build_evalset": "albeit.corpus",
    "compare": "albeit.metrics.significance",
    "confidence": "albeit.metrics.significance",
    "explain": "albeit._api",
    "metric": "albeit.metrics.registry",
    "read": "albeit.corpus",
    "score": "albeit._api",
    "write": "albeit.corpus",
}


if not TYPE_CHECKING:  # a type checker sees the imports above, and so finds wrong names

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'albeit' has no attribute {name!r}")
        found = getattr(import_module(_HOMES[name]), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
