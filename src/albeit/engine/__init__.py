"""Where metrics run: an evaluation of a set, a plan of what is to be done, and whoever does it."""

from albeit.engine.checks import check, unusable_into
from albeit.engine.evaluation import Evaluation, explain, score
from albeit.engine.executor import Executor, Here, WorkerError
from albeit.engine.merge import merge
from albeit.engine.passages import Passage
from albeit.engine.pool import Pool
from albeit.engine.scoring import Effort, Progress
from albeit.engine.store import Store, open_store
from albeit.engine.streaming import Shard, score_stream

__all__ = [
    "Effort",
    "Evaluation",
    "Executor",
    "Here",
    "Passage",
    "Pool",
    "Progress",
    "Shard",
    "Store",
    "WorkerError",
    "check",
    "explain",
    "merge",
    "open_store",
    "score",
    "score_stream",
    "unusable_into",
]
