"""From what a user asks for to those who work: processes, a cluster, or somebody else's.

A Dask cluster has an address: ``dask://HOST:PORT``, or ``dask://FILE.json``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from albeit.errors import AlbeitError, MissingExtraError
from albeit.evaluation.workers import Executor, Here
from albeit.evaluation.workers.pool import Pool

__all__ = ["Engine", "Team", "check_address", "employed"]

AHEAD = 2
"""How many portions a worker wait in the queue, so that none is ever idle."""

Engine = Any
"""What may be asked to do the work: anything with ``submit``, a ``distributed.Client``, or an
address, such as a scheduler's, ``dask://HOST:PORT``."""


@dataclass(frozen=True)
class Team:
    """Who works, and how many of them there are unless they say so themselves."""

    executor: Executor
    workers: int

    def ahead(self) -> int:
        """How many portions they are given beyond the one that is waited for."""
        capacity: int = getattr(self.executor, "capacity", lambda: self.workers)()
        return AHEAD * capacity

    def status(self) -> str:
        """Who works, in words."""
        said: str = getattr(self.executor, "status", str)()
        return said


@contextmanager
def employed(
    engine: Engine | None,
    workers: int,
    portions: int | None = None,
    *,
    apart: bool = False,
    allow_mixed: bool = False,
) -> Iterator[Team]:
    """Those who work, for as long as they are needed.

    Without an engine it is this process, or that many others; no more than there are
    ``portions``, where that is known. ``apart`` asks for another process in any case.
    """
    if workers < 0:
        raise AlbeitError(f"the number of workers must be 0 (one per core) or more, not {workers}.")
    workers = workers or os.cpu_count() or 1
    if engine is None:
        workers = workers if portions is None else min(workers, portions)
        if workers == 1 and not apart:
            yield Team(Here(), 0)
            return
        with Pool(workers) as pool:
            yield Team(pool, workers)
        return
    with ExitStack() as stack:
        if isinstance(engine, str):
            address = check_address(engine)
            from albeit.evaluation.workers.dask import connected

            engine = stack.enter_context(connected(address))
        if type(engine).__module__.partition(".")[0] == "distributed":
            from albeit.evaluation.workers.dask import Dask

            engine = stack.enter_context(Dask(engine, allow_mixed=allow_mixed))
        yield Team(engine, workers)


def check_address(address: str) -> str:
    """Return a Dask cluster's address without its scheme; raise if it isn't one.

    Called before any work, so that the result doesn't depend on a cache.
    """
    scheme, _, rest = address.partition("://")
    if scheme != "dask" or not rest:
        raise AlbeitError(
            f"{address!r} names no engine. Give dask://HOST:PORT, or dask://FILE.json, the"
            " scheduler's file; without, processes of this machine work (--workers N)."
        )
    if find_spec("distributed") is None:
        raise MissingExtraError(f"{address} needs Dask. Install it: pip install 'albeit[dask]'")
    return rest
