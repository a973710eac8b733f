"""Run jobs: a queue, a few processes at a time, limits, and an end state for each run.

One thread per slot takes runs from the queue and waits for their processes. An error, a kill, a
time limit, or a full disk ends that run; the slot and the server continue.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict

from albeit.serve.runs import (
    STOPPED,
    Limits,
    QueueFullError,
    Run,
    RunStateError,
    StorageError,
    read_json,
)


class Manager:
    """Starts, watches, and ends the processes of runs."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._waiting: dict[str, Run] = {}
        self._working: dict[str, subprocess.Popen[bytes]] = {}
        self._cancelled: set[str] = set()
        self._closing = False
        self._changed = threading.Condition()
        self._threads = [
            threading.Thread(target=self._slot, daemon=True) for _ in range(limits.at_once)
        ]
        for thread in self._threads:
            thread.start()

    def has(self, run: Run) -> bool:
        """Whether a run waits or works."""
        return run.id in self._waiting or run.id in self._working

    def check_queue(self) -> None:
        """Raise an error if no more runs may wait."""
        if len(self._waiting) >= self.limits.waiting:
            raise QueueFullError("too many runs are waiting; try again later.")

    def submit(self, run: Run) -> None:
        """Queue a run; results of an earlier attempt are removed."""
        with self._changed:
            if self.has(run):
                raise RunStateError("the run is under way.")
            self.check_queue()
            run.clean(results=True)
            run.enter("queued")
            self._waiting[run.id] = run
            self._changed.notify()

    def cancel(self, run: Run) -> None:
        """End a run that waits or works; its place in the queue is free at once."""
        with self._changed:
            if self._waiting.pop(run.id, None) is not None:
                run.enter("cancelled")
                return
            process = self._working.get(run.id)
            if process is None:
                raise RunStateError("the run is not under way.")
            self._cancelled.add(run.id)
        _end(process)

    def close(self) -> None:
        """End all work; runs that wait or work become ``interrupted``."""
        with self._changed:
            self._closing = True
            working = list(self._working.values())
            self._changed.notify_all()
        for process in working:
            _end(process)
        for thread in self._threads:
            thread.join(10)

    def _slot(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if self._closing:
                    return
                run = self._waiting.pop(next(iter(self._waiting)))
                try:
                    process = self._working[run.id] = self._start(run)
                except Exception as error:  # nothing may end the slot
                    _fail(run, error)
                    continue
            try:
                self._finish(run, process)
            except Exception as error:
                _fail(run, error)

    def _start(self, run: Run) -> subprocess.Popen[bytes]:
        run.enter("running")
        with (run.folder / "log.txt").open("wb") as log:
            return subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "albeit.serve.job",
                    str(run.folder),
                    json.dumps(asdict(self.limits)),
                ],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _finish(self, run: Run, process: subprocess.Popen[bytes]) -> None:
        """Wait for a process, and put its run into an end state."""
        error = ""
        try:
            if status := process.wait(self.limits.seconds):
                error = self._reason(run, status)
        except subprocess.TimeoutExpired:
            error = f"it took longer than {self.limits.seconds:,.0f} seconds."
        finally:
            _end(process)  # also what the process started and left behind
            if process.stdin is not None:
                process.stdin.close()
            run.clean()
            with self._changed:
                del self._working[run.id]
                cancelled = run.id in self._cancelled
                self._cancelled.discard(run.id)
        if cancelled:
            run.enter("cancelled")
        elif self._closing:
            run.enter("interrupted", STOPPED)
        else:
            run.enter("failed" if error else "done", error)

    def _reason(self, run: Run, status: int) -> str:
        if status == -signal.SIGALRM:
            return f"reading and checking the texts took longer than {self.limits.check_seconds:,} seconds."
        said = read_json(run.folder / "error.json").get("error")
        return str(said) if said else f"its process ended with status {status}; see log.txt."


def _fail(run: Run, error: Exception) -> None:
    with suppress(StorageError):  # then the run counts as damaged
        run.enter("failed", f"the run cannot be processed: {error}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started: by SIGTERM, then by SIGKILL."""
    with suppress(ProcessLookupError, PermissionError):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
