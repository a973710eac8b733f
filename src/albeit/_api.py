"""What the package's top level adds to its parts: scoring and explaining by metric names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from albeit import engine
from albeit.annotate.given import Given
from albeit.corpus.evalset import EvalSet
from albeit.corpus.plain import evalset_of
from albeit.engine import Evaluation, Progress, Store
from albeit.engine.progress import ProgressLine
from albeit.engine.workers.engines import Engine
from albeit.engine.workers.faults import OnError
from albeit.errors import InputError, MetricError
from albeit.metrics import registry
from albeit.metrics.base import Metric
from albeit.metrics.table import ScoreTable
from albeit.metrics.view import View

__all__ = ["explain", "score"]


def score(
    evalset: EvalSet | object,
    metrics: Sequence[str | Metric] | None = None,
    *,
    references: object = None,
    source: object = None,
    documents: object = None,
    systems: Sequence[str] | None = None,
    lang: str = "en",
    source_lang: str | None = None,
    annotations: Given | None = None,
    workers: int = 1,
    executor: Engine | None = None,
    store: Store | None = None,
    progress: Progress | bool = False,
    on_error: OnError = "stop",
    batch_timeout: float | None = None,
    allow_mixed: bool = False,
) -> ScoreTable:
    """Score every system of a set with every metric.

    In place of an :class:`EvalSet` it takes one system's lines, a dict of several, or a data
    frame, with ``references``, ``source``, ``documents`` and languages beside
    (:func:`albeit.corpus.plain.evalset_of` says how). A metric is a name in the metric grammar (``"bleu"``, ``"chrf(word_order=2)"``) or a
    :class:`Metric`. ``annotations`` are your own, by text
    (:func:`albeit.annotate.given.read_given`). With ``workers`` above 1 that many processes
    share the work (0: one per core) and the result is the same; a script that asks for them
    must guard its entry with ``if __name__ == "__main__":``. An ``executor``, anything with
    ``submit`` such as those of :mod:`concurrent.futures`, does the work in their place; so
    does a Dask cluster, by its ``distributed.Client`` or its address ``"dask://HOST:PORT"``.
    Workers whose processors or libraries could change a score's last digit are refused unless
    ``allow_mixed``.
    What a ``store`` (:func:`albeit.engine.open_store`) keeps is not computed again.
    ``progress=True`` shows how far it is; a function is called with ``(done, total)``.
    A document that kills its worker processes, or holds one longer than ``batch_timeout``
    seconds, ends the run with its name; with ``on_error="skip"`` it is left out, with a warning.
    """
    beside = {
        "references": references,
        "source": source,
        "documents": documents,
        "systems": systems,
        "source_lang": source_lang,
    }
    if not isinstance(evalset, EvalSet):
        evalset = evalset_of(evalset, lang=lang, **beside)  # type: ignore[arg-type]
    elif given := [name for name, value in beside.items() if value is not None]:
        raise InputError(f"an EvalSet has its own {', '.join(given)}.", hint="Leave them out.")
    if not evalset.systems:
        raise InputError(f"{evalset.name} holds no translations to score.")
    if metrics is None:
        metrics = engine.recommended(evalset)
        if not metrics:
            raise MetricError("no metric is recommended for this set. Name some: metrics=[…].")
    elif isinstance(metrics, str | Metric):
        metrics = (metrics,)
    elif not isinstance(metrics, Iterable):
        raise MetricError(f"metrics are given as a list of names, not as {metrics!r}.")
    made = [registry.metric(m) for m in metrics]
    with ProgressLine(quiet=not progress) as line:
        return engine.score(
            evalset,
            made,
            annotations=annotations,
            workers=workers,
            executor=executor,
            store=store,
            progress=line if isinstance(progress, bool) else progress,
            on_error=on_error,
            batch_timeout=batch_timeout,
            allow_mixed=allow_mixed,
        )


def explain(
    evalset: EvalSet,
    metric: str | Metric,
    *,
    segments: Sequence[int] = (),
    documents: Sequence[str] = (),
    annotations: Given | None = None,
) -> list[View]:
    """Why segments (numbers from 1) and documents (ids) scored as they did, in every system.

    Each view states what was compared, what matched and where the score was lost;
    ``docs/explain.md`` describes it, and :func:`albeit.report.views.render_views` shows it.
    """
    if not isinstance(evalset, EvalSet):
        raise InputError(
            f"{type(evalset).__name__} is no EvalSet.", hint="albeit.read(PATH) makes one."
        )
    return Evaluation(evalset, annotations).explain(
        registry.metric(metric), segments=segments, documents=documents
    )
