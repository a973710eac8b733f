"""Run jobs: a queue, some processes at a time, limits, and an end state for each run.

An error, a kill, a time limit, or a full disk ends that run; the server continues.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import asdict
from functools import partial

from albeit.serve.runs import STOPPED, Limits, Run, ServerError


class Manager:
    """Start, watch, and end the processes of runs."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._slots = asyncio.Semaphore(limits.at_once)
        self._tasks: dict[str, asyncio.Task[str]] = {}
        self._waiting: set[str] = set()
        self._cancelled: set[str] = set()

    def check_queue(self) -> None:
        """Raise an error if no more runs may wait."""
        if len(self._waiting) >= self.limits.waiting:
            raise ServerError(503, "too many runs are waiting; try again later.")

    def check_idle(self, run: Run) -> None:
        """Raise an error if a run waits or works."""
        if run.id in self._tasks:
            raise ServerError(409, "the run is under way; cancel it first.")

    def submit(self, run: Run) -> None:
        """Queue a run; results of an earlier attempt are removed."""
        self.check_idle(run)
        self.check_queue()
        run.clean(results=True)
        run.enter("queued")
        self._waiting.add(run.id)
        task = self._tasks[run.id] = asyncio.create_task(self._process(run))
        task.add_done_callback(partial(self._finish, run))

    async def cancel(self, run: Run) -> None:
        """End a run that waits or works."""
        if run.id not in self._tasks:
            raise ServerError(409, "the run is not under way.")
        self._cancelled.add(run.id)
        await self._stop([self._tasks[run.id]])

    async def close(self) -> None:
        """End all work; runs that wait or work become ``interrupted``."""
        await self._stop(list(self._tasks.values()))

    async def _stop(self, tasks: list[asyncio.Task[str]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _process(self, run: Run) -> str:
        """Score a run once there is a slot; return the reason if it failed."""
        async with self._slots:
            self._waiting.discard(run.id)
            run.enter("running")
            words = [sys.executable, "-m", "albeit.serve.job", str(run.folder)]
            words.append(json.dumps(asdict(self.limits)))
            with (run.folder / "log.txt").open("wb") as log:
                process = await asyncio.create_subprocess_exec(
                    *words, stdin=PIPE, stdout=log, stderr=log, start_new_session=True
                )
            try:
                status = await asyncio.wait_for(process.wait(), self.limits.seconds)
            except TimeoutError:
                return f"it took longer than {self.limits.seconds:,.0f} seconds."
            finally:
                await _end(process)  # also what the process started
                run.clean()
        if status == -signal.SIGALRM:
            limit = self.limits.check_seconds
            return f"reading and checking the texts took longer than {limit:,} seconds."
        died = f"its process ended with status {status}; see log.txt."
        return str(run.read("error").get("error", died)) if status else ""

    def _finish(self, run: Run, task: asyncio.Task[str]) -> None:
        """Put a run into its end state."""
        del self._tasks[run.id]
        self._waiting.discard(run.id)
        state, reason = "done", ""
        if task.cancelled():
            by_user = run.id in self._cancelled
            state, reason = ("cancelled", "") if by_user else ("interrupted", STOPPED)
        elif error := task.exception():
            state, reason = "failed", f"the run cannot be processed: {error}"
        elif reason := task.result():
            state = "failed"
        self._cancelled.discard(run.id)
        with suppress(OSError):  # then the run counts as damaged
            run.enter(state, reason)


async def _end(process: Process) -> None:
    """End a process and all that it started: by SIGTERM, then by SIGKILL."""
    with suppress(ProcessLookupError, PermissionError):
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGTERM)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 5)
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
