"""Choose among several translations, and cut translations of documents to segments."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from albeit.cli import inputs
from albeit.cli.options import InputOptions
from albeit.cli.parser import UsageError, check_value, choose_systems
from albeit.cli.scoring_options import RerankOptions
from albeit.cli.tool_options import ResegmentOptions
from albeit.data import resegment as resegmentation
from albeit.data import write, write_text
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
    languages = {"lang": args.lang, "source_lang": args.source_lang}
    options: Any = {name: code and normalise(code) for name, code in languages.items()}
    options |= args.pick("references", "source")
    candidates = read_candidates(args.candidates, **options)
    scores = _read_scores(args, candidates) if args.scores or args.lower_is_better else []
    settings = args.pick("against", "fast", "workers")
    with ProgressLine(quiet=args.quiet) as progress:
        choices = choose(candidates, metrics, scores=scores, progress=progress, **settings)
    if args.format == "json":
        text = _format_json(choices, candidates, scores, args.warnings)
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
    return inputs.load_external(args, evalset)


def _format_json(
    choices: Sequence[Choice],
    candidates: CandidateSet,
    scores: Sequence[Column],
    warnings: Sequence[str],
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
    head |= {"segments": rows, "warnings": warnings}
    return json.dumps(head, ensure_ascii=False, indent=1) + "\n"


def resegment(args: ResegmentOptions) -> None:
    """Run ``albeit resegment``."""
    cuts = load_cuts(args)
    if args.save:
        resegmentation.write_offsets(cuts, args.save)
    if args.output:
        write(cuts.evalset, args.output)
    sys.stdout.write(RENDERERS[args.format](cuts, args.warnings))


def load_cuts(args: InputOptions) -> resegmentation.Resegmented:
    """Read translations of whole documents, and cut them to the reference's segments.

    ``--resegment`` may name a file of offsets.
    """
    if not args.references:
        raise UsageError("no reference given. Run: albeit resegment REF.txt -i SYSTEM.txt")
    loose = _read_loose(args)
    if not loose.systems:
        raise UsageError(f"{loose.base.name} has no translations. Add them with -i FILE.")
    if args.resegment in (None, resegmentation.METHOD):
        with ProgressLine(quiet=args.quiet) as progress:
            return resegmentation.resegment(loose, progress=progress)
    check_value("--resegment", args.resegment)
    if not Path(args.resegment).is_file():
        what = f"--resegment: there is no file {args.resegment!r} of saved cuts."
        raise UsageError(f"{what} To cut texts, give the option without a value.")
    return resegmentation.read_offsets(args.resegment, loose)


def _read_loose(args: InputOptions) -> resegmentation.LooseSet:
    """Read translations of whole documents, and the reference's segments; choose systems."""
    first = Path(args.references[0])
    if inputs.is_whole(args, args.references) and resegmentation.holds_documents(first):
        options = args.pick("source_lang", "unescape")
        options |= {"references": args.refs, "target_lang": args.lang}
        loose = resegmentation.read_loose_set(first, **options)
    elif not args.input:
        raise UsageError("no translations to resegment. Add them with -i FILE.")
    else:
        loose = resegmentation.LooseSet(inputs.load_references(args), {})
        if not loose.base.references:
            name = loose.base.name
            raise UsageError(f"{name} has no reference to align translations with.")
    base = loose.base
    own = resegmentation.read_loose(base, args.input, unescape=args.unescape).systems
    if twice := [name for name in (*loose.systems, *base.systems) if name in own]:
        raise UsageError(f"the test set has a system {twice[0]!r}. Rename yours: NAME=FILE.")
    texts = {**own, **loose.systems}
    chosen = choose_systems([*texts, *base.systems], args.systems)
    # systems of the set that have lines are not cut
    base = base.select([name for name in chosen if name in base.systems])
    return resegmentation.LooseSet(base, {name: texts[name] for name in chosen if name in texts})
