"""Where metrics run: a plan of what is to be done, the work itself, and whoever does it."""

from albeit.engine.checks import check, unusable
from albeit.engine.executor import Executor, Here, WorkerError
from albeit.engine.merge import merge
from albeit.engine.pool import Pool
from albeit.engine.scoring import Progress, score
from albeit.engine.store import Store, open_store
from albeit.engine.streaming import Shard, score_stream

__all__ = [
    "Executor",
    "Here",
    "Pool",
    "Progress",
    "Shard",
    "Store",
    "WorkerError",
    "check",
    "merge",
    "open_store",
    "score",
    "score_stream",
    "unusable",
]
