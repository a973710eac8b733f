"""From a command's arguments to metrics, and to the scores of a set by them."""

from __future__ import annotations

import logging
import warnings
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import fields

from albeit.cli.inputs import load_evalset
from albeit.data.evalset import EvalSet
from albeit.errors import AlbeitWarning, MetricError
from albeit.evaluation import Evaluation, ProgressLine, Workers, open_store, recommended
from albeit.metrics.base import Metric
from albeit.metrics.grammar import Call, parse
from albeit.metrics.registry import build, load, names
from albeit.metrics.significance import check_level, check_resampling, confidence
from albeit.metrics.table import Column, ScoreTable
from albeit.parsing.needs import Annotations


def load_asked(args: Namespace) -> tuple[EvalSet, Sequence[Metric]]:
    """The set and the metrics; names of metrics are looked at before the set is read."""
    metrics = load_metrics(args)
    evalset = load_evalset(args)
    return evalset, or_recommended(args, metrics, evalset)


def load_external(args: Namespace, evalset: EvalSet) -> list[Column]:
    """The scores of other tools, from the files of ``--scores``."""
    from albeit.metrics.external.scores import external_columns

    return external_columns(evalset, args.scores, lower_is_better=args.lower_is_better)


def load_metrics(args: Namespace) -> list[Metric]:
    """The metrics that ``-m`` names, with ``--tokenize`` and ``--lowercase`` where they fit.

    Without ``-m`` there are none yet: see :func:`or_recommended`.
    """
    options: dict[str, str | bool] = {}
    if args.tokenize:
        options["tokenize"] = args.tokenize
    if args.lowercase:
        options["lowercase"] = True
    calls = [_parsed(spec) for spec in args.metrics or ()]
    if options and calls:
        calls = _with_options(calls, options)
    return [build(call, trust=args.trust) for call in calls]


def or_recommended(
    args: Namespace, metrics: Sequence[Metric], evalset: EvalSet, beside: Sequence[Metric] = ()
) -> Sequence[Metric]:
    """The metrics, or where none is named, and no scores are given, those recommended for the set.

    A line says which. None at all is an error, unless others are scored ``beside`` them.
    """
    if metrics or args.scores or args.metrics is not None:
        return metrics
    args.metrics = recommended(evalset)
    if not args.metrics:
        if beside:
            return []
        why = "" if evalset.references else ", which has no reference"
        raise MetricError(f"no metric is recommended for this set{why}. Name some with -m METRIC.")
    logging.getLogger("albeit").info(
        "no -m: scored with %s, recommended for this set ('albeit metrics --lang %s')",
        " and ".join(args.metrics),
        evalset.target_lang,
    )
    return load_metrics(args)


def _parsed(spec: str) -> Call:
    try:
        return parse(spec)
    except MetricError as error:
        apart = [name.strip() for name in spec.split(",")]
        if len(apart) > 1 and set(apart) <= set(names()):
            hint = f"Metrics are given apart: -m {' '.join(apart)}"
            raise MetricError(f"{spec!r} names {len(apart)} metrics. {hint}") from None
        raise error


def _with_options(calls: Sequence[Call], options: Mapping[str, str | bool]) -> list[Call]:
    """Give each metric the options that it has as parameters and that its name leaves open."""
    made, unused = [], set(options)
    for call in calls:
        if call.name.lower() not in names():  # a saved model has parameters of its own
            made.append(call)
            continue
        known = [f.name for f in fields(load(call.name)) if f.init]
        unused -= set(known)
        given = {*known[: len(call.args)], *(key.lower() for key, _ in call.kwargs)}
        extra = tuple((k, v) for k, v in options.items() if k in known and k not in given)
        made.append(Call(call.name, call.args, call.kwargs + extra))
    for name in sorted(unused):
        listed = ", ".join(call.name for call in calls)
        raise MetricError(f"--{name} has no effect: {listed} has no such parameter.")
    return made


def require_readers(args: Namespace, metrics: Sequence[Metric]) -> None:
    """Raise if annotations are given that no metric would use."""
    if args.annotations and not any(metric.annotated for metric in metrics):
        listed = ", ".join(map(str, metrics)) or "no metric"
        raise MetricError(f"--annotations has no effect: no analyses are read by {listed}.")


def evaluation_of(args: Namespace, evalset: EvalSet) -> Evaluation:
    """The set with the annotations that ``--annotations`` names, and whoever is to do the work.

    What the cache keeps is not computed again.
    """
    processes = args.workers, args.engine, args.on_error, args.batch_timeout, args.allow_mixed
    given: Annotations = {}
    if args.annotations:
        from albeit.parsing.supplied import read_supplied

        given = read_supplied(args.annotations, evalset)
    return Evaluation(evalset, given, store=open_store(), workers=Workers(*processes))


def usable(
    evaluation: Evaluation, metrics: Sequence[Metric], beside: Sequence[Metric] = ()
) -> Sequence[Metric]:
    """The metrics that can score the set; a warning names the others, and why.

    Where none can, and none stands ``beside`` them, all are left for the error that scoring is.
    """
    able, reasons = evaluation.usable(metrics)
    if not reasons or not (able or beside):
        return metrics
    said = "; ".join(str(reason).splitlines()[0] for reason in reasons.values())
    warnings.warn(
        AlbeitWarning(
            f"left out {len(reasons)} of {len(metrics)} metrics that cannot score this set:"
            f" {', '.join(map(str, reasons))}. {said}",
            count=len(reasons),
        ),
        stacklevel=1,
    )
    return able


def scored(
    args: Namespace, evalset: EvalSet, metrics: Sequence[Metric], beside: Sequence[Column]
) -> ScoreTable:
    """The scores, with progress on stderr, and other tools' beside them."""
    if not metrics:
        return ScoreTable.build(evalset, ()).with_columns(beside)
    require_readers(args, metrics)
    evaluation = evaluation_of(args, evalset)
    if args.skip_unusable:
        metrics = usable(evaluation, metrics)
    with ProgressLine(quiet=args.quiet) as progress:
        return evaluation.score(metrics, progress).with_columns(beside)


def scored_with_confidence(
    args: Namespace, evalset: EvalSet, metrics: Sequence[Metric]
) -> ScoreTable:
    """The scores, those of ``--scores`` among them, with confidence intervals if asked for."""
    if args.confidence:
        check_level(args.confidence_level)
        check_resampling(evalset, metrics, args.unit)
    table = scored(args, evalset, metrics, load_external(args, evalset))
    if not args.confidence:
        return table
    resamples = args.resamples or 1000
    return confidence(
        table, level=args.confidence_level, resamples=resamples, seed=args.seed, unit=args.unit
    )
