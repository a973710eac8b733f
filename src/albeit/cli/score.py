"""Score systems, and test whether they differ; both can end with status 3 for scripts."""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

import albeit
from albeit.cli import inputs
from albeit.cli.options import Resampled
from albeit.cli.outputs import print_tables
from albeit.cli.parser import UsageError
from albeit.cli.scoring_options import CompareOptions, ScoreOptions
from albeit.data.files import Folder
from albeit.evaluation import ProgressLine
from albeit.metrics import EvalSet, InputError, Metric, MetricError, Unit
from albeit.metrics.table import ScoreTable
from albeit.report import Table, scores

FAILED = 3
"""The exit status if a condition does not hold."""
_WHOLE = ("annotations", "resegment", "confidence", "document_scores", "scores")
"""Options that need the whole set in memory."""


def score(args: ScoreOptions) -> int:
    """Score, print, and write; the status is 3 if a score is below ``--fail-under``."""
    _check_score(args)
    metrics: Sequence[Metric] = inputs.load_metrics(args)
    _check_metrics(args, metrics)
    evalset = None
    if args.out:
        table = _score_batches(args, metrics, args.out)
        if table is None:
            return 0
    else:
        evalset = inputs.load_evalset(args)
        metrics = inputs.or_recommended(args, metrics, evalset)
        _check_metrics(args, metrics)
        table = _score_set(args, evalset, metrics)
    shown = [scores.score_table(table, args.level, decimals=args.decimals)]
    _check_references(evalset, table, shown)
    if (args.segment_scores and not args.out) or args.document_scores:
        from albeit.report.segments import write_scores

        if args.segment_scores:
            write_scores(table, "segment", args.segment_scores)
        if args.document_scores:
            write_scores(table, "document", args.document_scores)
    print_tables(args, shown)
    return _status(_list_missed(table, args.fail_under))


def _check_references(evalset: EvalSet | None, table: ScoreTable, shown: list[Table]) -> None:
    """Warn about references, and add what was found to the first table's JSON."""
    if evalset is None or len(evalset.systems) < 2:
        return
    from albeit.diagnose.references import warn_of_references

    if found := warn_of_references(evalset, table):
        shown[0] = replace(shown[0], meta={**shown[0].meta, "reference_check": found})


def _score_set(args: Resampled, evalset: EvalSet, metrics: Sequence[Metric]) -> ScoreTable:
    """Score a set, and add scores of ``--scores`` and confidence intervals."""
    if not args.confidence:
        return inputs.score_set(args, evalset, metrics, inputs.load_external(args, evalset))
    from albeit.metrics import significance

    significance.check_level(args.confidence_level)
    significance.check_resampling(evalset, metrics, args.unit)
    table = inputs.score_set(args, evalset, metrics, inputs.load_external(args, evalset))
    level, resamples = args.confidence_level, args.resamples or 1000
    how = args.pick("seed", "unit")
    return significance.confidence(table, level=level, resamples=resamples, **how)


def _score_batches(args: ScoreOptions, metrics: Sequence[Metric], out: str) -> ScoreTable | None:
    """Score a set in batches; with ``--only`` there is no table."""
    from albeit.evaluation.partitions import score_partitions

    stream = inputs.load_stream(args)
    if not metrics:
        metrics = inputs.or_recommended(args, metrics, next(stream.partitions(1)).evalset)
        _check_metrics(args, metrics)
    settings = args.pick("only", "workers", "on_error", "batch_timeout", "allow_mixed")
    settings |= {"executor": args.engine, "batch": args.batch_size}
    with ProgressLine(quiet=args.quiet) as progress:
        table = score_partitions(stream, metrics, out, progress=progress, **settings)
    if args.only:
        log, first, last = logging.getLogger("albeit"), args.only.start + 1, args.only.stop
        what = "--only %d-%d is done; a last call without --only completes %s"
        log.info(what, first, last, out)
    elif args.segment_scores:
        from albeit.report.segments import write_run

        write_run(out, args.segment_scores, stream)
    return table


def _check_score(args: ScoreOptions) -> None:
    """Raise for options that contradict each other."""
    if args.on_error == "skip" and args.scores:
        raise UsageError("--on-error skip can't be combined with --scores.")
    for path in filter(None, (args.segment_scores, args.document_scores)):
        from albeit.report.segments import ending_of

        ending_of(path)
    if args.out:
        _check_batches(args)
        _check_folder(args.out)
    elif args.only or args.batch_size:
        name = "--only" if args.only else "--batch-size"
        raise UsageError(f"{name} needs --out RUN/.")


def _check_batches(args: ScoreOptions) -> None:
    """Raise for options that cannot be used when a set is read in batches."""
    if whole := [name.replace("_", "-") for name in _WHOLE if getattr(args, name)]:
        raise UsageError(f"--{whole[0]} needs the whole set at once; --out reads it in batches.")
    if args.level != "system":
        raise UsageError("--out prints no segment scores. Write them: --segment-scores FILE.")
    if args.only and (args.segment_scores or args.fail_under):
        name = "--segment-scores" if args.segment_scores else "--fail-under"
        raise UsageError(f"{name} needs all batches: use it in the last call, without --only.")


def _check_folder(out: str) -> None:
    """Raise if a folder or file exists that is not a run."""
    from albeit.evaluation.partitions import RUN

    hint = "Name another folder after --out."
    try:
        names = Folder(out).names()
    except NotADirectoryError:
        raise InputError("is a file.", path=out, hint=hint) from None
    except OSError as error:
        raise InputError(f"cannot be reached: {error.strerror}.", path=out, hint=hint) from None
    if RUN not in names and not all(name.startswith(f".{RUN}") for name in names):
        raise InputError("already exists, and isn't a run.", path=out, hint=hint)


def _check_metrics(args: ScoreOptions, metrics: Sequence[Metric]) -> None:
    """Raise for metrics that cannot be used with the options, as soon as they are known."""
    whole = [str(metric) for metric in metrics if metric.unit is Unit.DOCUMENT]
    all_whole = args.segment_scores and len(whole) == len(metrics)
    if whole and (args.level == "segment" or all_whole):
        raise UsageError(f"{', '.join(whole)} has no segment scores: it scores whole documents.")
    if metrics and not args.scores:
        _check_names("--fail-under", dict(args.fail_under), list(map(str, metrics)))


def _check_names(name: str, wanted: Iterable[str], known: Sequence[str]) -> None:
    """Raise for a condition on a metric that is not among the metrics."""
    for each in wanted:
        if each not in known:
            raise UsageError(f"{name}: {each!r} is not among the metrics: {', '.join(known)}.")


def _list_missed(table: ScoreTable, limits: Sequence[tuple[str, float]]) -> list[str]:
    """List the scores beyond the limits of ``--fail-under``, with undefined scores."""
    _check_names("--fail-under", dict(limits), list(table.columns))
    missed = []
    for name, limit in limits:
        column = table[name]
        beyond = "below" if column.higher_is_better else "above"
        for system, value in zip(table.systems, column.system.tolist(), strict=True):
            if not (value >= limit if column.higher_is_better else value <= limit):
                shown = "undefined" if math.isnan(value) else f"{value:g}, {beyond} {limit:g}"
                missed.append(f"{system}: {name} is {shown}.")
    return missed


def _status(missed: Sequence[str]) -> int:
    """Print the conditions that do not hold, and return the exit status."""
    for line in missed:
        print(f"albeit: failed: {line}", file=sys.stderr)
    return FAILED if missed else 0


def compare(args: CompareOptions) -> int:
    """Score, test, and print; the status is 3 if a system is worse (``--fail-if-worse``)."""
    from albeit.metrics import significance

    _check_comparison(args)
    metrics: Sequence[Metric] = inputs.load_metrics(args)
    evalset = inputs.load_evalset(args)
    metrics = inputs.or_recommended(args, metrics, evalset)
    if not args.scores:
        _check_names("--fail-if-worse", args.fail_if_worse or (), list(map(str, metrics)))
    if len(evalset.systems) < 2:
        raise InputError("a comparison needs at least two systems.", hint="Give more with -i.")
    if args.baseline is not None:
        evalset.select([args.baseline])  # raises for an unknown name, before scoring
    significance.check_resampling(evalset, metrics, args.unit)
    table = _score_set(args, evalset, metrics)
    how = args.pick("test", "resamples", "seed", "unit")
    if args.all_pairs:
        pairs = significance.compare_all(table, **how)
        shown = scores.pairs_tables(pairs, decimals=args.decimals)
        _check_references(evalset, table, shown)
        print_tables(args, shown)
        return 0
    comparison = significance.compare(table, baseline=args.baseline, **how)
    needed = significance.units_needed(comparison, unit=args.unit) if args.power else None
    shown = [scores.comparison_table(comparison, decimals=args.decimals, needed=needed)]
    _check_references(evalset, table, shown)
    if args.worst:
        shown += scores.losses_tables(comparison, evalset, args.worst, decimals=args.decimals)
    if args.new_errors:
        shown += _flagged_errors(args, evalset, comparison.baseline)
    print_tables(args, shown)
    return _status(_list_worse(args, comparison)) if args.fail_if_worse is not None else 0


def _check_comparison(args: CompareOptions) -> None:
    """Raise for options that contradict each other."""
    gate = args.fail_if_worse is not None
    with_baseline = args.baseline is not None or args.power or args.worst or gate or args.new_errors
    if args.all_pairs and with_baseline:
        names = "--baseline, --power, --worst, --new-errors, and --fail-if-worse"
        raise UsageError(f"--all-pairs has no baseline: omit {names}.")
    if args.errors and not args.new_errors:
        raise UsageError("--errors needs --new-errors.")
    if args.tolerance is not None and not gate:
        raise UsageError("--tolerance needs --fail-if-worse.")


def _list_worse(args: CompareOptions, comparison: albeit.Comparison) -> list[str]:
    """List what the table marks as worse, beyond the tolerance."""
    known, wanted = list(comparison.table.columns), args.fail_if_worse or ()
    _check_names("--fail-if-worse", wanted, known)
    return [
        f"{system}: {name} is worse than {comparison.baseline}'s by {loss:g} (p < .05, corrected)."
        for name in wanted or known
        for system, loss in comparison.worse(name)
        if loss > (args.tolerance or 0.0)
    ]


def _flagged_errors(args: CompareOptions, evalset: EvalSet, baseline: str) -> list[Table]:
    """Build the tables of ``--new-errors``, and write the file of ``--errors``."""
    from albeit.diagnose.flags import flags, only_in, why_none
    from albeit.report.findings import error_tables, write_errors

    if (why := why_none(evalset)) is not None:
        raise MetricError(f"--new-errors: {why}.")
    flagged = flags(evalset)
    if args.errors:
        others = [name for name in evalset.systems if name != baseline]
        write_errors(args.errors, [f for name in others for f in only_in(flagged, name, baseline)])
    return error_tables(flagged, evalset, baseline, count=args.worst or 20)
