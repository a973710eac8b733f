"""Workers of a Dask cluster, on any number of machines.

The job travels once per worker, by a plugin that the scheduler also gives to workers that come
later or are started again; with a call go its portion and back its statistics. A worker that
dies is Dask's to replace: it tries a call again, and when several workers have died of it, we
raise an error. (Before :mod:`albeit.evaluation.workers.engines` asks for it, nothing here is imported.)
"""

from __future__ import annotations

import logging
import pickle
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import distributed
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from albeit.errors import AlbeitError, AlbeitWarning
from albeit.evaluation.workers import WorkerDiedError
from albeit.evaluation.workers.environment import environment, require_one

__all__ = ["Dask", "connected"]

_PATIENCE = 10
"""Seconds in which a scheduler must answer."""
_FRESH = 2.0
"""Seconds for which what is known of the cluster counts as known."""
_TRIES = 3
"""How often it is tried again to ask workers of which one died."""
_LOOK = 15.0
"""Seconds after which it is looked whether anybody is left to work."""


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at ``HOST:PORT``, or of the one that a ``.json`` file names."""
    for name in ("distributed", "distributed.client"):  # what matters is said by us
        logging.getLogger(name).setLevel(logging.CRITICAL)
    by_file = address.endswith(".json")
    open_client: Any = distributed.Client
    try:
        if by_file and not Path(address).exists():
            raise FileNotFoundError("there is no such file")  # Dask would wait for it for ever
        where = {"scheduler_file" if by_file else "address": address}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions; those that matter are compared below
            client = open_client(timeout=_PATIENCE, set_as_default=False, **where)
    except (OSError, TimeoutError, ValueError) as error:
        raise AlbeitError(
            f"no Dask scheduler answers at {address} ({error or type(error).__name__}). Start one"
            " with 'dask scheduler', and workers with 'dask worker HOST:PORT --nthreads 1'."
        ) from None
    try:
        yield client
    finally:
        with suppress(OSError, TimeoutError):  # there may be nobody to take leave of
            client.close(timeout=_PATIENCE)


class Dask:
    """A cluster that works, as long as the ``with`` block lasts; the client stays the caller's."""

    def __init__(self, client: Any, *, allow_mixed: bool = False) -> None:
        self._client = client
        self._run = f"albeit-{uuid.uuid4().hex}"
        self._begun = self._deserted = False
        self._threads: tuple[float, dict[str, int]] = 0.0, {}
        self._check(allow_mixed)

    def __enter__(self) -> Dask:
        return self

    def __exit__(self, *_: object) -> None:
        if self._begun and self._client.status == "running":
            with suppress(*_GONE, OSError, TimeoutError):  # said already, if it matters
                self._client.unregister_worker_plugin(self._run)

    def _check(self, allow_mixed: bool) -> None:
        """Refuse workers whose programs or processors could change a score."""
        there = self._asked(lambda: self._client.run(_environment, on_error="return"))
        there = {w: e for w, e in there.items() if not isinstance(e, OSError)}  # it has just died
        if not there:
            what = "the Dask cluster has no workers yet; the work waits for the first."
            warnings.warn(AlbeitWarning(what), stacklevel=3)
        for worker, found in there.items():
            if isinstance(found, BaseException):
                raise AlbeitError(f"Dask worker {worker} cannot run albeit: {found!r}")
        here = [("this process", environment())]
        require_one(
            [*here, *((f"Dask worker {w}", e) for w, e in there.items())], allow_mixed=allow_mixed
        )

    def submit(self, function: Callable[..., Any], shared: Any, /, *args: Any) -> _Pending:
        """Put the call in the scheduler's queue."""
        if not self._begun:
            plugin = _Shared(self._run, shared)
            self._asked(lambda: self._client.register_plugin(plugin, name=self._run))
            self._begun = True
        with _scheduler_there():
            call = pickle.dumps((function, args), pickle.HIGHEST_PROTOCOL)
            key = f"{self._run}-{uuid.uuid4().hex}"
            future = self._client.submit(_call, self._run, call, key=key, pure=False)
            return _Pending(future, self._tell_if_deserted)

    def _asked(self, ask: Callable[[], Any]) -> Any:
        """What all workers answer; if one dies meanwhile, the others are asked again."""
        for _ in range(_TRIES):
            with suppress(CommClosedError):
                return ask()
            time.sleep(1)
        with _scheduler_there():
            return ask()

    def capacity(self) -> int:
        """How many calls the workers can work on at once."""
        return max(1, sum(self._known().values()))

    def status(self) -> str:
        """Who works, in words."""
        return f"{len(self._known())} Dask workers"

    def _tell_if_deserted(self) -> None:
        """Others may come: a cluster that grows and shrinks has none at times."""
        deserted = not self._known()
        if deserted and not self._deserted:
            what = "no Dask worker is left; the work waits for others (Ctrl-C ends it)."
            warnings.warn(AlbeitWarning(what), stacklevel=2)
        self._deserted = deserted

    def _known(self) -> dict[str, int]:
        asked, known = self._threads
        if time.monotonic() - asked > _FRESH:
            with _scheduler_there():
                known = dict(self._client.nthreads())
            self._threads = time.monotonic(), known
        return known


class _Pending:
    """A call on its way."""

    def __init__(self, future: Any, look: Callable[[], None]) -> None:
        self._future, self._look = future, look

    def result(self) -> Any:
        """Its result; a call that several workers died of is reported as such."""
        while True:
            try:
                with _scheduler_there():
                    found = self._future.result(timeout=_LOOK)
                break
            except KilledWorker as killed:
                raise WorkerDiedError(killed.allowed_failures + 1) from None
            except TimeoutError:
                if self._future.done():  # it is the call's own
                    raise
                self._look()
        self._future.release()
        return pickle.loads(found)


_GONE = (
    CommClosedError,
    CancelledError,
    distributed.client.FutureCancelledError,
    getattr(distributed.client, "ClosedClientError", CommClosedError),  # since 2025
)
"""What a client says of a scheduler that is there no more."""


@contextmanager
def _scheduler_there() -> Iterator[None]:
    try:
        yield
    except _GONE as error:
        raise AlbeitError(
            f"the Dask scheduler has gone ({type(error).__name__}). What was kept with --out is"
            " there: start the cluster again, and run the same command."
        ) from None


_shared: dict[str, Any] = {}


class _Shared(distributed.WorkerPlugin):
    """What all calls of a run share, kept in every worker."""

    def __init__(self, run: str, shared: Any) -> None:
        self._run, self._data = run, pickle.dumps(shared)

    def setup(self, worker: Any) -> None:
        """When the worker starts, or the run does."""
        _shared[self._run] = pickle.loads(self._data)

    def teardown(self, worker: Any) -> None:
        """When the run is over."""
        _shared.pop(self._run, None)


def _call(run: str, call: bytes) -> bytes:
    """What travels is bytes: anything else is unpacked and packed again on every leg of the way."""
    function, args = pickle.loads(call)
    return pickle.dumps(function(_shared[run], *args), pickle.HIGHEST_PROTOCOL)


def _environment() -> Any:
    return environment()
