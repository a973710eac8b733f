"""Explanations of a run's segments on demand, in a process that loads the model once."""

from __future__ import annotations

import multiprocessing
import os
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

from albeit.corpus.levels import Unit
from albeit.engine import Evaluation
from albeit.metrics.base import Metric
from albeit.report.page.explained import explainable
from albeit.report.page.profile import Extent, profile_metrics
from albeit.report.views.html import page_view
from albeit.serve.job import evaluation_of, metrics_of
from albeit.serve.runs import Run

__all__ = ["end_with_the_server", "explain_place"]

TOO_LONG = 4
"""The status of a process that took too long."""


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
