"""A plan carried out by whoever works, in order, whatever happens to them.

A worker that dies costs its portion a retry. One that dies three retries long is halved, and
its halves again, until the one document (or segment, where segments stand alone) is known that
kills; that ends the run with its name, or is left out and counted if so asked. A portion that
takes longer than it may ends its worker, which comes to the same.
"""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import Document
from albeit.evaluation.plan import Job, Portion
from albeit.evaluation.work import Limit, Made, work_within
from albeit.evaluation.workers import Executor, Pending, WorkerDiedError, WorkerError
from albeit.evaluation.workers.environment import Environment, environment, require_one

__all__ = ["Done", "Faults", "OnError", "carried_out"]

RETRIES = 3
"""How often a portion whose worker died is tried again before it is halved."""

OnError = Literal["stop", "skip"]
"""What becomes of a document that kills its workers."""


@dataclass
class Faults:
    """What is to be done about faults, and how many there were."""

    on_error: OnError = "stop"
    batch_timeout: float | None = None
    """Seconds that a portion may take."""
    allow_mixed: bool = False
    """Whether workers may be unlike this process in what could change a score's last bit."""
    retries: int = 0
    left_out: list[Document] = field(default_factory=list)
    """Documents that killed, at their places in the whole set."""

    def status(self) -> str:
        """What went wrong so far, in words."""
        counts = (self.retries, "retries"), (len(self.left_out), "left out")
        return ", ".join(f"{count} {what}" for count, what in counts if count)


@dataclass(frozen=True)
class Done:
    """What a portion gave: each wanted metric's statistics, without what was left out.

    Those of a batch that was done in one piece come ``packed`` as its part.
    """

    portion: Portion
    statistics: list[FloatArray] | None
    """``None`` where nothing is left of the portion, or where they are packed."""
    left_out: tuple[Document, ...] = ()
    environment: Environment = field(default_factory=environment)
    packed: bytes | None = None

    @classmethod
    def of(cls, portion: Portion, pieces: list[Done]) -> Done:
        """A portion's, from those of its pieces in order."""
        found = [piece.statistics for piece in pieces if piece.statistics is not None]
        left_out = tuple(each for piece in pieces for each in piece.left_out)
        whole = [np.concatenate(rows, axis=1) for rows in zip(*found, strict=True)]
        return cls(portion, whole if found else None, left_out, pieces[-1].environment)


def carried_out(
    executor: Executor,
    job: Job,
    portions: Iterable[Portion],
    ahead: Callable[[], int],
    faults: Faults,
) -> Iterator[Done]:
    """The results in the order of the portions; ``ahead`` says how many are begun before it is
    waited for the first of them.

    So beyond the set itself memory holds nothing but statistics.
    """
    work = _Work(executor, job, faults)
    under_way: deque[tuple[Portion, Pending]] = deque()
    for portion in portions:
        under_way.append((portion, work.begun(portion)))
        if len(under_way) > ahead():
            yield work.ended(*under_way.popleft())
    while under_way:
        yield work.ended(*under_way.popleft())


class _Work:
    """One job, and somebody to do it."""

    def __init__(self, executor: Executor, job: Job, faults: Faults) -> None:
        self._executor, self._job, self._faults = executor, job, faults
        self._limit = None if faults.batch_timeout is None else Limit.here(faults.batch_timeout)

    def begun(self, portion: Portion) -> Pending:
        """The portion in the queue."""
        try:
            return self._executor.submit(work_within, self._job, portion, self._limit)
        except BrokenExecutor as error:
            raise _broken() from error

    def ended(self, portion: Portion, future: Pending, tries: int = RETRIES) -> Done:
        """The portion's result, tried again and halved as need be."""
        deaths = 0
        while True:
            try:
                return self._accepted(portion, future.result())
            except WorkerDiedError as death:
                deaths += death.deaths
            except MemoryError:
                deaths += 1
            except OSError as error:  # such as a full disk, of that one worker perhaps
                deaths += 1
                if error.errno != errno.ENOSPC or deaths > RETRIES:
                    raise
            except BrokenExecutor as error:
                raise _broken() from error
            if deaths > (tries if len(portion.halves(self._job)) > 1 else RETRIES):
                return self._narrowed(portion, deaths)
            self._faults.retries += 1
            future = self.begun(portion)

    def _accepted(self, portion: Portion, made: Made) -> Done:
        """A result, unless its maker could have made it otherwise than we would."""
        here, there = ("this process", environment()), (f"worker {made.host}", made.environment)
        require_one([here, there], allow_mixed=self._faults.allow_mixed)
        return Done(portion, made.statistics, environment=made.environment, packed=made.packed)

    def _narrowed(self, portion: Portion, deaths: int) -> Done:
        """A portion that kills, in halves; what cannot be halved is to blame."""
        halves = portion.halves(self._job)
        if len(halves) > 1:
            return Done.of(portion, [self.ended(half, self.begun(half), 0) for half in halves])
        (document,) = portion.places()
        if self._faults.on_error == "skip":
            self._faults.left_out.append(document)
            return Done(portion, None, (document,))
        limit = self._faults.batch_timeout
        late = "" if limit is None else f" or took longer than {limit:g} s"
        raise WorkerError(
            f"a worker process died{late} {deaths} times over {portion.named(self._job)}. If the"
            " machine is short of memory, use fewer --workers; --on-error skip leaves it out."
        )


def _broken() -> WorkerError:
    """What can be said of another's executor that does not go on after a death."""
    return WorkerError("a worker process died, and its executor does not go on without it.")
