"""From a command's arguments to the test set and metrics they name, and to their scores."""

from __future__ import annotations

import logging
import warnings
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from albeit.annotate.given import read_given
from albeit.cli.parser import UsageError
from albeit.corpus import read
from albeit.corpus.build import Named, TextRows, read_named, text_rows
from albeit.corpus.evalset import EvalSet
from albeit.corpus.front import is_test_set
from albeit.corpus.plausible import warn_if_implausible, warn_of_empty_lines
from albeit.corpus.rows import SetRows, gathered
from albeit.corpus.streams import Stream, stream_table
from albeit.engine import Effort, Evaluation, open_store, recommended
from albeit.engine.progress import ProgressLine
from albeit.errors import AlbeitWarning, InputError, MetricError
from albeit.metrics.base import Metric
from albeit.metrics.external import external_columns
from albeit.metrics.grammar import Call, parse
from albeit.metrics.registry import build, load, names
from albeit.metrics.significance import check_level, check_resampling, confidence
from albeit.metrics.table import ScoreTable

if TYPE_CHECKING:
    from albeit.resegment import Resegmented

__all__ = [
    "evaluation_of",
    "load_cuts",
    "load_evalset",
    "load_metrics",
    "load_stream",
    "or_recommended",
    "require_readers",
    "scored",
    "scored_with_confidence",
    "usable",
]


def load_evalset(args: Namespace) -> EvalSet:
    """Read what the input options name; with ``--resegment``, cut to the reference's segments."""
    if args.resegment:
        cuts = load_cuts(args)
        for line in cuts.summary():
            logging.getLogger("albeit").info(line)
        evalset = cuts.evalset
    else:
        evalset = _load_lines(args)
    warn_of_empty_lines(evalset)
    warn_if_implausible(evalset)
    return evalset


def load_cuts(args: Namespace) -> Resegmented:
    """Translations of whole documents, cut to the reference's segments."""
    from albeit.cli.commands.resegment import resegmented

    if not args.references:
        raise UsageError("no reference given, by which translations could be cut.")
    return resegmented(args, _is_whole(args))


def _is_whole(args: Namespace) -> bool:
    """Whether the first argument is a whole test set, not a file of references."""
    return bool(args.input_format or (args.references and is_test_set(args.references[0])))


def load_stream(args: Namespace) -> Stream:
    """What the input options name, to be read in batches."""
    _check_inputs(args)
    languages = {"source_lang": args.source_lang, "target_lang": args.lang}
    if not _is_whole(args) and args.input:
        return Stream(_text_rows(args), **languages, systems=args.systems)
    if args.input:  # translations beside a test set: only in memory do they come together
        return Stream(SetRows(_load_lines(args)))
    return stream_table(
        args.references,
        args.input_format,
        references=args.refs,
        systems=args.systems,
        **languages,
        **_set_options(args),
    )


def _load_lines(args: Namespace) -> EvalSet:
    """Texts that have one line per segment."""
    _check_inputs(args)
    if args.input and not _is_whole(args):
        evalset = gathered(_text_rows(args))
    else:
        evalset = read(
            args.references,
            args.input_format,
            source_lang=args.source_lang,
            target_lang=args.lang,
            references=args.refs,
            systems=None if args.input else args.systems,
            **_set_options(args),
        )
        if args.input:
            evalset = _beside(evalset, read_named(args.input, "system", unescape=args.unescape))
    if args.systems:
        evalset = evalset.select(args.systems)
    if not evalset.systems:
        raise UsageError(f"{evalset.name} holds no translations. Give some with -i FILE.")
    return evalset


def _check_inputs(args: Namespace) -> None:
    """Raise where input options do not go together."""
    if not args.references and not args.input:
        raise UsageError("no text given. Try: albeit score REF.txt -i SYSTEM.txt")
    if args.input and not _is_whole(args):
        if args.origlang:
            raise UsageError("--origlang chooses from a test set that says it (WMT XML, SGML).")
        if args.refs:
            raise UsageError("--refs chooses from a test set; here every REF is a reference.")
    elif args.source:
        raise UsageError("--source goes with text files; a test set has its own source.")


def _text_rows(args: Namespace) -> TextRows:
    return text_rows(
        args.references,
        args.input,
        source=args.source,
        docs=args.docs,
        source_lang=args.source_lang,
        target_lang=args.lang,
        unescape=args.unescape,
    )


def _set_options(args: Namespace) -> dict[str, Any]:
    """Options of a test set that holds everything."""
    names = ("language_pair", "docs", "origlang", "unescape")
    return {name: getattr(args, name) for name in names}


def _beside(evalset: EvalSet, named: Named) -> EvalSet:
    """A set with a user's own translations before the set's own systems."""
    for name, (path, _) in named.items():
        if name in evalset.systems:
            raise InputError(
                f"the test set has a system {name!r} of its own.",
                path=path,
                hint="Give yours another name: NAME=FILE.",
            )
    mine = {name: lines for name, (_, lines) in named.items()}
    return evalset.with_systems({**mine, **evalset.systems})


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
    return [build(call) for call in calls]


def or_recommended(
    args: Namespace,
    metrics: Sequence[Metric],
    evalset: EvalSet,
    beside: Sequence[Metric] = (),
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
        raise MetricError("no metric is recommended for this set. Name some with -m METRIC.")
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
    effort = Effort(args.workers, args.engine, args.on_error, args.batch_timeout, args.allow_mixed)
    given = read_given(args.annotations, evalset)
    return Evaluation(evalset, given, store=open_store(), effort=effort)


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


def scored(args: Namespace, evalset: EvalSet, metrics: Sequence[Metric]) -> ScoreTable:
    """The scores, with progress on stderr."""
    require_readers(args, metrics)
    evaluation = evaluation_of(args, evalset)
    if args.skip_unusable:
        metrics = usable(evaluation, metrics)
    with ProgressLine(quiet=args.quiet) as progress:
        return evaluation.score(metrics, progress)


def scored_with_confidence(
    args: Namespace, evalset: EvalSet, metrics: Sequence[Metric]
) -> ScoreTable:
    """The scores, those of ``--scores`` among them, with confidence intervals if asked for."""
    if args.confidence:
        check_level(args.confidence_level)
        check_resampling(evalset, metrics, args.unit)
    external = external_columns(evalset, args.scores, lower_is_better=args.lower_is_better)
    table = scored(args, evalset, metrics) if metrics else ScoreTable.build(evalset, ())
    table = table.with_columns(external)
    if not args.confidence:
        return table
    resamples = args.resamples or 1000
    return confidence(
        table, level=args.confidence_level, resamples=resamples, seed=args.seed, unit=args.unit
    )
