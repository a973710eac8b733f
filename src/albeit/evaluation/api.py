"""What the package's top level adds to its parts: scoring and explaining by metric names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from albeit import evaluation
from albeit.data.evalset import EvalSet
from albeit.data.plain import evalset_of
from albeit.errors import InputError, MetricError
from albeit.evaluation import Evaluation, Progress, Store
from albeit.evaluation.progress import ProgressLine
from albeit.evaluation.workers.engines import Engine
from albeit.evaluation.workers.faults import OnError
from albeit.metrics import registry
from albeit.metrics.base import Metric
from albeit.metrics.table import ScoreTable
from albeit.metrics.view import View
from albeit.parsing.supplied import Annotations

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
    annotations: Annotations | None = None,
    workers: int = 1,
    executor: Engine | None = None,
    store: Store | None = None,
    progress: Progress | bool = False,
    on_error: OnError = "stop",
    batch_timeout: float | None = None,
    allow_mixed: bool = False,
) -> ScoreTable:
    """Score every system of a set with every metric.

    :param evalset: an :class:`EvalSet`; or one system's lines, a dict of several, or a data frame,
        with the next six parameters beside (:func:`albeit.data.plain.evalset_of` says how)
    :param metrics: names in the metric grammar (``"bleu"``, ``"chrf(word_order=2)"``) or
        :class:`Metric` values; by default those recommended for the set: ``judge`` and ``chrf`` into
        English
    :param references: one line per segment; several references by name in a dict
    :param source: the source, one line per segment
    :param documents: one document id per segment
    :param systems: the columns of a data frame that are systems
    :param lang: the language translated into
    :param source_lang: the language translated from
    :param annotations: your own analyses, by text (:func:`albeit.parsing.supplied.read_supplied`)
    :param workers: how many processes share the work (0: one per core); the result is the same. A
        script that asks for them must guard its entry with ``if __name__ == "__main__":``
    :param executor: who works in place of processes: anything with ``submit`` (as in
        :mod:`concurrent.futures`), a ``distributed.Client``, or an address ``"dask://HOST:PORT"``
    :param store: what it keeps is not computed again (:func:`albeit.evaluation.open_store`)
    :param progress: ``True`` shows how far it is; a function is called with ``(done, total)``
    :param on_error: a document that kills its worker processes ends the run with its name; with
        ``"skip"`` it is left out, with a warning
    :param batch_timeout: a worker that takes more seconds over a batch counts as killed
    :param allow_mixed: accept workers whose processors or libraries could change a last digit

    >>> import albeit
    >>> table = albeit.score(albeit.read("examples/demo"), ["chrf", "ter"])
    >>> table["chrf"].system.round(2).tolist()
    [81.06, 91.12, 69.26, 70.61]
    >>> albeit.score(["A dog barked."], ["chrf"], references=["A dog barked."])["chrf"].system.tolist()
    [100.0]
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
        metrics = evaluation.recommended(evalset)
        if not metrics:
            raise MetricError("no metric is recommended for this set. Name some: metrics=[…].")
    elif isinstance(metrics, str | Metric):
        metrics = (metrics,)
    elif not isinstance(metrics, Iterable):
        raise MetricError(f"metrics are given as a list of names, not as {metrics!r}.")
    made = [registry.metric(m) for m in metrics]
    with ProgressLine(quiet=not progress) as line:
        return evaluation.score(
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
    annotations: Annotations | None = None,
) -> list[View]:
    """Why segments and documents scored as they did, in every system.

    :param evalset: the test set
    :param metric: a metric that explains itself (``albeit metrics`` says which)
    :param segments: segment numbers, from 1
    :param documents: document ids
    :param annotations: your own analyses, by text
    :return: views; each states what was compared, what matched and where the score was lost.
        ``docs/explain.md`` describes it, :func:`albeit.report.views.render_views` shows it

    >>> import albeit
    >>> views = albeit.explain(albeit.read("examples/demo"), "ter", segments=[2])
    >>> [view.system for view in views]
    ['blunt', 'careful', 'scattered', 'shuffled']
    """
    if not isinstance(evalset, EvalSet):
        raise InputError(
            f"{type(evalset).__name__} is no EvalSet.", hint="albeit.read(PATH) makes one."
        )
    return Evaluation(evalset, annotations).explain(
        registry.metric(metric), segments=segments, documents=documents
    )
