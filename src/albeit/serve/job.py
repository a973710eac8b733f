"""The work of one run, in its own process: ``python -m albeit.serve.job FOLDER LIMITS``.

The job reads the request of a run, checks its texts, scores them, and writes the report. The
server reads ``about.json``, ``progress.json``, ``warnings.json``, and ``error.json``.
Explanations come from another process, which loads the model once.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

from albeit.data.levels import Unit
from albeit.errors import AlbeitError, AlbeitWarning, InputError
from albeit.evaluation import Evaluation
from albeit.metrics.base import Metric
from albeit.report.page.build import explainable, make_report
from albeit.report.profile import profile_metrics
from albeit.report.views import page_view
from albeit.serve.requests import build_evaluation, metrics_of, read_texts
from albeit.serve.runs import Limits, Run, write_text

INTERVAL = 0.2
"""Seconds between notes of progress."""


def work(folder: Path, limits: Limits | None = None) -> None:
    """Check and score a run; write its report, its scores, and its warnings."""
    limits = limits or Limits()
    run = Run(folder)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AlbeitWarning)

        def write_warnings() -> None:
            own = [str(w.message) for w in caught if issubclass(w.category, AlbeitWarning)]
            names = [_name_files(message, run.files) for message in own]
            run.write("warnings", {"warnings": list(dict.fromkeys(names))})

        signal.alarm(limits.check_seconds)  # ends the process, whatever code it is in
        request = run.request
        run.clean()
        run.files.mkdir(mode=0o700)
        try:
            texts, evaluation, judged = read_texts(request, run.files, limits.unpacked)
        except AlbeitError as error:
            raise InputError(_name_files(str(error), run.files)) from None
        finally:
            run.clean()
        signal.alarm(0)
        run.write("texts", texts)
        run.describe(texts, texts=True)
        write_warnings()
        report = make_report(
            evaluation,
            metrics_of(texts),
            title=texts.get("title", ""),
            command=report_command(texts),
            profile=texts.get("profile", "quick"),
            explain=0,
            judged=judged,
            explain_at=f"/api/runs/{run.id}/explain",
            scoring=_write_progress(run),
        )
        write_text(run.report, report.page(connect="'self'"))
        scores = {
            name: [value if isfinite(value) else None for value in column.system.tolist()]
            for name, column in report.table.columns.items()
        }
        run.write("scores", scores)
        write_warnings()


def _name_files(message: str, folder: Path) -> str:
    """Name files in a message as they were sent."""
    return re.sub(rf"{re.escape(str(folder))}/(\d+/)?", "", message)


def report_command(request: Mapping[str, Any]) -> str:
    """Return the command that makes a run's report, from files that are named after its texts."""
    references, systems = (
        [f"{item['name']}={item['name']}.txt" for item in request.get(key, [])]
        for key in ("references", "systems")
    )
    values = {
        "--source": "source.txt" if request.get("source") else "",
        "--docs": "documents.txt" if request.get("documents") else "",
        "--judgments": (request.get("judgments") or {}).get("name"),
        "--lang": request.get("lang"),
        "--source-lang": request.get("source_lang"),
        "--title": request.get("title"),
        "--profile": request.get("profile"),
    }
    options = [word for name, value in values.items() if value for word in (name, value)]
    options += ["--resegment"] if request.get("resegment") else []
    words = ["albeit", "report", *references, "-i", *systems, *options]
    return shlex.join([*words, "-m", *request["metrics"]])


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
def _open_run(folder: Path) -> tuple[Evaluation, dict[type, list[Metric]]]:
    """Return the test set of a run, and its metrics that explain segments or documents."""
    texts = Run(folder).read("texts") or Run(folder).request
    evaluation, metrics = build_evaluation(texts), metrics_of(texts)
    profile = profile_metrics(evaluation, "none" if texts.get("profile") == "none" else "all")
    by_document = explainable([*metrics, *profile], Unit.DOCUMENT)
    return evaluation, {int: explainable(metrics, Unit.SEGMENT), str: by_document}


def explain(limits: Limits, folder: Path, key: int | str) -> dict[str, list[Any]]:
    """Return metric to one view per system for a segment (from 1) or a document (its ID).

    Too much time or memory ends this process, because compiled code cannot be interrupted.
    """
    limit_memory(limits.memory)
    signal.setitimer(signal.ITIMER_REAL, limits.explain_seconds)
    try:
        evaluation, able = _open_run(folder)
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
