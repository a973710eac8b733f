"""Validation before any work starts: metrics, segments, and documents; all problems at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.errors import AlbeitError, InputError, LanguageError, MetricError, MissingExtraError
from albeit.evaluation.plan import TARGET
from albeit.metrics.base import Composite, Metric
from albeit.metrics.registry import RECOMMENDED, is_open, load, names
from albeit.metrics.registry import metric as metric_of
from albeit.parsing.annotator import find
from albeit.parsing.needs import Side, layers_of
from albeit.parsing.supplied import Annotations, check_layers

UNUSABLE = (LanguageError, MissingExtraError)
"""Problems that only another metric or an installation solves."""


def check(
    evalset: EvalSet, metrics: Sequence[Metric], annotations: Annotations | None = None
) -> None:
    """Raise unless every metric can score this set, with all problems in one error."""
    problems = [problem(evalset, metric, annotations) for metric in metrics]
    raise_problems(evalset, metrics, problems)


def raise_problems(
    evalset: EvalSet, metrics: Sequence[Metric], found: Iterable[AlbeitError | None]
) -> None:
    """Raise if there is no metric, one is given twice, or some have problems."""
    if not metrics:
        raise MetricError("no metric is given.")
    for i, metric in enumerate(metrics):
        if metric in metrics[:i]:
            raise MetricError(f"{metric} is given twice.")
    problems = [problem for problem in found if problem is not None]
    if not problems:
        return
    lines = list(dict.fromkeys(map(str, problems)))
    if any(isinstance(problem, UNUSABLE) for problem in problems):
        lines.append(
            f"'albeit metrics --lang {evalset.target_lang}' lists the metrics that can score this"
            " language; --skip-unusable skips those that cannot."
        )
    if len(lines) == 1:
        raise problems[0]
    kinds = {type(problem) for problem in problems}
    raise (kinds.pop() if len(kinds) == 1 else MetricError)("\n".join(lines))


def problem(
    evalset: EvalSet, metric: Metric, annotations: Annotations | None = None
) -> AlbeitError | None:
    """Return why a metric can't score this set, or ``None``."""
    try:
        metric.check(evalset)
        _check_layers(evalset, metric, annotations)
    except UNUSABLE as error:
        named = str(error).startswith(str(metric))
        return error if named else type(error)(f"{metric}: {error}")
    except AlbeitError as error:
        return error
    return None


def _check_layers(evalset: EvalSet, metric: Metric, annotations: Annotations | None) -> None:
    """Raise unless there are annotators for the layers that the metric reads."""
    if isinstance(metric, Composite):
        for part in metric.parts:
            _check_layers(evalset, part, annotations)
        return
    try:
        check_layers(evalset, layers_of(metric.needs, *TARGET), annotations)
        if documents := layers_of(metric.needs, *TARGET, unit=Unit.DOCUMENT):
            find(documents, evalset.target_lang, Unit.DOCUMENT)
        for unit in Unit:
            if source := layers_of(metric.needs, Side.SOURCE, unit=unit):
                if evalset.source_lang is None:
                    raise LanguageError(
                        "the source language must be known. Give --source-lang CODE."
                    )
                find(source, evalset.source_lang, unit)
    except LanguageError as error:
        raise LanguageError(f"{metric}: {error}") from None


def unusable_into(lang: str, source_lang: str | None = "en") -> dict[str, AlbeitError]:
    """Return the metrics that can't score translations between two languages, with reasons.

    Only languages and missing packages count. Metrics with required parameters aren't checked.
    """
    sample = _sample(lang, source_lang)
    reasons: dict[str, AlbeitError] = {}
    for name in names():
        try:
            reason = None if is_open(load(name)) else problem(sample, metric_of(name))
        except AlbeitError as error:  # a plug-in that can't be loaded
            reasons[name] = error
            continue
        if isinstance(reason, UNUSABLE):
            reasons[name] = reason
    return reasons


def recommended(evalset: EvalSet) -> list[str]:
    """Return the recommended metrics that can score a set."""
    return [name for name in RECOMMENDED if problem(evalset, metric_of(name)) is None]


def recommended_into(lang: str, source_lang: str | None = "en") -> list[str]:
    """Return the recommended metrics for two languages, with references and a source."""
    return recommended(_sample(lang, source_lang))


def _sample(lang: str, source_lang: str | None) -> EvalSet:
    documents = (Document("1", 0, 1), Document("2", 1, 2))
    texts = ("a", "b")
    return EvalSet({"ref": texts}, {"system": texts}, texts, documents, source_lang, lang)


@dataclass(frozen=True)
class Passage:
    """A segment, named by its number from 1, or a document, named by its id; and its position."""

    name: int | str
    span: Document


def passages(
    evalset: EvalSet, metric: Metric, segments: Sequence[int], documents: Sequence[str]
) -> list[Passage]:
    """Return what a metric can explain of these segments (numbers from 1) and documents (ids).

    A segment-level metric explains a document segment by segment.
    """
    if not metric.explains():
        raise MetricError(f"{metric} has no explanations; 'albeit metrics' shows which metrics do.")
    whole = chosen_documents(evalset, documents)
    if metric.unit is Unit.DOCUMENT:
        if segments:
            raise MetricError(f"{metric} scores documents, not segments: name one (--document ID).")
        return [Passage(document.id, document) for document in whole]
    for number in segments:
        if not 1 <= number <= len(evalset):
            raise InputError(f"there is no segment {number}: the set has {len(evalset)}.")
    ids = evalset.document_ids()
    inside = (n + 1 for document in whole for n in range(document.start, document.stop))
    return [Passage(n, Document(ids[n - 1], n - 1, n)) for n in (*segments, *inside)]


def chosen_documents(evalset: EvalSet, names: Sequence[str]) -> list[Document]:
    """Return the documents with these ids."""
    known = {document.id: document for document in evalset.documents}
    for name in names:
        if name not in known:
            listed = ", ".join(list(known)[:5]) + (" …" if len(known) > 5 else "")
            raise InputError(f"there is no document {name!r}; there are {len(known)}: {listed}.")
    return [known[name] for name in names]
