"""Choose the best of several translations: the one nearest to the others, by any metric.

albeit rerank candidates.jsonl -m sim                        minimum Bayes risk by sim
albeit rerank a.txt b.txt c.txt -m chrf 0.5*dr-lex           one line per segment in each file
albeit rerank nbest.moses -m chrf --fast --features score=0.1
albeit rerank a.txt b.txt -m chrf --scores COMET.seg.score   with scores of another tool
albeit rerank candidates.jsonl -m chrf 0.2*rc --documents    for whole documents, by beam search
albeit rerank candidates.jsonl -m sim --against references   the best that could be chosen
albeit rerank dev.jsonl -m bleu --learn-weights > weights.json
albeit rerank test.jsonl --weights weights.json
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError
from albeit.plugins import plugins

if TYPE_CHECKING:
    from albeit.metrics.base import Metric
    from albeit.metrics.table import Column
    from albeit.rerank import CandidateSet, Choice, Recipe

__all__ = ["configure", "run"]


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
    group.file("--docs", help="a file with one document id per line")
    group.option("--lang", metavar="CODE", default="en")
    group.option("--source-lang", metavar="CODE", help="language translated from")
    group = parser.group("choosing")
    group.several(
        "-m",
        "--metrics",
        metavar="[W*]METRIC",
        help="metrics to choose by, each with a weight in front where it is not 1",
    )
    group.several(
        "--features",
        metavar="NAME=W",
        help="scores that candidates carry, with the weight of each ('score' is a candidate's own)",
    )
    options.add_trust(group)
    options.add_scores(group)
    group.file("--weights", help="weights of features, as --learn-weights wrote them")
    group.option(
        "--against",
        choices=("candidates", "references"),
        default="candidates",
        help="what candidates are compared with",
    )
    group.flag("--fast", help="linear time: bleu, chrf, sim by mean statistics")
    group.option(
        "--prune",
        type=float,
        metavar="ERROR",
        help="leave out candidates early, with at most this chance of losing the best",
    )
    group.option(
        "--temperature",
        type=float,
        metavar="T",
        help="candidates weigh by their score as references: softmax of score / T",
    )
    group.option(
        "--by",
        metavar="WAY",
        default="segments",
        help=", ".join(("segments", "documents", *plugins("albeit.rerankers"))),
    )
    group.add_argument(
        "--documents",
        dest="by",
        action="store_const",
        const="documents",
        help="choose for whole documents: short for --by documents",
    )
    group.number("--beam", help="with --documents, how many partial ones are kept", default=8)
    group.flag(
        "--learn-weights",
        help="find weights of the features that make the choices score best on the references",
    )
    options.add_seed(group)
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

    candidates, others = _scored(args, _candidates(args))
    if args.learn_weights:
        made = json.dumps(_learnt(args, candidates), indent=1) + "\n"
    else:
        choices = _chosen(args, candidates, others)
        made = _shown(choices, candidates, others, args.format)
    write_output(made, args.output)


def _scored(args: Namespace, candidates: CandidateSet) -> tuple[CandidateSet, Sequence[Column]]:
    """The candidates with the scores of ``--scores`` as features, and these scores."""
    from albeit.rerank.formats import with_scores

    if not (args.scores or args.lower_is_better):
        return candidates, ()
    return with_scores(candidates, args.scores, lower_is_better=args.lower_is_better)


def _chosen(args: Namespace, candidates: CandidateSet, others: Sequence[Column]) -> list[Choice]:
    from albeit.engine.progress import ProgressLine
    from albeit.rerank import reranker

    recipe = _recipe(args, [column.name for column in others])
    choose = reranker(args.by)
    how: dict[str, Any] = {"beam": args.beam} if args.by == "documents" else {}
    with ProgressLine(quiet=args.quiet) as progress:
        return choose(candidates, recipe, workers=args.workers, progress=progress, **how)


def _shown(
    choices: list[Choice], candidates: CandidateSet, others: Sequence[Column], form: str
) -> str:
    if form == "text":
        return "".join(choice.text + "\n" for choice in choices)
    rows = []
    for choice in choices:
        row: dict[str, object] = {"id": choice.id, "chosen": choice.index + 1}
        if candidates.files:
            row["file"] = candidates.files[choice.index]
        if len(choice.tied) > 1:
            row["tied"] = [index + 1 for index in choice.tied]
        rows.append({**row, "text": choice.text, "ratings": list(choice.utilities)})
    found: dict[str, object] = {"files": list(candidates.files)} if candidates.files else {}
    if others:
        found["scores"] = [str(column.signature) for column in others]
    return json.dumps({**found, "segments": rows}, ensure_ascii=False, indent=1) + "\n"


def _candidates(args: Namespace) -> CandidateSet:
    from albeit.corpus import read_docids
    from albeit.languages import normalise
    from albeit.rerank import read_candidates
    from albeit.rerank.formats import with_lines

    lang = normalise(args.lang)
    source_lang = normalise(args.source_lang) if args.source_lang else None
    found = read_candidates(args.candidates, lang=lang, source_lang=source_lang)
    docs = read_docids(args.docs, len(found)) if args.docs else None
    if not (args.references or args.source or docs):
        return found
    return with_lines(found, references=args.references, source=args.source, docs=docs)


def _recipe(args: Namespace, others: Sequence[str]) -> Recipe:
    """How candidates are rated; scores of ``others`` weigh 1 unless another weight is given."""
    from albeit.rerank import Recipe

    features = dict.fromkeys(others, 1.0)
    features |= _read_weights(args.weights) if args.weights else {}
    for text in args.features:
        name, equals, weight = text.partition("=")
        if not equals:
            raise UsageError(f"--features takes NAME=WEIGHT, not {text!r}.")
        features[name] = _number(weight, f"--features {text}")
    return Recipe(
        tuple(_weighted(text, trust=args.trust) for text in args.metrics),
        features,
        args.against,
        args.fast,
        args.prune,
        args.temperature,
        args.seed,
    )


def _weighted(text: str, *, trust: bool) -> tuple[Metric, float]:
    """A metric with its weight: ``0.5*sim``."""
    from albeit.metrics.registry import metric

    weight, star, name = text.partition("*")
    if not star or "(" in weight:
        return metric(text, trust=trust), 1.0
    return metric(name, trust=trust), _number(weight, f"-m {text}")


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{where}: {text!r} is not a number.") from None


def _read_weights(path: str) -> dict[str, float]:
    from albeit.corpus.textio import read_text
    from albeit.errors import InputError

    try:
        found = json.loads(read_text(path))["weights"]
        return {str(name): float(weight) for name, weight in found.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError(
            'holds no weights: {"weights": {"NAME": NUMBER}}.',
            path=path,
            hint="albeit rerank --learn-weights writes such a file.",
        ) from None


def _learnt(args: Namespace, candidates: CandidateSet) -> dict[str, object]:
    from albeit.metrics.registry import metric
    from albeit.rerank import learn_weights

    if len(args.metrics) != 1:
        raise UsageError("--learn-weights takes one metric: -m METRIC.")
    start = _read_weights(args.weights) if args.weights else None
    chosen = metric(args.metrics[0], trust=args.trust)
    found = learn_weights(candidates, chosen, start=start, seed=args.seed)
    return {
        "metric": str(chosen),
        "weights": dict(found.weights),
        "score": found.score,
        "first_candidates": found.before,
        "seed": args.seed,
    }
