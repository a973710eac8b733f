"""What stands in a metric's way, told before any work is done: all of it at once."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.annotate.annotators import find
from albeit.annotate.given import Given, check_layers
from albeit.annotate.needs import Side, layers_of
from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Unit
from albeit.engine.plan import TARGET
from albeit.errors import AlbeitError, LanguageError, MetricError, MissingExtraError
from albeit.metrics.base import Metric
from albeit.metrics.composite import Composite

__all__ = ["UNUSABLE", "check", "unusable"]

UNUSABLE = (LanguageError, MissingExtraError)
"""What is in the way of a metric that nothing but leaving it out will mend, or an installation."""


def check(evalset: EvalSet, metrics: Sequence[Metric], annotations: Given | None = None) -> None:
    """Raise unless every metric can score this set; tell all that is in the way at once."""
    if not metrics:
        raise MetricError("no metric is given.")
    for i, metric in enumerate(metrics):
        if metric in metrics[:i]:
            raise MetricError(f"{metric} is asked for twice.")
    problems = list(unusable(evalset, metrics, annotations).values())
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


def unusable(
    evalset: EvalSet, metrics: Sequence[Metric], annotations: Given | None = None
) -> dict[Metric, AlbeitError]:
    """The metrics that cannot score this set, each with what is in its way."""
    problems: dict[Metric, AlbeitError] = {}
    for metric in metrics:
        try:
            metric.check(evalset)
            _check_needs(evalset, metric, annotations)
        except (LanguageError, MissingExtraError) as error:
            said = str(error)
            named = said.startswith(str(metric))
            problems[metric] = error if named else type(error)(f"{metric}: {said}")
        except AlbeitError as error:
            problems[metric] = error
    return problems


def _check_needs(evalset: EvalSet, metric: Metric, annotations: Given | None) -> None:
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
