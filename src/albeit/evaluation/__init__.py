"""Score and explain test sets, lists, or rows in memory; :class:`Evaluation`; runs on disk.

>>> import albeit
>>> albeit.corpus_score(["The dog barked."], ["A dog barked."], metric="chrf") > 50
True

Rows work too: COMET's ``[{"src": …, "mt": …, "ref": …}]``, those of a Hugging Face data set, or any
other iterable of dicts with such keys (:data:`KEYS`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from albeit.data.build import evalset_of
from albeit.errors import MissingExtraError
from albeit.evaluation.evaluation import *
from albeit.evaluation.scoring import *
from albeit.metrics import *
from albeit.metrics import registry
from albeit.metrics.registry import metric as metric_of
from albeit.store import *

if TYPE_CHECKING:
    from albeit.evaluation.partitions import *
    from albeit.metrics.table import Column, ScoreTable

KEYS = {
    "hypotheses": ("mt", "hypothesis", "prediction", "output", "translation"),
    "references": ("ref", "reference", "references", "target"),
    "sources": ("src", "source"),
    "documents": ("doc", "document", "docid", "doc_id"),
}
"""The keys of a row's texts; the first that it has counts."""

Texts = Iterable[str] | Iterable[Mapping[str, Any]]
References = Iterable[str] | Iterable[Iterable[str]] | Mapping[str, Iterable[str]]


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
    executor: Any = None,
    store: Store | None = None,
    progress: Progress | bool | None = False,
    on_error: OnError = "stop",
    batch_timeout: float | None = None,
    allow_mixed: bool = False,
) -> ScoreTable:
    """Score every system of a set with every metric.

    :param evalset: an :class:`EvalSet`; or one system's lines, a dict of several, or a data frame,
        with the next six parameters (:func:`albeit.data.build.evalset_of`)
    :param metrics: names in the metric grammar (``"bleu"``, ``"chrf(word_order=2)"``) or
        :class:`Metric` values; by default those recommended for the set:
        ``judge`` and ``chrf`` into English
    :param references: one line per segment; several references by name in a dict
    :param source: the source, one line per segment
    :param documents: one document id per segment
    :param systems: the columns of a data frame that are systems
    :param lang: the target language
    :param source_lang: the source language
    :param annotations: supplied annotations by text (:func:`albeit.parsing.supplied.read_supplied`)
    :param workers: the number of processes (0: one per core); the result is the same. A script that
        uses them must guard its entry with ``if __name__ == "__main__":``
    :param executor: works instead of processes: anything with ``submit`` (as in
        :mod:`concurrent.futures`), a ``distributed.Client``, or an address ``"dask://HOST:PORT"``
    :param store: stored statistics aren't computed again (:func:`albeit.evaluation.open_store`)
    :param progress: ``True`` shows progress; a function is called with ``(done, total)``
    :param on_error: a document that kills its worker processes ends the run with its name; with
        ``"skip"`` it is skipped with a warning
    :param batch_timeout: a worker that takes more seconds over a batch counts as killed
    :param allow_mixed: accept workers whose processors or libraries could change a last digit
    :return: a table with a column per metric

    >>> import albeit
    >>> table = albeit.score(albeit.read("examples/demo"), ["chrf", "ter"])
    >>> table["chrf"].system.round(2).tolist()
    [81.06, 91.12, 69.26, 70.61]
    >>> table = albeit.score(["A dog barked."], ["chrf"], references=["A dog barked."])
    >>> table["chrf"].system.tolist()
    [100.0]
    """
    texts: dict[str, Any] = {
        "references": references,
        "source": source,
        "documents": documents,
        "systems": systems,
        "source_lang": source_lang,
    }
    if not isinstance(evalset, EvalSet):
        evalset = evalset_of(evalset, lang=lang, **texts)
    elif given := [name for name, value in texts.items() if value is not None]:
        raise InputError(f"an EvalSet has its own {', '.join(given)}.", hint="Omit them.")
    if not evalset.systems:
        raise InputError(f"{evalset.name} has no translations to score.")
    if metrics is None:
        metrics = recommended(evalset)
        if not metrics:
            raise MetricError("no metric is recommended for this set. Name some: metrics=[…].")
    elif isinstance(metrics, str | Metric):
        metrics = (metrics,)
    elif not isinstance(metrics, Iterable):
        raise MetricError(f"metrics must be a list of names, not {metrics!r}.")
    processes = Workers(workers, executor, on_error, batch_timeout, allow_mixed)
    evaluation = Evaluation(evalset, annotations, store=store, workers=processes)
    with ProgressLine(quiet=not progress) as line:
        return evaluation.score(list(metrics), line if isinstance(progress, bool) else progress)


def explain(
    evalset: EvalSet,
    metric: str | Metric,
    *,
    segments: Sequence[int] = (),
    documents: Sequence[str] = (),
    annotations: Annotations | None = None,
) -> list[View]:
    """Explain the scores of segments and documents in every system.

    :param evalset: the test set
    :param metric: a metric with explanations (``albeit metrics`` shows which)
    :param segments: segment numbers, from 1
    :param documents: document ids
    :param annotations: supplied annotations by text
    :return: views with the compared texts, the matches, and the losses.
        ``docs/explain.md`` describes them, :func:`albeit.report.views.render_views` shows them

    >>> import albeit
    >>> views = albeit.explain(albeit.read("examples/demo"), "ter", segments=[2])
    >>> [view.system for view in views]
    ['blunt', 'careful', 'scattered', 'shuffled']
    """
    if not isinstance(evalset, EvalSet):
        raise InputError(
            f"{type(evalset).__name__} isn't an EvalSet.", hint="albeit.read(PATH) makes one."
        )
    return Evaluation(evalset, annotations).explain(metric, segments=segments, documents=documents)


def corpus_score(
    hypotheses: Texts,
    references: References | None = None,
    metric: str | Metric | None = None,
    sources: Iterable[str] | None = None,
    documents: Iterable[object] | None = None,
    *,
    lang: str = "en",
    source_lang: str | None = None,
) -> float:
    """Return the score of all translations together, by one metric.

    :param hypotheses: one translation per segment; or rows with all texts (:data:`KEYS`)
    :param references: one per segment; a list of several references, each with one line per
        segment (as in sacreBLEU); a list of references per segment (as in Hugging Face's
        metrics); or a dict of names to lines
    :param metric: a name in the metric grammar (``"chrf"``, ``"comet(model=…)"``), or a metric;
        by default the one recommended for the languages, ``judge`` into English
    :param sources: the source of every segment, for metrics that read it
    :param documents: the document id of every segment, for metrics that read documents
    :param lang: the target language
    :param source_lang: the source language
    :return: the score of the system

    >>> import albeit
    >>> albeit.corpus_score(["A dog barked."], ["A dog barked."], "chrf")
    100.0
    """
    texts = {"references": references, "sources": sources, "documents": documents}
    column = _score_column(hypotheses, texts, metric, lang=lang, source_lang=source_lang)
    return float(column.system[0])


def sentence_scores(
    hypotheses: Texts,
    references: References | None = None,
    metric: str | Metric | None = None,
    sources: Iterable[str] | None = None,
    documents: Iterable[object] | None = None,
    *,
    lang: str = "en",
    source_lang: str | None = None,
) -> list[float]:
    """Return the score of every segment, in order; parameters are those of :func:`corpus_score`.

    :return: one score per segment

    >>> import albeit
    >>> albeit.sentence_scores(["A dog barked.", "No."], ["A dog barked.", "Yes!"], "chrf")
    [100.0, 0.0]
    """
    chosen = None if metric is None else metric_of(metric)
    if chosen and chosen.unit is Unit.DOCUMENT:
        raise MetricError(f"{chosen} scores whole documents, not segments. Use corpus_score.")
    texts = {"references": references, "sources": sources, "documents": documents}
    column = _score_column(hypotheses, texts, chosen, lang=lang, source_lang=source_lang)
    return [float(value) for value in column.at("segment")[0]]


def _score_column(
    hypotheses: Texts, texts: Mapping[str, Any], metric: str | Metric | None, **languages: Any
) -> Column:
    if isinstance(hypotheses, str | bytes) or not isinstance(hypotheses, Iterable):
        raise InputError(f"{hypotheses!r} isn't a list of translations.", hint="Give a list.")
    lines: list[Any] = list(hypotheses)
    if lines and all(isinstance(line, Mapping) for line in lines):
        lines, texts = _read_rows(lines, texts)
    table = score(
        lines,
        None if metric is None else [metric],
        references=_transpose_references(texts["references"], len(lines)),
        source=texts["sources"],
        documents=texts["documents"],
        **languages,
    )
    return next(iter(table.columns.values()))


def _read_rows(
    rows: Sequence[Mapping[str, Any]], given: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Read hypotheses and the other texts from rows."""
    if names := [name for name, value in given.items() if value is not None]:
        raise InputError(f"rows have their own {', '.join(names)}.", hint="Omit them.")
    texts: dict[str, list[Any] | None] = {}
    for name, keys in KEYS.items():
        key = next((key for key in keys if key in rows[0]), None)
        for number, row in enumerate(rows, 1):
            if key is not None and key not in row:
                raise InputError(f"row {number} has no {key!r}, and the first has.")
        texts[name] = None if key is None else [row[key] for row in rows]
    lines = texts.pop("hypotheses")
    if lines is None:
        raise InputError(
            f"a row has no translation; it has {', '.join(map(str, rows[0]))}.",
            hint=f"Call it one of {', '.join(KEYS['hypotheses'])}.",
        )
    return lines, dict(texts)


def _transpose_references(given: Any, size: int) -> Any:
    """Turn a list of references per segment into one list per reference."""
    if given is None or isinstance(given, Mapping | str):
        return given
    lines = list(given)
    if not lines or any(isinstance(each, str) for each in lines):
        return lines
    several = [list(each) for each in lines]
    lengths = {len(each) for each in several}
    if len(several) != size or lengths == {1} == {size}:
        return several
    if lengths == {size}:
        raise InputError(
            f"{size} references of {size} segments can be read in two ways.",
            hint="Give a dict of names to lines.",
        )
    if len(lengths) > 1:
        counts = ", ".join(map(str, sorted(lengths)))
        raise InputError(f"segments have different numbers of references ({counts}).")
    return [list(each) for each in zip(*several, strict=True)]


def unusable_into(lang: str, source_lang: str | None = "en") -> dict[str, AlbeitError]:
    """Return the metrics that can't score translations between two languages, with reasons.

    Only languages and missing packages count. Metrics with required parameters aren't checked.
    """
    sample = _sample(lang, source_lang)
    reasons: dict[str, AlbeitError] = {}
    for name in registry.names():
        try:
            open_ = registry.is_open(registry.load(name))
            reason = None if open_ else find_problem(sample, metric_of(name))
        except AlbeitError as error:  # a plug-in that can't be loaded
            reasons[name] = error
            continue
        if isinstance(reason, UNUSABLE):
            reasons[name] = reason
    return reasons


def recommended(evalset: EvalSet) -> list[str]:
    """Return the recommended metrics that can score a set."""
    names = registry.RECOMMENDED
    return [name for name in names if find_problem(evalset, metric_of(name)) is None]


def reference_free(evalset: EvalSet) -> dict[str, str]:
    """Return the metrics that could score a set without references, each with its limits."""
    found = {}
    for name, limits in registry.REFERENCE_FREE.items():
        problem = find_problem(evalset, metric_of(name))
        if problem is None or isinstance(problem, MissingExtraError):
            found[name] = limits
    return found


def recommended_into(lang: str, source_lang: str | None = "en") -> list[str]:
    """Return the recommended metrics for two languages, with references and a source."""
    return recommended(_sample(lang, source_lang))


def _sample(lang: str, source_lang: str | None) -> EvalSet:
    documents = (Document("1", 0, 1), Document("2", 1, 2))
    texts = ("a", "b")
    return EvalSet({"ref": texts}, {"system": texts}, texts, documents, source_lang, lang)


if not TYPE_CHECKING:  # most programs have no runs on disk

    def __getattr__(name: str) -> object:
        if name in ("merge", "read_run", "score_partitions"):
            return getattr(import_module("albeit.evaluation.partitions"), name)
        raise AttributeError(f"module 'albeit.evaluation' has no attribute {name!r}")
