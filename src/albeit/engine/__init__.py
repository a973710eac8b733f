"""Where metrics run: an evaluation of a set, a plan of what is to be done, and whoever does it."""

from albeit.engine.checks import check, recommended, recommended_into, unusable_into
from albeit.engine.evaluation import Evaluation, explain, score
from albeit.engine.passages import Passage
from albeit.engine.runs.kept import merge
from albeit.engine.runs.streaming import score_stream
from albeit.engine.scoring import Effort, Progress
from albeit.engine.store import Store, open_store
from albeit.engine.workers import Executor, Here, WorkerError
from albeit.engine.workers.pool import Pool

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
    "score_stream",
    "unusable_into",
]
