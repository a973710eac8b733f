"""What is in a metric's way, said before any work is done: all of it at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.errors import AlbeitError, LanguageError, MetricError, MissingExtraError
from albeit.evaluation.plan import TARGET
from albeit.metrics.base import Composite, Metric
from albeit.metrics.registry import RECOMMENDED, is_open, load, names
from albeit.metrics.registry import metric as metric_of
from albeit.parsing.annotator import find
from albeit.parsing.needs import Side, layers_of
from albeit.parsing.supplied import Annotations, check_layers

__all__ = [
    "UNUSABLE",
    "check",
    "check_names",
    "problem",
    "recommended",
    "recommended_into",
    "refuse",
    "unusable_into",
]

UNUSABLE = (LanguageError, MissingExtraError)
"""What is in the way of a metric that nothing but leaving it out will mend, or an installation."""


def check(
    evalset: EvalSet, metrics: Sequence[Metric], annotations: Annotations | None = None
) -> None:
    """Raise unless every metric can score this set; say all that is in the way at once."""
    check_names(metrics)
    refuse(evalset, [problem(evalset, metric, annotations) for metric in metrics])


def check_names(metrics: Sequence[Metric]) -> None:
    """Raise unless there is a metric, and none is asked for twice."""
    if not metrics:
        raise MetricError("no metric is given.")
    for i, metric in enumerate(metrics):
        if metric in metrics[:i]:
            raise MetricError(f"{metric} is asked for twice.")


def refuse(evalset: EvalSet, found: Iterable[AlbeitError | None]) -> None:
    """Raise what is in the way of some metrics, if anything is, as one error."""
    problems = [problem for problem in found if problem is not None]
    if not problems:
        return
    said = list(dict.fromkeys(map(str, problems)))
    if any(isinstance(problem, UNUSABLE) for problem in problems):
        said.append(
            f"'albeit metrics --lang {evalset.target_lang}' lists the metrics that can score this"
            " language; --skip-unusable leaves out those that cannot."
        )
    if len(said) == 1:
        raise problems[0]
    kinds = {type(problem) for problem in problems}
    raise (kinds.pop() if len(kinds) == 1 else MetricError)("\n".join(said))


def problem(
    evalset: EvalSet, metric: Metric, annotations: Annotations | None = None
) -> AlbeitError | None:
    """Why a metric cannot score this set; ``None`` where it can."""
    try:
        metric.check(evalset)
        _check_needs(evalset, metric, annotations)
    except UNUSABLE as error:
        said = str(error)
        named = said.startswith(str(metric))
        return error if named else type(error)(f"{metric}: {said}")
    except AlbeitError as error:
        return error
    return None


def unusable_into(lang: str, source_lang: str | None = "en") -> dict[str, AlbeitError]:
    """The metrics, by name, that cannot score translations between two languages, and why.

    Each is asked, with its default parameters, about a small set; only what the languages, or
    what is installed, do not allow counts. Metrics that must be given parameters are not asked.
    """
    tried = _small(lang, source_lang)
    found: dict[str, AlbeitError] = {}
    for name in names():
        try:
            why = None if is_open(load(name)) else problem(tried, metric_of(name))
        except AlbeitError as error:  # a plug-in that cannot be loaded
            found[name] = error
            continue
        if isinstance(why, UNUSABLE):
            found[name] = why
    return found


def recommended(evalset: EvalSet) -> list[str]:
    """What to score a set with where no metric is named; empty where nothing fits."""
    return [name for name in RECOMMENDED if problem(evalset, metric_of(name)) is None]


def recommended_into(lang: str, source_lang: str | None = "en") -> list[str]:
    """The same for any set of two languages that has references and a source."""
    return recommended(_small(lang, source_lang))


def _small(lang: str, source_lang: str | None) -> EvalSet:
    """A set that has everything, of which metrics are asked whether they could score it."""
    documents = (Document("1", 0, 1), Document("2", 1, 2))
    texts = ("a", "b")
    return EvalSet({"ref": texts}, {"system": texts}, texts, documents, source_lang, lang)


def _check_needs(evalset: EvalSet, metric: Metric, annotations: Annotations | None) -> None:
    """Raise unless there is somebody to make the layers that the metric reads, each part by itself."""
    if isinstance(metric, Composite):
        for part in metric.parts:
            _check_needs(evalset, part, annotations)
        return
    try:
        check_layers(evalset, layers_of(metric.needs, *TARGET), annotations)
        documents = layers_of(metric.needs, *TARGET, unit=Unit.DOCUMENT)
        if documents:
            find(documents, evalset.target_lang, Unit.DOCUMENT)
        for unit in Unit:
            source = layers_of(metric.needs, Side.SOURCE, unit=unit)
            if source and evalset.source_lang is None:
                raise LanguageError("the source language must be known. Give --source-lang CODE.")
            if source and evalset.source_lang is not None:
                find(source, evalset.source_lang, unit)
    except LanguageError as error:
        raise LanguageError(f"{metric}: {error}") from None
