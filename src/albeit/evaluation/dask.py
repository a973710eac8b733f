"""Workers of a Dask cluster, on any number of machines.

The job is sent once per worker, by a plug-in that the scheduler also gives to later workers. Dask
replaces a worker that dies and tries its call again; if several workers died of a call, the call
fails with :class:`WorkerDiedError`.
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
from albeit.evaluation.executors import WorkerDiedError

_TIMEOUT = 10
"""Seconds in which a scheduler must answer."""
_FRESH = 2.0
"""Seconds for which the list of workers is cached."""
_TRIES = 3
"""How often to send the shared argument again if a worker died."""
_LOOK = 15.0
"""Seconds after which to check whether any worker is left."""
_GONE = (
    CommClosedError,
    CancelledError,
    distributed.client.FutureCancelledError,
    getattr(distributed.client, "ClosedClientError", CommClosedError),  # since 2025
)
"""Errors of a client whose scheduler has ended."""

_shared: dict[str, Any] = {}


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Open a client of the scheduler at ``HOST:PORT``, or in a ``.json`` file."""
    for name in ("distributed", "distributed.client"):  # errors are reported by albeit
        logging.getLogger(name).setLevel(logging.CRITICAL)
    by_file = address.endswith(".json")
    open_client: Any = distributed.Client
    try:
        if by_file and not Path(address).exists():
            raise FileNotFoundError("there is no such file")  # Dask would wait for it
        where = {"scheduler_file" if by_file else "address": address}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions; the relevant ones are compared below
            client = open_client(timeout=_TIMEOUT, set_as_default=False, **where)
    except (OSError, TimeoutError, ValueError) as error:
        raise AlbeitError(
            f"no Dask scheduler answers at {address} ({error or type(error).__name__}). Start one"
            " with 'dask scheduler', and workers with 'dask worker HOST:PORT --nthreads 1'."
        ) from None
    try:
        yield client
    finally:
        with suppress(OSError, TimeoutError):  # the scheduler may have ended
            client.close(timeout=_TIMEOUT)


class Dask:
    """An executor on a cluster for a ``with`` block; the client stays open."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._run = f"albeit-{uuid.uuid4().hex}"
        self._started = self._empty = False
        self._asked, self._threads = 0.0, dict[str, int]()
        self.warn_if_empty()

    def __enter__(self) -> Dask:
        return self

    def __exit__(self, *_: object) -> None:
        if self._started and self._client.status == "running":
            with suppress(*_GONE, OSError, TimeoutError):  # reported already, if it matters
                self._client.unregister_worker_plugin(self._run)

    def submit(self, function: Callable[..., Any], shared: Any, /, *args: Any) -> _Pending:
        """Add the call to the scheduler's queue."""
        with _report_end():
            if not self._started:
                self._share(shared)
            call = pickle.dumps((function, args), pickle.HIGHEST_PROTOCOL)
            return _Pending(self._client.submit(_call, self._run, call, pure=False), self)

    def _share(self, shared: Any) -> None:
        """Send the shared argument to all workers; if one dies meanwhile, to the others again."""
        plugin = _Shared(self._run, shared)
        for attempt in range(_TRIES):
            try:
                self._client.register_plugin(plugin, name=self._run)
                self._started = True
                return
            except ImportError as error:
                raise AlbeitError(f"Dask workers can't run albeit: {error!r}") from None
            except CommClosedError:
                if attempt == _TRIES - 1:
                    raise
                time.sleep(1)

    def capacity(self) -> int:
        """Return the number of calls that can run at the same time."""
        return max(1, sum(self._workers().values()))

    def status(self) -> str:
        """Describe the workers."""
        return f"{len(self._workers())} Dask workers"

    def warn_if_empty(self) -> None:
        """Warn once if there are no workers; an adaptive cluster may get others."""
        empty = not self._workers()
        if empty and not self._empty:
            message = "the Dask cluster has no workers; the run waits for some (Ctrl-C ends it)."
            warnings.warn(AlbeitWarning(message), stacklevel=2)
        self._empty = empty

    def _workers(self) -> dict[str, int]:
        if time.monotonic() - self._asked > _FRESH:
            with _report_end():
                self._threads = dict(self._client.nthreads())
            self._asked = time.monotonic()
        return self._threads


class _Pending:
    """A call on the cluster."""

    def __init__(self, future: Any, executor: Dask) -> None:
        self._future, self._executor = future, executor

    def result(self) -> Any:
        """Wait for the result; a call that several workers died of is reported as such."""
        while True:
            has_failed = self._future.status == "error"
            try:
                with _report_end():
                    return pickle.loads(self._future.result(timeout=_LOOK))
            except KilledWorker as killed:
                raise WorkerDiedError(killed.allowed_failures + 1) from None
            except TimeoutError:
                if has_failed:  # it is the call's own
                    raise
                self._executor.warn_if_empty()


@contextmanager
def _report_end() -> Iterator[None]:
    try:
        yield
    except _GONE as error:
        raise AlbeitError(
            f"the Dask scheduler has ended ({type(error).__name__}). The results in --out are"
            " complete so far: start the cluster again, and run the same command."
        ) from None


class _Shared(distributed.WorkerPlugin):
    """The shared argument of all calls of a run, in every worker."""

    def __init__(self, run: str, shared: Any) -> None:
        self._run, self._data = run, pickle.dumps(shared)

    def setup(self, worker: Any) -> None:
        """Unpack the argument when the worker or the run starts."""
        _shared[self._run] = pickle.loads(self._data)

    def teardown(self, worker: Any) -> None:
        """Delete the argument at the end of the run."""
        _shared.pop(self._run, None)


def _call(run: str, call: bytes) -> bytes:
    """Call a function; bytes aren't serialized again by Dask on each hop."""
    function, args = pickle.loads(call)
    return pickle.dumps(function(_shared[run], *args), pickle.HIGHEST_PROTOCOL)
