"""Rank metrics by correlation with human judgments, and tune combinations of metrics."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import albeit.metaeval as meta
from albeit.cli.inputs import (
    load_evalset,
    load_metrics,
    open_evaluation,
    or_recommended,
    score_set,
)
from albeit.cli.options import Judged
from albeit.cli.outputs import print_tables
from albeit.cli.parser import UsageError
from albeit.cli.scoring_options import MetaevalOptions, TuneOptions
from albeit.data import named_path
from albeit.data.judgments import Pairs, Ratings
from albeit.metaeval import JudgedSet, Measure, Ranking, Task, Tree, rank_metrics
from albeit.metaeval.measure import YEARS
from albeit.metrics import Metric, Signature
from albeit.metrics.registry import metric
from albeit.metrics.table import Column
from albeit.report import rankings

if TYPE_CHECKING:
    from albeit.metrics.cohesion.hybrid import Hybrid

_HELD_OUT = "tuned (held out)"


def metaeval(args: MetaevalOptions) -> None:
    """Run ``albeit metaeval``."""
    levels = list(dict.fromkeys(args.level))
    if args.task and (args.statistic or args.test or args.confidence or levels != ["segment"]):
        what = "--task has its own levels, statistics, and tests"
        raise UsageError(f"{what}: omit --level, --statistic, --test, and --confidence.")
    if args.statistic and len(args.statistic) != len(levels):
        raise UsageError(f"--statistic: give one for each level ({', '.join(levels)}).")
    if args.metrics is None and any(score_files(args, paths) for paths in list_sets(args)):
        args.metrics = []
    metrics = load_metrics(args)
    if args.spans is not None or args.marked:
        _compare_spans(args, metrics)
        return
    combinations = [_parse_combination(args, spec, metrics) for spec in args.uniform]
    judged = load_sets(args)
    measures = _choose_measures(args, levels, judged)
    tasks = score_sets(args, judged, metrics)
    if args.sentinels:
        pairs = zip(tasks, judged, strict=True)
        columns = [(t, t.table.with_columns(meta.sentinel_columns(j.evalset))) for t, j in pairs]
        tasks = [replace(task, table=table) for task, table in columns]
    if combinations:
        from albeit import combine
    for name, parts in combinations:  # each may have parts that are combinations themselves
        tables = [t.table.with_columns([combine.uniform(t.table, parts, name=name)]) for t in tasks]
        tasks = [replace(task, table=table) for task, table in zip(tasks, tables, strict=True)]
    signatures = {name: str(column.signature) for name, column in tasks[0].table.columns.items()}
    if args.task == "wmt24":
        ranked = meta.rank_wmt24(tasks, samples=args.resamples or 0, seed=args.seed)
        print_tables(args, rankings.shared_task_table(ranked, signatures, decimals=args.decimals))
        return
    settings = args.pick("confidence", "test", "seed", "raters")
    rows = [rank_metrics(tasks, each, samples=args.resamples, **settings) for each in measures]
    print_tables(args, rankings.ranking_table(rows, signatures, decimals=args.decimals))


def _compare_spans(args: MetaevalOptions, metrics: Sequence[Metric]) -> None:
    """Compare marked errors with those of annotators, and print precision, recall, and F1."""
    from albeit.data.marked import Span, read_marks
    from albeit.metaeval.spans import MarkedErrors, metric_marks

    args.judged_only = False  # numbers of segments are those of the whole set
    judged, *more = load_sets(args)
    if more or args.spans is None:
        raise UsageError("--marked needs --spans, and --spans needs one test set.")
    evalset, ratings = judged.evalset, judged.judgments
    path = args.spans or ratings.path or ""
    people = MarkedErrors.of(
        read_marks(path, evalset), ratings if isinstance(ratings, Ratings) else None
    ).within(evalset.systems)
    items = {item for own in people.by_rater.values() for item in own}
    found = people.compare_raters()
    for argument in args.marked:
        name, file = named_path(argument)
        own = MarkedErrors.of(read_marks(file, evalset)).within(evalset.systems)
        spans: dict[tuple[str, int], list[Span]] = {}
        for item, marked in (pair for marks in own.by_rater.values() for pair in marks.items()):
            spans.setdefault(item, []).extend(marked)
        found.append(people.compare(name or Path(file).name, spans))
    evaluation = open_evaluation(args, evalset)
    for each in metrics:
        found.append(people.compare(str(each), metric_marks(evaluation, each, items)))
    print_tables(args, rankings.span_table(found, path))


def _choose_measures(
    args: MetaevalOptions, levels: Sequence[Any], sets: Sequence[JudgedSet]
) -> list[Measure]:
    """Choose a measure per level, by the judgments; raise for a test that does not exist."""
    if args.task:
        measures = list(YEARS.get(args.task, ()))  # wmt24 has its own tests
    elif args.statistic:
        pairs = zip(levels, args.statistic, strict=True)
        measures = [Measure(level, statistic, args.by) for level, statistic in pairs]
    else:
        judgments = [each.judgments for each in sets]
        measures = [meta.usual_measure(level, judgments, args.by) for level in levels]
    if args.test is not None:
        for measure in measures:
            meta.check_test(measure, args.test, len(sets))
    return measures


def _parse_combination(
    args: MetaevalOptions, spec: str, metrics: list[Metric]
) -> tuple[str, list[str]]:
    """Parse ``NAME=A+B`` to its name and metrics; the name is ``A+B`` by default.

    The metrics of a named group (``asiya-lex``) are added to ``metrics``.
    """
    from albeit.combine import groups

    name, equals, inside = spec.partition("=")
    parts: list[str] = []
    for part in (inside if equals else spec).split("+"):
        members = groups()[part].members if part in groups() else ()
        metrics += [metric(m) for m in dict.fromkeys(members) if m not in map(str, metrics)]
        if not (members or args.scores or part in map(str, metrics)):
            listed = ", ".join(groups())
            raise UsageError(f"--uniform: {part!r} is not among the metrics of -m, or {listed}.")
        parts += members or (part,)
    return name, parts


def tune(args: TuneOptions) -> None:
    """Run ``albeit tune``."""
    from albeit import combine
    from albeit.metrics.cohesion.hybrid import Hybrid

    metrics = load_metrics(args)
    if hybrids := [metric for metric in metrics if isinstance(metric, Hybrid)]:
        if len(hybrids) < len(metrics) or args.output or args.l2 is not None:
            what = "a hybrid is tuned without other metrics, --output, and --l2"
            raise UsageError(f"{what}: its weight is its parameter alpha.")
        _tune_hybrids(args, hybrids)
        return
    most = max(args.folds, combine.INNER_FOLDS) if args.l2 is None else args.folds
    judged = load_sets(args)
    combine.check_folds([each.evalset for each in judged], most)
    tasks = score_sets(args, judged, metrics)
    names = list(tasks[0].table.metrics)
    settings = args.pick("l2", "seed")
    held_out = combine.cross_validate(tasks, names, folds=args.folds, **settings)
    signature = Signature("logistic", version="")
    validated = []
    for task, scores in zip(tasks, held_out, strict=True):
        extra = [Column(_HELD_OUT, signature, True, scores.mean(axis=1), None, scores)]
        if len(names) > 1:
            extra.append(combine.uniform(task.table, names, name="uniform"))
        validated.append(replace(task, table=task.table.with_columns(extra)))
    ranking = rank_metrics(validated)
    training = {"cross_validation": _describe(ranking, args.folds)}
    model = combine.tune(tasks, names, name=args.name, training=training, **settings)
    if args.output:
        model.save(args.output)
    notes = [f"saved to {args.output}"] if args.output else []
    shown = rankings.ranking_table(ranking, decimals=args.decimals)
    print_tables(args, [shown, rankings.model_table(model, notes=notes)])


def _tune_hybrids(args: TuneOptions, hybrids: Sequence[Hybrid]) -> None:
    """Tune the weight of cohesion in each hybrid, and print the document correlations."""
    from albeit import combine

    judged = load_sets(args)
    combine.check_folds([each.evalset for each in judged], args.folds)
    parts = dict.fromkeys(part for hybrid in hybrids for part in (*hybrid.parts, hybrid))
    tasks = [combine.within_documents(task) for task in score_sets(args, judged, list(parts))]
    weights = {}
    for hybrid in hybrids:
        settings = args.pick("folds", "seed")
        alpha, held_out = combine.tune_alpha(
            tasks, str(hybrid.cohesion), str(hybrid.metric), hybrid.metric.scale, **settings
        )
        weights[str(hybrid)] = str(replace(hybrid, alpha=round(alpha, 4))), alpha
        for n, scores in enumerate(held_out):
            column = Column(
                f"{hybrid}, {_HELD_OUT}", Signature("alpha"), True, scores.mean(1), scores
            )
            tasks[n] = replace(tasks[n], table=tasks[n].table.with_columns([column]))
    ranked = [rank_metrics(tasks, Measure("document", each)) for each in ("pearson", "kendall")]
    shown = [rankings.ranking_table(each, decimals=args.decimals) for each in ranked]
    notes = ["rankings: scores of documents are differences from the mean of the document"]
    notes = notes if any(isinstance(task.judgments, Pairs) for task in tasks) else []
    print_tables(args, [*shown, rankings.weight_table(weights, notes)])


def _describe(ranking: Ranking, folds: int) -> dict[str, object]:
    """Describe the cross-validation in the model's file."""
    row = next(r for r in ranking.metrics if r.metric == _HELD_OUT)
    by_task = dict(zip(ranking.tasks, row.values, strict=True))
    statistic = str(ranking.measure)
    return {"folds": folds, "statistic": statistic, "mean": row.mean, "sets": by_task}


def load_sets(args: Judged) -> list[JudgedSet]:
    """Read the test sets with their judgments, which determine the systems to score."""
    inputs = list_sets(args)
    files: Sequence[str | None] = args.judgments or [None] * len(inputs)
    if len(files) != len(inputs):
        counts = f"{len(files)} files of judgments, and {len(inputs)} test sets"
        raise UsageError(f"{counts}: give one file per test set.")
    judged = [load_judged(args, refs, file) for refs, file in zip(inputs, files, strict=True)]
    names = [(s.evalset.name, s.evalset.source_lang, s.evalset.target_lang) for s in judged]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise UsageError(f"two test sets are called {name[0]!r}; rename a folder.")
    return judged


def score_sets(args: Judged, judged: Sequence[JudgedSet], metrics: Sequence[Metric]) -> list[Task]:
    """Score test sets, after the scores of other tools are read for all of them."""
    metrics = or_recommended(args, metrics, judged[0].evalset)
    external = [
        each.columns(score_files(args, refs), lower_is_better=args.lower_is_better)
        for each, refs in zip(judged, list_sets(args), strict=True)
    ]
    return [
        each.task(score_set(args, each.evalset, metrics, columns), args.margin)
        for each, columns in zip(judged, external, strict=True)
    ]


def score_files(args: Judged, references: Sequence[str]) -> Sequence[str]:
    """Return the files of ``--scores``; without any, those of an mt-metrics-eval tree."""
    tree = open_tree(args, references)
    if args.scores or tree is None or tree.scores is None:
        return args.scores
    return [str(tree.scores)]


def open_tree(args: Judged, references: Sequence[str]) -> Tree | None:
    """Return the mt-metrics-eval tree that a test set is read from, if it is one."""
    return Tree.at(references[0], args.language_pair) if references else None


def has_judgments(folder: str) -> bool:
    """Return whether a folder has a file with the usual name of judgments."""
    return any(any(Path(folder).glob(name)) for name in meta.FOUND)


def list_sets(args: Judged) -> list[Sequence[str]]:
    """List what each test set is read from; several folders are several test sets."""
    folders = [path for path in args.references if Path(path).is_dir() or Tree.at(path)]
    if len(folders) > 1 and len(folders) == len(args.references) and not args.input:
        return [[folder] for folder in folders]
    return [args.references]


def load_judged(args: Judged, references: Sequence[str], file: str | None = None) -> JudgedSet:
    """Read one test set with its judgments; ``--systems`` chooses among the judged systems."""
    own = copy(args)
    own.references, own.systems = references, None
    judged = meta.with_judgments(
        load_evalset(own),
        file,
        references[0],
        column=args.human_column,
        penalties=args.penalties or None,
        **args.pick("by_rater", "systems"),
    )
    _log_agreement(judged, args.margin)
    return judged.judged_only() if args.judged_only else judged


def _log_agreement(judged: JudgedSet, margin: float | None) -> None:
    """Log the agreement of raters, if there are several."""
    ratings = judged.judgments
    if isinstance(ratings, Ratings) and len(ratings.raters) > 1:
        margin = meta.usual_margin(ratings) if margin is None else margin
        if agreement := ratings.describe_agreement(margin):
            logging.getLogger("albeit").info("%s: %s", judged.evalset.name, agreement)
