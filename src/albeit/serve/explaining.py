"""Explanations of a run's segments on demand, in a process that loads the model once."""

from __future__ import annotations

import multiprocessing
import os
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

from albeit.corpus.levels import Unit
from albeit.engine.explain import Explainer
from albeit.report.page.explained import explainable
from albeit.report.page.profile import Extent, profile_metrics
from albeit.report.views.html import page_view
from albeit.serve.job import evalset_of, metrics_of
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
def _explainers(folder: Path) -> dict[str, Explainer]:
    """One for each metric of a run that explains segments or documents, prepared once."""
    request = Run(folder).request
    evalset = evalset_of(request)
    wanted: Extent = "none" if request.get("profile") == "none" else "all"
    profile = profile_metrics(evalset, extent=wanted)
    asked = metrics_of(request)
    able = [*explainable(asked, Unit.SEGMENT), *explainable([*asked, *profile], Unit.DOCUMENT)]
    return {str(metric): Explainer(evalset, metric) for metric in able}


def explain_place(folder: Path, place: int | str, seconds: float) -> dict[str, list[Any]]:
    """Metric to one view a system, as JSON, for a segment (from 1) or a document (its id).

    What takes longer than so many seconds takes its process with it: compiled code heeds nothing
    else. The server starts another.
    """
    limit = threading.Timer(seconds, os._exit, (TOO_LONG,))
    limit.daemon = True
    limit.start()
    try:
        unit = Unit.SEGMENT if isinstance(place, int) else Unit.DOCUMENT
        where = {"segments": [place]} if isinstance(place, int) else {"documents": [place]}
        return {
            name: [page_view(view) for view in explainer.views(**where)]
            for name, explainer in _explainers(folder).items()
            if explainer.metric.unit is unit
        }
    finally:
        limit.cancel()
