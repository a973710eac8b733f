"""Evaluate test sets with metrics: validate, score, and explain; executors; runs on disk."""

from importlib import import_module
from typing import TYPE_CHECKING

from albeit.evaluation.api import explain, recommended, recommended_into, score, unusable_into
from albeit.evaluation.evaluation import Evaluation, Passage
from albeit.evaluation.scoring import Progress, ProgressLine, WorkerError, Workers
from albeit.store import Store, open_store

if TYPE_CHECKING:
    from albeit.evaluation.executors import Pool
    from albeit.evaluation.partitions import merge, read_run, score_partitions

__all__ = [
    "Evaluation",
    "Passage",
    "Pool",
    "Progress",
    "ProgressLine",
    "Store",
    "WorkerError",
    "Workers",
    "explain",
    "merge",
    "open_store",
    "read_run",
    "recommended",
    "recommended_into",
    "score",
    "score_partitions",
    "unusable_into",
]

if not TYPE_CHECKING:  # most runs have neither worker processes nor partitions

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'albeit.evaluation' has no attribute {name!r}")
        home = "executors" if name == "Pool" else "partitions"
        return getattr(import_module(f"albeit.evaluation.{home}"), name)
