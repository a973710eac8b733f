"""Choose the best of several translations of each segment: by minimum Bayes risk, or best of n.

albeit rerank candidates.jsonl -m sim                        minimum Bayes risk by sim
albeit rerank a.txt b.txt c.txt -m chrf 0.5*dr-lex           one line per segment in each file
albeit rerank nbest.moses -m chrf --fast                     against mean n-gram counts
albeit rerank a.txt b.txt -m chrf --scores COMET.seg.score   with scores of another tool
albeit rerank candidates.jsonl -m sim --against references   the best that could be chosen
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError

if TYPE_CHECKING:
    from albeit.metrics.base import Metric
    from albeit.metrics.table import Column
    from albeit.rerank import CandidateSet, Choice


def configure(parser: Parser) -> None:
    """Add the options of ``albeit rerank``."""
    parser.file(
        "candidates",
        nargs="+",
        help="JSON lines with one object per segment, a Moses n-best list, or several files with"
        " one candidate per line each",
    )
    group = parser.group("input")
    group.file("--references", nargs="+", default=[], help="references, one line per segment")
    group.file("--source", help="the source text")
    group.option("--lang", metavar="CODE", default="en")
    group.option("--source-lang", metavar="CODE", help="language translated from")
    group = parser.group("choosing")
    group.several(
        "-m",
        "--metrics",
        metavar="[W*]METRIC",
        help="metrics to choose by, each with a weight in front where it is not 1",
    )
    options.add_trust(group)
    options.add_scores(group)
    group.option(
        "--against",
        choices=("candidates", "references"),
        default="candidates",
        help="what candidates are compared with",
    )
    group.flag("--fast", help="linear time: bleu, chrf, sim by mean statistics")
    group = parser.group("output")
    options.add_format(group, ("text", "json"), "the chosen lines, or all ratings")
    group.output("-o", "--output", help="write it to this file in place of standard output")
    group = parser.group("running")
    options.add_workers(group)
    options.add_quiet(group, "no progress, no warnings")
    options.add_config(group)


def run(args: Namespace) -> None:
    """Read, choose, print."""
    from albeit.cli.outputs import write_output
    from albeit.evaluation import ProgressLine
    from albeit.languages import normalise
    from albeit.rerank import read_candidates, rerank

    metrics = [_parse_weighted(text, trust=args.trust) for text in args.metrics]
    candidates = read_candidates(
        args.candidates,
        lang=normalise(args.lang),
        source_lang=normalise(args.source_lang) if args.source_lang else None,
        references=args.references,
        source=args.source,
    )
    scores = _read_scores(args, candidates) if args.scores or args.lower_is_better else []
    with ProgressLine(quiet=args.quiet) as progress:
        choices = rerank(
            candidates,
            metrics,
            against=args.against,
            fast=args.fast,
            scores=scores,
            workers=args.workers,
            progress=progress,
        )
    if args.format == "json":
        text = _format_json(choices, candidates, scores)
    else:
        text = "".join(f"{choice.text}\n" for choice in choices)
    write_output(text, args.output)


def _parse_weighted(text: str, *, trust: bool) -> tuple[Metric, float]:
    """Parse a metric with its weight: ``0.5*sim``."""
    from albeit.metrics.registry import metric

    weight, star, name = text.partition("*")
    if not star or "(" in weight:
        return metric(text, trust=trust), 1.0
    try:
        return metric(name, trust=trust), float(weight)
    except ValueError:
        raise UsageError(f"-m {text}: {weight!r} is not a number.") from None


def _read_scores(args: Namespace, candidates: CandidateSet) -> list[Column]:
    """Read the scores of other tools; each file of candidates is a system."""
    from albeit.data.evalset import EvalSet
    from albeit.errors import InputError
    from albeit.metrics.external.scores import external_columns

    if not candidates.files:
        raise InputError(
            "scores of other tools are joined by the names of systems, and these candidates have"
            " no names.",
            path=candidates.path,
            hint="Give one file per system instead.",
        )
    texts = zip(*(one.texts for one in candidates.lists), strict=True)
    evalset = EvalSet({}, dict(zip(candidates.files, texts, strict=True)))
    return external_columns(evalset, args.scores, lower_is_better=args.lower_is_better)


def _format_json(
    choices: Sequence[Choice], candidates: CandidateSet, scores: Sequence[Column]
) -> str:
    files = list(candidates.files.values())
    rows = []
    for choice in choices:
        row: dict[str, object] = {"id": choice.id, "chosen": choice.index + 1}
        if files:
            row["file"] = files[choice.index]
        if len(choice.tied) > 1:
            row["tied"] = [index + 1 for index in choice.tied]
        rows.append({**row, "text": choice.text, "ratings": list(choice.ratings)})
    head: dict[str, object] = {"files": files} if files else {}
    if scores:
        head["scores"] = [str(column.signature) for column in scores]
    return json.dumps({**head, "segments": rows}, ensure_ascii=False, indent=1) + "\n"
