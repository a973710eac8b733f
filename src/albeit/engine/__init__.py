"""Where metrics run: a plan of what is to be done, the work itself, and whoever does it."""

from albeit.engine.executor import Executor, Here, Pool, WorkerError
from albeit.engine.scoring import Progress, check, score, unusable
from albeit.engine.store import Store, open_store

__all__ = [
    "Executor",
    "Here",
    "Pool",
    "Progress",
    "Store",
    "WorkerError",
    "check",
    "open_store",
    "score",
    "unusable",
]
