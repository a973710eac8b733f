"""Where metrics run: an evaluation of a set, a plan of what is to be done, and whoever does it."""

from albeit.evaluation.checks import check, recommended, recommended_into, unusable_into
from albeit.evaluation.evaluation import Evaluation, explain, score
from albeit.evaluation.partitions import merge, score_partitions
from albeit.evaluation.passages import Passage
from albeit.evaluation.scoring import Effort, Progress
from albeit.evaluation.store import Store, open_store
from albeit.evaluation.workers import Executor, Here, WorkerError
from albeit.evaluation.workers.pool import Pool

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
