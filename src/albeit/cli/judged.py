"""Options and loading for commands that set metrics beside human judgments."""

from __future__ import annotations

import logging
from argparse import Namespace
from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError

if TYPE_CHECKING:
    from albeit.metaeval import JudgedSet, Task, Tree
    from albeit.metrics.base import Metric


def add_judged(parser: Parser) -> None:
    """What is scored, what people said of it, and the metrics and scores set beside that."""
    options.add_inputs(parser)
    options.add_annotations(parser)
    group = parser.group("judgments")
    group.file(
        "--judgments",
        nargs="+",
        help="what people said: WMT rankings (CSV), pairs (TSV: segment, better, worse), ratings"
        " (TSV: system, segment or line0, a score; or .seg.score); one file per test set. Without"
        " it a test set's folder is searched for files with a usual name",
    )
    group.option("--human-column", metavar="NAME", help="score column of ratings (raw, z, mqm …)")
    group.flag("--penalties", help="ratings count errors: lower is better")
    group.flag(
        "--by-rater",
        help="make ratings z by rater, where the file has a column 'rater', before they are averaged",
    )
    group.option(
        "--margin",
        type=float,
        metavar="X",
        help="ratings that differ by less than this prefer neither (default: 1 point of MQM, 25 of"
        " raw DA and ESA, .75 of z-scores; 0 for accuracy-ties and tau-b, which count ties)",
    )
    group.flag(
        "--judged-only",
        help="score only segments that somebody judged (judges of MQM often see a part of the set)",
    )
    options.add_scores(group)
    options.add_metrics(parser)


def load_tasks(
    args: Namespace,
    metrics: Sequence[Metric],
    check: Callable[[Sequence[JudgedSet]], object] | None = None,
) -> list[Task]:
    """Read the test sets, score them with the metrics, and put judgments beside the scores.

    Everything is read, and what ``check`` refuses is refused, before anything is scored. Systems
    that nobody judged are not scored.
    """
    from albeit.cli.scoring import or_recommended, scored

    each = test_sets(args)
    files = args.judgments or [None] * len(each)
    if len(files) != len(each):
        raise UsageError(
            f"{len(files)} files of judgments are given for {len(each)} test sets; give one each."
        )
    judged = [load_judged(args, refs, file) for refs, file in zip(each, files, strict=True)]
    names = [(s.evalset.name, s.evalset.source_lang, s.evalset.target_lang) for s in judged]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise UsageError(f"two test sets are called {name[0]!r}; rename a folder.")
    if check is not None:
        check(judged)
    metrics = or_recommended(args, metrics, judged[0].evalset)
    external = [
        s.columns(score_files(args, refs), lower_is_better=args.lower_is_better)
        for s, refs in zip(judged, each, strict=True)
    ]
    return [
        s.task(scored(args, s.evalset, metrics, beside), args.margin)
        for s, beside in zip(judged, external, strict=True)
    ]


def score_files(args: Namespace, references: Sequence[str]) -> Sequence[str]:
    """The files of ``--scores``; without any, those that a tree of mt-metrics-eval has."""
    tree = own_tree(args, references)
    if args.scores or tree is None or tree.scores is None:
        return list(args.scores)
    return [str(tree.scores)]


def own_tree(args: Namespace, references: Sequence[str]) -> Tree | None:
    """The tree of mt-metrics-eval that a test set is read from, if it is one."""
    from albeit.metaeval import Tree

    return Tree.at(references[0], args.language_pair) if references else None


def test_sets(args: Namespace) -> list[list[str]]:
    """What each test set is read from; several folders are several test sets."""
    folders = [p for p in args.references if Path(p).is_dir()]
    if len(folders) > 1 and len(folders) == len(args.references) and not args.input:
        return [[folder] for folder in folders]
    return [args.references]


def load_judged(args: Namespace, references: Sequence[str], file: str | None) -> JudgedSet:
    """One test set with its judgments; systems are chosen among those that were judged."""
    from albeit.cli.inputs import load_evalset
    from albeit.metaeval import with_judgments

    own = copy(args)
    own.references, own.systems = references, None
    evalset = load_evalset(own)
    joined = with_judgments(
        evalset,
        file,
        references[0],
        column=args.human_column,
        penalties=args.penalties or None,
        by_rater=args.by_rater,
        systems=args.systems or None,
    )
    _say_agreement(joined, args.margin)
    return joined.judged_only() if args.judged_only else joined


def _say_agreement(judged: JudgedSet, margin: float) -> None:
    """Where several people rated, how well they agree: what a metric is to be seen beside."""
    from albeit.data.judgments import Ratings

    ratings = judged.judgments
    if isinstance(ratings, Ratings) and len(ratings.raters) > 1:
        found = ratings.describe_agreement(margin)
        if found is not None:
            logging.getLogger("albeit").info("%s: %s", judged.evalset.name, found)
