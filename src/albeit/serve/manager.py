"""Runs under way: a queue, a few processes at a time, limits, and an end to each.

One thread a slot takes runs from the queue and waits for their process. Whatever happens
in that process (an error, a kill, too long a time) becomes the run's state; the server
goes on.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass

from albeit.serve.runs import STOPPED, Run, RunStateError, read_json

__all__ = ["Limits", "Manager"]


@dataclass(frozen=True)
class Limits:
    """How much a server takes on."""

    upload: int = 64 * 2**20
    """Bytes of one request."""
    waiting: int = 20
    """Runs that may wait in the queue."""
    at_once: int = 1
    """Runs that work at the same time."""
    seconds: float = 6 * 3600.0
    """How long one run may work."""
    explain_seconds: float = 120.0
    """How long one explanation may take, the first one's loading of the model included."""
    request_seconds: float = 60.0
    """How long a request's headers, and then its body, may take to arrive."""


class Manager:
    """Starts, watches and ends the processes of runs."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._queue: queue.Queue[Run | None] = queue.Queue()
        self._working: dict[str, subprocess.Popen[bytes]] = {}
        self._cancelled: set[str] = set()
        self._closing = False
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._slot, daemon=True) for _ in range(limits.at_once)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, run: Run) -> None:
        """Queue a run."""
        run.enter("queued")
        self._queue.put(run)

    @property
    def full(self) -> bool:
        """Whether no more runs are taken."""
        return self._queue.qsize() >= self.limits.waiting

    def cancel(self, run: Run) -> None:
        """End a run, whether it waits or works."""
        if run.state.get("state") not in ("queued", "running"):
            raise RunStateError("the run is not under way.")
        with self._lock:
            self._cancelled.add(run.id)
            process = self._working.get(run.id)
            if process is None:
                run.enter("cancelled")
        if process is not None:
            _end(process)

    def close(self) -> None:
        """End all work; what was under way or waits is ``interrupted``, and can be started again."""
        with self._lock:
            self._closing = True
            for process in self._working.values():
                _end(process)
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(10)

    def _slot(self) -> None:
        while (run := self._queue.get()) is not None:
            with contextlib.suppress(FileNotFoundError):  # deleted while it waited
                self._work(run)

    def _work(self, run: Run) -> None:
        with self._lock:
            if self._closing or run.state.get("state") != "queued":  # cancelled while it waited
                return
            self._cancelled.discard(run.id)
            run.enter("running")
            with (run.folder / "log.txt").open("wb") as log:
                process = subprocess.Popen(
                    [sys.executable, "-m", "albeit.serve.job", str(run.folder)],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            self._working[run.id] = process
        try:
            status = process.wait(self.limits.seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            run.enter("failed", error=f"it took longer than {self.limits.seconds:,.0f} seconds.")
            return
        finally:
            if process.stdin is not None:
                process.stdin.close()
            with self._lock:
                del self._working[run.id]
        if run.id in self._cancelled:
            run.enter("cancelled")
        elif self._closing:
            run.enter("interrupted", error=STOPPED)
        elif status == 0:
            run.enter("done")
        else:
            said = read_json(run.folder / "error.json").get("error")
            run.enter(
                "failed", error=said or f"its process ended with status {status}; see log.txt."
            )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop a process and whatever it started: kindly, then not."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        try:
            process.wait(5)
            return
        except subprocess.TimeoutExpired:
            continue
