"""The work of one run, in its own process: ``python -m albeit.serve.job FOLDER LIMITS``.

Reads the request of a run, prepares and checks its texts, scores them, and writes the report. The
server reads ``about.json``, ``progress.json``, ``warnings.json``, and ``error.json``.
Explanations come from another process, which loads the model once.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from albeit.data.levels import Unit
from albeit.errors import AlbeitError
from albeit.evaluation import Evaluation
from albeit.metaeval import JudgedSet
from albeit.metrics.base import Metric
from albeit.report.page.build import explainable
from albeit.report.profile import Extent, profile_metrics
from albeit.report.views import page_view
from albeit.serve.requests import metrics_of
from albeit.serve.runs import Limits, Run, StorageError, write_json, write_text
from albeit.serve.texts import evaluation_of, gather_warnings, prepare

OFTEN = 0.2
"""Seconds between notes of progress."""
TOO_MUCH = 4
"""The status of a process that took too long, or too much memory, for an explanation."""


def command_of(request: Mapping[str, Any]) -> str:
    """The command that makes a run's report again, from files that are named after their texts."""

    def files(items: Sequence[Mapping[str, str]]) -> list[str]:
        return [f"{item['name']}={item['name']}.txt" for item in items]

    words = ["albeit", "report", *files(request.get("references", []))]
    words += ["-i", *files(request["systems"])]
    for key, option, value in (
        ("source", "--source", "source.txt"),
        ("documents", "--docs", "documents.txt"),
        ("judgments", "--judgments", (request.get("judgments") or {}).get("name", "")),
        ("lang", "--lang", request.get("lang")),
        ("source_lang", "--source-lang", request.get("source_lang")),
        ("title", "--title", request.get("title")),
        ("profile", "--profile", request.get("profile")),
    ):
        words += [option, str(value)] if request.get(key) else []
    words += ["--resegment"] if request.get("resegment") else []
    return shlex.join([*words, "-m", *request["metrics"]])


class _Notes:
    """Progress into a file, now and then."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "progress.json"
        self.last = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done in (0, total) or now - self.last >= OFTEN:
            self.last = now
            with suppress(StorageError):
                write_json(self.path, {"done": done, "total": total}, durable=False)


def work(folder: Path, limits: Limits | None = None) -> None:
    """Check and score a run."""
    run = Run(folder)
    score(run, *check(run, limits or Limits()))


def check(run: Run, limits: Limits) -> tuple[dict[str, Any], Evaluation, JudgedSet | None]:
    """Prepare the texts of a run, and describe it for lists."""
    request = run.request
    run.clean()
    run.files.mkdir(mode=0o700)
    try:
        texts, evaluation, judged, warnings = prepare(request, run.files, limits.unpacked)
    finally:
        run.clean()
    write_json(run.folder / "texts.json", texts)
    run.describe(texts, warnings)
    return texts, evaluation, judged


def score(
    run: Run, texts: Mapping[str, Any], evaluation: Evaluation, judged: JudgedSet | None
) -> None:
    """Score a run, and write its report and its scores."""
    from albeit.report.page.build import make_report

    report = make_report(
        evaluation,
        metrics_of(texts),
        title=texts.get("title", ""),
        command=command_of(texts),
        profile=texts.get("profile", "quick"),
        explain=0,
        judged=judged,
        explain_at=f"/api/runs/{run.id}/explain",
        scoring=_Notes(run.folder),
    )
    write_text(run.report, report.page(connect="'self'"))
    scores = {
        name: [float(value) if np.isfinite(value) else None for value in column.system]
        for name, column in report.table.columns.items()
    }
    write_json(run.folder / "scores.json", scores)


def limit_memory(size: int) -> None:
    """Limit the data segment of this process, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        size = size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def begin_explainer(memory: int) -> None:
    """Prepare a process of the pool: limit its memory, and end it with the server."""

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
        os._exit(3)

    limit_memory(memory)
    threading.Thread(target=watch, daemon=True).start()


@lru_cache(maxsize=4)
def _asked(folder: Path) -> tuple[Evaluation, dict[Unit, list[Metric]]]:
    """The set of a run, to be asked, and its metrics that explain segments or documents."""
    texts = Run(folder).texts
    evaluation = evaluation_of(texts)
    wanted: Extent = "none" if texts.get("profile") == "none" else "all"
    profile, own = profile_metrics(evaluation, wanted), metrics_of(texts)
    return evaluation, {
        Unit.SEGMENT: explainable(own, Unit.SEGMENT),
        Unit.DOCUMENT: explainable([*own, *profile], Unit.DOCUMENT),
    }


def explain_place(folder: Path, place: int | str, seconds: float) -> dict[str, list[Any]]:
    """Metric to one view a system, as JSON, for a segment (from 1) or a document (its id).

    What takes too long or too much memory ends the process, since compiled code cannot be
    interrupted. The server starts another one.
    """
    limit = threading.Timer(seconds, os._exit, (TOO_MUCH,))
    limit.daemon = True
    limit.start()
    try:
        evaluation, able = _asked(folder)
        by_segment = isinstance(place, int)
        metrics = able[Unit.SEGMENT if by_segment else Unit.DOCUMENT]
        where: dict[str, Any] = {"segments" if by_segment else "documents": [place]}
        found: dict[str, list[Any]] = {str(metric): [] for metric in metrics}
        if metrics:
            chosen = evaluation.passages(metrics[0], **where)
            for metric, view in evaluation.views(metrics, chosen):
                found[str(metric)].append(page_view(view))
        return found
    except MemoryError:
        os._exit(TOO_MUCH)
    finally:
        limit.cancel()


def _end_with_the_server() -> None:
    """The server holds the other end of stdin: when it is gone, however it went, so are we."""
    while os.read(0, 1024):  # not by sys.stdin, whose lock Python wants at its end
        pass
    os._exit(3)


def main() -> int:
    """Process the run whose folder is the first argument, within the limits in the second."""
    run, limits = Run(Path(sys.argv[1])), Limits(**json.loads(sys.argv[2]))
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    limit_memory(limits.memory)

    def timed() -> None:
        signal.alarm(limits.check_seconds)  # ends the process, whatever code it is in
        prepared = check(run, limits)
        signal.alarm(0)
        score(run, *prepared)

    try:
        _, warnings = gather_warnings(timed)
        write_json(run.folder / "warnings.json", {"warnings": warnings})
    except AlbeitError as error:
        message = str(error)
    except MemoryError:
        message = (
            f"it needed more than {limits.memory:,} bytes of memory. Send fewer or smaller texts."
        )
    except OSError as error:
        message = f"a file cannot be read or written: {error.strerror or error}."
    else:
        return 0
    with suppress(StorageError):
        write_json(run.folder / "error.json", {"error": message})
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
