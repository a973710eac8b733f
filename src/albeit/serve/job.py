"""The work of each run in its own process, and the queue of runs in the server.

The process (``python -m albeit.serve.job FOLDER LIMITS``) reads the request of a run, checks its
texts, scores them, and writes the report. The server reads ``about.json``, ``progress.json``,
``warnings.json``, and ``error.json``. An error, a kill, a time limit, or a full disk ends that run;
the server continues. Explanations come from another process, which loads the model once.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import shlex
import signal
import sys
import threading
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from albeit.data import UNNAMED, read, write
from albeit.data.resegment import METHOD
from albeit.data.textio import collect_warnings
from albeit.evaluation import Evaluation, open_store
from albeit.metrics import AlbeitError, EvalSet, InputError, Metric, Unit
from albeit.report.page.build import explainable, make_report
from albeit.report.profile import profile_metrics
from albeit.report.table import plain
from albeit.report.views import page_view
from albeit.serve.requests import metrics_of, read_texts
from albeit.serve.runs import STOPPED, Limits, Run, ServerError, write_text

INTERVAL = 0.2
"""Seconds between notes of progress."""
_SET = "set.jsonl"
"""The test set of a run that was checked."""


def work(folder: Path, limits: Limits | None = None) -> None:
    """Check and score a run; write its report, its scores, and its warnings."""
    limits, run = limits or Limits(), Run(folder)
    with collect_warnings() as collected:

        def list_warnings() -> list[str]:
            return list(dict.fromkeys(_name_files(each, run.files) for each in collected))

        signal.setitimer(signal.ITIMER_REAL, limits.check_seconds)  # ends the process
        request = run.request
        run.clean()
        run.files.mkdir(mode=0o700)
        try:
            settings, evaluation, judged = read_texts(request, run.files, limits.unpacked)
        except AlbeitError as error:
            raise InputError(_name_files(str(error), run.files)) from None
        finally:
            run.clean()
        signal.setitimer(signal.ITIMER_REAL, 0)
        write(evaluation.evalset.relabel(name=UNNAMED), folder / _SET)
        run.write("settings", settings)
        run.describe(settings, evaluation.evalset)
        run.write("warnings", {"warnings": list_warnings()})
        report = make_report(
            evaluation,
            metrics_of(settings),
            title=settings.get("title", ""),
            command=report_command(settings, evaluation.evalset),
            profile=settings.get("profile", "quick"),
            explain=0,
            judged=judged,
            explain_at=f"/api/runs/{run.id}/explain",
            scoring=_write_progress(run),
        )
        page = report.page(connect="'self'", warnings=list_warnings())
        write_text(run.report, page)
        columns = report.table.columns.values()
        run.write("scores", plain({column.name: column.system.tolist() for column in columns}))
        run.write("warnings", {"warnings": list_warnings()})


def _name_files(message: str, folder: Path) -> str:
    """Name files in a message as they were sent."""
    return re.sub(rf"{re.escape(str(folder))}/(\d+/)?", "", message)


def report_command(settings: Mapping[str, Any], evalset: EvalSet) -> str:
    """Return the command that makes a run's report, from files that are named after its texts."""
    texts = evalset.references, evalset.systems
    references, systems = ([f"{name}={name}.txt" for name in names] for names in texts)
    values = {
        "source": "source.txt" if evalset.source else "",
        "docs": "documents.txt" if evalset.has_documents else "",
        "judgments": (settings.get("judgments") or {}).get("name"),
    }
    values |= {key: settings.get(key) for key in ("lang", "source_lang", "title", "profile")}
    named = ((f"--{key.replace('_', '-')}", value) for key, value in values.items() if value)
    options = [word for option in named for word in option]
    options += ["--resegment"] if settings.get("resegment") else []
    words = ["albeit", "report", *references, "-i", *systems, *options]
    return shlex.join([*words, "-m", *settings["metrics"]])


def _write_progress(run: Run) -> Callable[[int, int], None]:
    """Return a function that writes progress into a file of a run, at intervals."""
    last = 0.0

    def write(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if done in (0, total) or now - last >= INTERVAL:
            last = now
            with suppress(OSError):
                content = json.dumps({"done": done, "total": total})
                (run.folder / "progress.json").write_text(content)

    return write


def limit_memory(size: int) -> None:
    """Limit the data segment of this process, where the system can."""
    with suppress(OSError, ValueError):
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        size = size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


@lru_cache(maxsize=4)
def _open_run(folder: Path, limit: int) -> tuple[Evaluation, dict[type, list[Metric]]]:
    """Return the test set of a run, and its metrics that explain segments or documents."""
    settings = Run(folder).read("settings")
    if settings:
        evalset = read(folder / _SET)
        how = METHOD if settings.get("resegment") else ""
        evalset = evalset.with_systems(evalset.systems, resegmented=how)
        evaluation = Evaluation(evalset, store=open_store())
    else:  # of an older version
        with TemporaryDirectory() as files:
            settings, evaluation, _ = read_texts(Run(folder).request, Path(files), limit)
    metrics = metrics_of(settings)
    profile = profile_metrics(evaluation, "none" if settings.get("profile") == "none" else "all")
    by_document = explainable([*metrics, *profile], Unit.DOCUMENT)
    return evaluation, {int: explainable(metrics, Unit.SEGMENT), str: by_document}


def explain(limits: Limits, folder: Path, key: int | str) -> dict[str, list[Any]]:
    """Return metric to one view per system for a segment (from 1) or a document (its ID).

    Too much time or memory ends this process, because compiled code cannot be interrupted.
    """
    limit_memory(limits.memory)
    signal.setitimer(signal.ITIMER_REAL, limits.explain_seconds)
    try:
        evaluation, able = _open_run(folder, limits.unpacked)
        metrics = able[type(key)]
        views: dict[str, list[Any]] = {str(metric): [] for metric in metrics}
        if metrics:
            segments, documents = ([key], []) if isinstance(key, int) else ([], [key])
            passages = evaluation.passages(metrics[0], segments, documents)
            for metric, view in evaluation.views(metrics, passages):
                views[str(metric)].append(page_view(view))
        return views
    except MemoryError:
        os._exit(1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class Manager:
    """Start, watch, and end the processes of runs."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._slots = asyncio.Semaphore(limits.at_once)
        self._tasks: dict[str, asyncio.Task[str]] = {}
        self._is_closing = False

    def check_queue(self) -> None:
        """Raise an error if no more runs may wait."""
        waiting = max(0, len(self._tasks) - self.limits.at_once)
        if waiting >= self.limits.waiting:
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
        task = self._tasks[run.id] = asyncio.create_task(self._process(run))
        task.add_done_callback(partial(self._finish, run))

    async def cancel(self, run: Run) -> None:
        """End a run that waits or works."""
        if run.id not in self._tasks:
            raise ServerError(409, "the run is not under way.")
        await self._stop([self._tasks[run.id]])

    async def close(self) -> None:
        """End all work; runs that wait or work become ``interrupted``."""
        self._is_closing = True
        await self._stop(list(self._tasks.values()))

    async def _stop(self, tasks: list[asyncio.Task[str]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _process(self, run: Run) -> str:
        """Score a run once there is a slot; return the reason if it failed."""
        async with self._slots:
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
            return f"reading and checking the texts took longer than {limit:,g} seconds."
        died = f"its process ended with status {status}; see log.txt."
        return str(run.read("error").get("error", died)) if status else ""

    def _finish(self, run: Run, task: asyncio.Task[str]) -> None:
        """Set the final state of a run."""
        del self._tasks[run.id]
        state, reason = "done", ""
        if task.cancelled():
            state, reason = ("interrupted", STOPPED) if self._is_closing else ("cancelled", "")
        elif error := task.exception():
            state, reason = "failed", f"the run cannot be processed: {error}"
        elif reason := task.result():
            state = "failed"
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


def _end_with_server() -> None:
    """End this process when the server, which holds the other end of stdin, has ended."""
    while os.read(0, 1024):  # not by sys.stdin, whose lock Python needs at its end
        pass
    os._exit(3)


def main() -> int:
    """Process the run whose folder is the first argument, within the limits in the second."""
    run, limits = Run(Path(sys.argv[1])), Limits(**json.loads(sys.argv[2]))
    threading.Thread(target=_end_with_server, daemon=True).start()
    limit_memory(limits.memory)
    try:
        work(run.folder, limits)
        return 0
    except AlbeitError as error:
        message = str(error)
    except MemoryError:
        size = f"{limits.memory:,} bytes of memory"
        message = f"it needed more than {size}. Send fewer or smaller texts."
    except OSError as error:
        message = f"a file cannot be read or written: {error.strerror or error}."
    with suppress(OSError):
        run.write("error", {"error": message})
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
