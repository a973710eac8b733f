"""Build the metrics that options name, and score a test set with them."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from albeit.cli.options import Evaluated, Metrics, Resampled, Scored
from albeit.data.evalset import EvalSet
from albeit.errors import AlbeitWarning, MetricError
from albeit.evaluation import Evaluation, ProgressLine, Workers, open_store, recommended
from albeit.metrics.base import Metric
from albeit.metrics.grammar import Call, parse
from albeit.metrics.registry import build, load, names
from albeit.metrics.significance import check_level, check_resampling, confidence
from albeit.metrics.table import Column, ScoreTable
from albeit.parsing.needs import Annotations


def load_external(args: Evaluated, evalset: EvalSet) -> list[Column]:
    """Read the scores of other tools from the files of ``--scores``."""
    if not (args.scores or args.lower_is_better):
        return []
    from albeit.metrics.external import external_columns

    return external_columns(evalset, args.scores, lower_is_better=args.lower_is_better)


def load_metrics(args: Metrics) -> list[Metric]:
    """Build the metrics of ``-m``, with ``--tokenize`` and ``--lowercase`` where they fit.

    Without ``-m`` there are none yet: see :func:`or_recommended`.
    """
    given = args.pick("tokenize", "lowercase")
    options = {name: value for name, value in given.items() if value}
    calls = [_parse(spec) for spec in args.metrics or ()]
    if options and calls:
        calls = _add_options(calls, options)
    return [build(call, trust=args.trust) for call in calls]


def or_recommended(
    args: Scored, metrics: Sequence[Metric], evalset: EvalSet, others: Sequence[Metric] = ()
) -> Sequence[Metric]:
    """Return the metrics, or those recommended for the set if none and no scores are given.

    Having none at all is an error, unless ``others`` are scored too.
    """
    if metrics or args.scores or args.metrics is not None:
        return metrics
    args.metrics = recommended(evalset)
    if not args.metrics:
        if others:
            return []
        why = "" if evalset.references else ", which has no reference"
        raise MetricError(f"no metric is recommended for this set{why}. Name some with -m METRIC.")
    logging.getLogger("albeit").info(
        "no -m: scored with %s, recommended for this set ('albeit metrics --lang %s')",
        " and ".join(args.metrics),
        evalset.target_lang,
    )
    return load_metrics(args)


def _parse(spec: str) -> Call:
    try:
        return parse(spec)
    except MetricError:
        parts = [name.strip() for name in spec.split(",")]
        if len(parts) > 1 and set(parts) <= set(names()):
            hint = f"Metrics are separated by spaces: -m {' '.join(parts)}"
            raise MetricError(f"{spec!r} names {len(parts)} metrics. {hint}") from None
        raise


def _add_options(calls: Sequence[Call], options: Mapping[str, str | bool]) -> list[Call]:
    """Give each metric the options that it has as parameters and that its name leaves open."""
    complete, unused = [], set(options)
    for call in calls:
        if call.name.lower() not in names():  # a saved model has parameters of its own
            complete.append(call)
            continue
        known = [f.name for f in fields(load(call.name)) if f.init]
        unused -= set(known)
        given = {*known[: len(call.args)], *(key.lower() for key, _ in call.kwargs)}
        extra = tuple((k, v) for k, v in options.items() if k in known and k not in given)
        complete.append(Call(call.name, call.args, call.kwargs + extra))
    for name in sorted(unused):
        listed = ", ".join(call.name for call in calls)
        raise MetricError(f"--{name} has no effect: {listed} has no such parameter.")
    return complete


def check_annotations(args: Evaluated, metrics: Sequence[Metric]) -> None:
    """Raise if annotations are given that no metric would use."""
    if args.annotations and not any(metric.annotated for metric in metrics):
        listed = ", ".join(map(str, metrics)) or "no metric"
        raise MetricError(f"--annotations has no effect: no annotations are read by {listed}.")


def open_evaluation(args: Evaluated, evalset: EvalSet) -> Evaluation:
    """Open the set with supplied annotations, the store, and the executor of the options."""
    on_error: Any = getattr(args, "on_error", "stop")
    processes = (args.workers, args.engine, on_error, args.batch_timeout, args.allow_mixed)
    given: Annotations = {}
    if args.annotations:
        from albeit.parsing.supplied import read_supplied

        given = read_supplied(args.annotations, evalset)
    return Evaluation(evalset, given, store=open_store(), workers=Workers(*processes))


def usable(
    evaluation: Evaluation, metrics: Sequence[Metric], others: Sequence[Metric] = ()
) -> Sequence[Metric]:
    """Return the metrics that can score the set; a warning names the rest, with the reason.

    If none can, and there are no ``others``, all are returned, and scoring raises the error.
    """
    able, reasons = evaluation.usable(metrics)
    if not reasons or not (able or others):
        return metrics
    listed = "; ".join(str(reason).splitlines()[0] for reason in reasons.values())
    what = (
        f"left out {len(reasons)} of {len(metrics)} metrics that cannot score this set:"
        f" {', '.join(map(str, reasons))}. {listed}"
    )
    warnings.warn(AlbeitWarning(what, count=len(reasons)), stacklevel=1)
    return able


def score_set(
    args: Scored, evalset: EvalSet, metrics: Sequence[Metric], columns: Sequence[Column]
) -> ScoreTable:
    """Score a set, with progress on stderr, and add the columns of other tools."""
    if not metrics:
        return ScoreTable.build(evalset, ()).with_columns(columns)
    check_annotations(args, metrics)
    evaluation = open_evaluation(args, evalset)
    if args.skip_unusable:
        metrics = usable(evaluation, metrics)
    with ProgressLine(quiet=args.quiet) as progress:
        return evaluation.score(metrics, progress).with_columns(columns)


def score_with_confidence(
    args: Resampled, evalset: EvalSet, metrics: Sequence[Metric]
) -> ScoreTable:
    """Score a set, and add scores of ``--scores`` and confidence intervals if asked for."""
    if args.confidence:
        check_level(args.confidence_level)
        check_resampling(evalset, metrics, args.unit)
    table = score_set(args, evalset, metrics, load_external(args, evalset))
    if not args.confidence:
        return table
    resamples = args.resamples or 1000
    settings = args.pick("seed", "unit")
    return confidence(table, level=args.confidence_level, resamples=resamples, **settings)
