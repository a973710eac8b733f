"""From what a user asks for to those who work: processes, a cluster, or somebody else's.

An engine that is named by an address, ``SCHEME://REST``, is one line in :data:`ENGINES`, or, from
another package, an entry point in the group ``albeit.engines`` (scheme =
"package.module:function"): a function of ``REST`` that gives a context manager of an executor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from albeit.engine.workers import Executor, Here
from albeit.engine.workers.pool import Pool
from albeit.errors import AlbeitError, MissingExtraError
from albeit.plugins import loaded, plugins

__all__ = ["Engine", "Team", "check_address", "employed"]

AHEAD = 2
"""How many portions a worker wait in the queue, so that none is ever idle."""

ENGINES = {"dask": "albeit.engine.workers.dask:connected"}
"""Scheme of an address to what connects."""
GROUP = "albeit.engines"

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
            engine = stack.enter_context(_connected(engine))
        if type(engine).__module__.partition(".")[0] == "distributed":
            from albeit.engine.workers.dask import Dask

            engine = stack.enter_context(Dask(engine, allow_mixed=allow_mixed))
        yield Team(engine, workers)


def check_address(address: str) -> tuple[str, str, str]:
    """Scheme, rest and what connects, of an engine's address; raises where it names no engine.

    Asked before any work, so that whether an address is refused does not depend on a cache.
    """
    scheme, _, rest = address.partition("://")
    target = ENGINES.get(scheme) or plugins(GROUP).get(scheme)
    if target is None or not rest:
        added = "".join(f", {each}://…" for each in plugins(GROUP))
        raise AlbeitError(
            f"{address!r} names no engine. Give dask://HOST:PORT, or dask://FILE.json, the"
            f" scheduler's file{added}; without, processes of this machine work (--workers N)."
        )
    if scheme == "dask" and find_spec("distributed") is None:
        raise MissingExtraError(f"{address} needs Dask. Install it: pip install 'albeit[dask]'")
    return scheme, rest, target


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    scheme, rest, target = check_address(address)
    connect: Any = loaded("engine", scheme, target)
    with connect(rest) as executor:
        yield executor
