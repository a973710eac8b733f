"""The work of one run, in a process of its own: ``python -m albeit.serve.job FOLDER``.

Reads the folder's request, scores, writes the report beside it. The server reads of it in files:
``progress.json`` while it works, ``error.json`` if it failed. Explanations of a run's segments on
demand come from another process, which loads the model once.
"""

from __future__ import annotations

import multiprocessing
import os
import shlex
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from albeit.corpus.build import TextRows, Texts
from albeit.corpus.evalset import UNNAMED
from albeit.corpus.levels import Unit
from albeit.corpus.openings import Held
from albeit.corpus.rows import gathered
from albeit.engine import Evaluation, open_store
from albeit.errors import AlbeitError
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric
from albeit.report.page.explained import explainable
from albeit.report.page.profile import Extent, profile_metrics
from albeit.report.views import page_view
from albeit.resegment import METHOD
from albeit.serve.runs import Run, write_json, write_text

__all__ = [
    "command_of",
    "end_with_the_server",
    "evaluation_of",
    "explain_place",
    "main",
    "metrics_of",
    "work",
]

OFTEN = 0.2
"""Seconds between notes of progress."""
TOO_LONG = 4
"""The status of a process that took too long over an explanation."""


def evaluation_of(request: dict[str, Any]) -> Evaluation:
    """The test set that a request describes, to be asked; every fault is an ``AlbeitError``."""
    texts: Texts = {}
    for kind, items in (
        ("reference", request.get("references", [])),
        ("system", request["systems"]),
    ):
        for item in items:
            texts[kind, item["name"]] = [_file(item["name"], item["text"])]  # type: ignore[index]
    if request.get("source"):
        texts["source", "source"] = [_file("source", request["source"])]
    documents = request.get("documents")
    rows = TextRows(
        texts,
        _file("documents", documents) if documents else None,
        source_lang=request.get("source_lang") or None,
        target_lang=request.get("lang") or None,
        name=request.get("title") or UNNAMED,
    )
    evalset = gathered(rows)
    if request.get("resegment"):
        evalset = evalset.with_systems(evalset.systems, resegmented=METHOD)
    return Evaluation(evalset, store=open_store())


def _file(name: str, text: str) -> Held:
    return Held(name, text.encode())


def metrics_of(request: dict[str, Any]) -> list[Metric]:
    """The metrics that a request names."""
    return [metric(name) for name in request["metrics"]]


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
            write_json(self.path, {"done": done, "total": total})


def work(folder: Path) -> None:
    """Score and write the report, then the scores by themselves."""
    from albeit.report.page.build import make_report
    from albeit.serve.requests import judged_of

    run = Run(folder)
    request = run.request
    report = make_report(
        evaluation_of(request),
        metrics_of(request),
        title=request.get("title", ""),
        command=command_of(request),
        profile=request.get("profile", "quick"),
        explain=0,
        judged=judged_of(request),
        explain_at=f"/api/runs/{run.id}/explain",
        scoring=_Notes(folder),
    )
    write_text(run.report, report.page(connect="'self'"))
    scores = {
        name: [None if np.isnan(value) else float(value) for value in column.system]
        for name, column in report.table.columns.items()
    }
    write_json(folder / "scores.json", scores)


def end_with_the_server() -> None:
    """What a process of the pool does first: see to it that it does not outlive the server."""

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
        os._exit(3)

    threading.Thread(target=watch, daemon=True).start()


@lru_cache(maxsize=4)
def _asked(folder: Path) -> tuple[Evaluation, dict[Unit, list[Metric]]]:
    """The set of a run, to be asked, and its metrics that explain segments or documents."""
    request = Run(folder).request
    evaluation = evaluation_of(request)
    wanted: Extent = "none" if request.get("profile") == "none" else "all"
    profile, own = profile_metrics(evaluation, wanted), metrics_of(request)
    return evaluation, {
        Unit.SEGMENT: explainable(own, Unit.SEGMENT),
        Unit.DOCUMENT: explainable([*own, *profile], Unit.DOCUMENT),
    }


def explain_place(folder: Path, place: int | str, seconds: float) -> dict[str, list[Any]]:
    """Metric to one view a system, as JSON, for a segment (from 1) or a document (its id).

    What takes longer than so many seconds takes its process with it: compiled code heeds nothing
    else. The server starts another.
    """
    limit = threading.Timer(seconds, os._exit, (TOO_LONG,))
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
    finally:
        limit.cancel()


def _end_with_the_server() -> None:
    """The server holds the other end of stdin: when it is gone, however it went, so are we."""
    while os.read(0, 1024):  # not by sys.stdin, whose lock Python wants at its end
        pass
    os._exit(3)


def main() -> int:
    """Run the folder that the command line names."""
    folder = Path(sys.argv[1])
    from albeit.serve.requests import gathering_warnings

    threading.Thread(target=_end_with_the_server, daemon=True).start()
    try:
        _, said = gathering_warnings(lambda: work(folder))
        write_json(folder / "warnings.json", {"warnings": said})
    except AlbeitError as error:
        write_json(folder / "error.json", {"error": str(error)})
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
