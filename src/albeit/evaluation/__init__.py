"""Evaluate test sets with metrics: validate, score, and explain; executors; runs on disk."""

from albeit.evaluation.api import explain, score
from albeit.evaluation.checks import Passage, check, recommended, recommended_into, unusable_into
from albeit.evaluation.evaluation import Evaluation
from albeit.evaluation.executors import Executor, Here, Pool, WorkerError
from albeit.evaluation.partitions import merge, score_partitions
from albeit.evaluation.scoring import Effort, Progress
from albeit.store import Store, open_store

__all__ = [
    "Effort",
    "Evaluation",
    "Executor",
    "Here",
    "Passage",
    "Pool",
    "Progress",
    "Store",
    "WorkerError",
    "check",
    "explain",
    "merge",
    "open_store",
    "recommended",
    "recommended_into",
    "score",
    "score_partitions",
    "unusable_into",
]
