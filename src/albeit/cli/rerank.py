"""Choose among several translations, and cut translations of documents to segments."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from albeit.cli.inputs import load_cuts, load_external
from albeit.cli.parser import UsageError
from albeit.cli.tool_options import RerankOptions, ResegmentOptions
from albeit.data import write
from albeit.data.resegment import write_offsets
from albeit.data.textio import write_text
from albeit.evaluation import ProgressLine
from albeit.languages import normalise
from albeit.metrics import EvalSet, InputError, Metric
from albeit.metrics.registry import metric
from albeit.metrics.table import Column
from albeit.report.segments import RENDERERS
from albeit.rerank import CandidateSet, Choice, read_candidates
from albeit.rerank import rerank as choose


def rerank(args: RerankOptions) -> None:
    """Run ``albeit rerank``."""
    metrics = [_parse_weighted(text, trust=args.trust) for text in args.metrics]
    candidates = read_candidates(
        args.candidates,
        lang=normalise(args.lang),
        source_lang=normalise(args.source_lang) if args.source_lang else None,
        references=args.references,
        source=args.source,
    )
    scores = _read_scores(args, candidates) if args.scores or args.lower_is_better else []
    settings: Any = {"against": args.against, "fast": args.fast, "workers": args.workers}
    with ProgressLine(quiet=args.quiet) as progress:
        choices = choose(candidates, metrics, scores=scores, progress=progress, **settings)
    if args.format == "json":
        text = _format_json(choices, candidates, scores)
    else:
        text = "".join(f"{choice.text}\n" for choice in choices)
    write_text(text, args.output or "-")


def _parse_weighted(text: str, *, trust: bool) -> tuple[Metric, float]:
    """Parse a metric with its weight: ``0.5*sim``."""
    weight, star, name = text.partition("*")
    if not star or "(" in weight:
        return metric(text, trust=trust), 1.0
    try:
        return metric(name, trust=trust), float(weight)
    except ValueError:
        raise UsageError(f"-m {text}: {weight!r} is not a number.") from None


def _read_scores(args: RerankOptions, candidates: CandidateSet) -> list[Column]:
    """Read the scores of other tools; each file of candidates is a system."""
    if not candidates.files:
        what = "scores of other tools are joined by names of systems, which candidates don't have."
        hint = "Give one file per system instead."
        raise InputError(what, path=candidates.path, hint=hint)
    texts = zip(*(one.texts for one in candidates.lists), strict=True)
    evalset = EvalSet({}, dict(zip(candidates.files, texts, strict=True)))
    return load_external(args, evalset)


def _format_json(
    choices: Sequence[Choice], candidates: CandidateSet, scores: Sequence[Column]
) -> str:
    files = list(candidates.files.values())
    rows = []
    for choice in choices:
        row: dict[str, object] = {"id": choice.id, "chosen": choice.index + 1}
        row |= {"file": files[choice.index]} if files else {}
        row |= {"tied": [index + 1 for index in choice.tied]} if len(choice.tied) > 1 else {}
        rows.append({**row, "text": choice.text, "ratings": list(choice.ratings)})
    head: dict[str, object] = {"files": files} if files else {}
    head |= {"scores": [str(column.signature) for column in scores]} if scores else {}
    return json.dumps({**head, "segments": rows}, ensure_ascii=False, indent=1) + "\n"


def resegment(args: ResegmentOptions) -> None:
    """Run ``albeit resegment``."""
    cuts = load_cuts(args)
    if args.save:
        write_offsets(cuts, args.save)
    if args.output:
        write(cuts.evalset, args.output)
    sys.stdout.write(RENDERERS[args.format](cuts))
