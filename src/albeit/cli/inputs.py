"""Read the test set and build the metrics that options name, and score the one with the other."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import albeit.data as data
from albeit.cli.options import Evaluated, InputOptions, Metrics, Scored, Scores, TextOptions
from albeit.cli.parser import UsageError
from albeit.data.plausible import warn_if_implausible, warn_of_empty_lines, warn_of_off_target
from albeit.evaluation import (
    Evaluation,
    ProgressLine,
    Workers,
    open_store,
    recommended,
    reference_free,
)
from albeit.metrics import AlbeitWarning, Annotations, Call, EvalSet, Metric, MetricError, parse
from albeit.metrics.registry import build, load, names
from albeit.metrics.table import Column, ScoreTable


def load_evalset(args: InputOptions) -> EvalSet:
    """Read what the input options name; with ``--resegment``, cut to the reference's segments."""
    if args.resegment:
        from albeit.cli.rerank import load_cuts
        from albeit.report.segments import summarize_cuts

        cuts = load_cuts(args)
        for line in summarize_cuts(cuts):
            logging.getLogger("albeit").info(line)
        evalset = cuts.evalset
    else:
        evalset = load_stream(args).evalset()
        if not evalset.systems:
            raise UsageError(f"{evalset.name} has no translations. Add them with -i FILE.")
    warn_of_empty_lines(evalset)
    warn_if_implausible(evalset)
    warn_of_off_target(evalset)
    return evalset


def load_references(args: InputOptions) -> EvalSet:
    """Read references, source, and documents; a test set has its systems too."""
    if is_whole(args, args.references):
        return data.read(args.references, args.input_format, **_set_options(args))
    return open_files(args, args.references, []).evalset()


def load_stream(args: InputOptions) -> data.Corpus:
    """Open what the input options name, to be read at once or in batches."""
    if not args.references and not args.input:
        raise UsageError("no text given. Run: albeit score REF.txt -i SYSTEM.txt")
    if args.input and not is_whole(args, args.references):
        if args.origlang:
            raise UsageError("--origlang needs a test set that records it (WMT XML, SGML).")
        if args.refs:
            raise UsageError("--refs applies to a test set; here every REF is a reference.")
        return open_files(args, args.references, args.input).choose(systems=args.systems)
    corpus = open_set(args, args.references, None if args.input else args.systems)
    if not args.input:
        return corpus
    evalset = data.add_systems(corpus.evalset(), args.input, unescape=args.unescape)
    return data.LoadedCorpus(evalset).choose(systems=args.systems)


def is_whole(args: TextOptions, paths: Sequence[str]) -> bool:
    """Return whether paths are a whole test set, not files of texts."""
    return bool(args.input_format or (paths and data.is_test_set(paths[0])))


def open_files(args: TextOptions, refs: Sequence[str], systems: Sequence[str]) -> data.TextFiles:
    """Open plain text files."""
    options = args.pick("source", "docs", "source_lang", "unescape")
    return data.open_texts(refs, systems, target_lang=args.lang, **options)


def open_set(args: TextOptions, paths: Sequence[str], systems: Sequence[str] | None) -> data.Corpus:
    """Open a test set that has everything, or everything but translations."""
    if args.source:
        raise UsageError("--source applies to text files; a test set has its own source.")
    return data.open_corpus(paths, args.input_format, systems=systems, **_set_options(args))


def _set_options(args: TextOptions) -> dict[str, Any]:
    """Return the arguments of :func:`albeit.read` for a test set that has everything."""
    options = args.pick("source_lang", "docs", "unescape", "language_pair", "origlang")
    return options | {"target_lang": args.lang, "references": getattr(args, "refs", None)}


def put_named_set(args: InputOptions) -> None:
    """Store the files of the set that ``-t`` names into the options that would have named them."""
    from albeit.data.folders import find_set

    name = args.test_set or ""
    if Path(name).is_file():
        what = f"-t takes the name of a test set, and {name} is a file."
        raise UsageError(f"{what} To score files: albeit score REF -i FILE.")
    given = {"REF": args.references, "--source": args.source, "--docs": args.docs}
    if clash := [word for word, value in given.items() if value]:
        raise UsageError(f"-t {name} has its own {' and '.join(clash)}.")
    files = find_set(name, args.language_pair)
    if files.tree is not None:
        args.references = [files.tree]
        return
    references, systems = map(_by_name, (files.references, files.systems))
    if not set(args.refs or ()) <= set(references):
        raise UsageError(f"{name} has the references {', '.join(references)}.")
    args.references = [references[n] for n in references if n in (args.refs or references)]
    args.source, args.docs, args.refs, args.language_pair = files.source, files.docs, None, None
    source, target = data.language_pair(files.pair) or (None, None)
    args.source_lang, args.lang = args.source_lang or source, args.lang or target
    wanted = [n for n in args.systems or () if n in systems] if args.input else systems
    args.input = [*args.input, *(systems[n] for n in wanted)]


def _by_name(arguments: Sequence[str]) -> dict[str, str]:
    return {argument.partition("=")[0]: argument for argument in arguments}


def load_external(args: Scores, evalset: EvalSet) -> list[Column]:
    """Read the scores of other tools from the files of ``--scores``."""
    if not (args.scores or args.lower_is_better):
        return []
    from albeit.metrics.external import external_columns

    return external_columns(evalset, args.scores, lower_is_better=args.lower_is_better)


def load_metrics(args: Metrics) -> list[Metric]:
    """Build the metrics of ``-m``; without it there are none yet: see :func:`or_recommended`.

    ``--tokenize`` and ``--lowercase`` are parameters of each metric that has them and whose name
    leaves them open.
    """
    calls = [_parse(spec) for spec in args.metrics or ()]
    given = args.pick("tokenize", "lowercase")
    options = {name: value for name, value in given.items() if value and calls}
    unused = set(options)
    for index, call in enumerate(calls):
        if options and call.name.lower() in names():  # a saved model has its own parameters
            known = [f.name for f in fields(load(call.name)) if f.init]
            own = {*known[: len(call.args)], *(key.lower() for key, _ in call.kwargs)}
            extra = tuple((k, v) for k, v in options.items() if k in known and k not in own)
            calls[index] = call._replace(kwargs=call.kwargs + extra)
            unused -= set(known)
    if unused:
        listed = ", ".join(call.name for call in calls)
        raise MetricError(f"--{min(unused)} has no effect: {listed} has no such parameter.")
    return [build(call, trust=args.trust) for call in calls]


def _parse(spec: str) -> Call:
    try:
        return parse(spec)
    except MetricError:
        parts = [name.strip() for name in spec.split(",")]
        if len(parts) > 1 and set(parts) <= set(names()):
            hint = f"Metrics are separated by spaces: -m {' '.join(parts)}"
            raise MetricError(f"{spec!r} names {len(parts)} metrics. {hint}") from None
        raise


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
        if not evalset.references and (free := reference_free(evalset)):
            listed = "".join(f"\n  -m {name:<18}{limits}" for name, limits in free.items())
            raise MetricError(f"no reference is given. Choose a metric that needs none:{listed}")
        raise MetricError("no metric is recommended for this set. Name some with -m METRIC.")
    logging.getLogger("albeit").info(
        "no -m: scored with %s, recommended for this set ('albeit metrics --lang %s')",
        " and ".join(args.metrics),
        evalset.target_lang,
    )
    if "judge" not in args.metrics:
        logging.getLogger("albeit").info(
            "metrics learned from human judgments for %s: -m judge-many (needs"
            " albeit[multilingual]) or -m comet (needs albeit[comet])",
            evalset.target_lang,
        )
    return load_metrics(args)


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
    args: Scored, evaluation: Evaluation, metrics: Sequence[Metric], others: Sequence[Metric] = ()
) -> Sequence[Metric]:
    """Return the metrics; with ``--skip-unusable``, only those that can score the set.

    A warning names the rest, with the reason. If none can, and there are no ``others``, all are
    returned, and scoring raises the error.
    """
    able, reasons = evaluation.usable(metrics) if args.skip_unusable else ([], {})
    if not reasons or not (able or others):
        return metrics
    listed = "; ".join(str(reason).splitlines()[0] for reason in reasons.values())
    what = (
        f"skipped {len(reasons)} of {len(metrics)} metrics that cannot score this set:"
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
    metrics = usable(args, evaluation, metrics)
    with ProgressLine(quiet=args.quiet) as progress:
        return evaluation.score(metrics, progress).with_columns(columns)
