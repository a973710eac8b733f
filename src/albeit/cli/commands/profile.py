"""Show how systems keep a text together: connectives, pronouns, terms, coreference, cohesion, trees.

albeit profile ref.txt -i base.txt new.txt --docs docids.txt
albeit profile ref.txt -i base.txt new.txt --source src.txt --source-lang de --docs docids.txt
albeit profile ref.txt -i a.txt b.txt --docs docids.txt --worst 10 -f html > profile.html
albeit profile ref.txt -i a.txt b.txt --docs docids.txt --scores COMET.seg.score

Each kind of glue has its score with an interval, how surely it differs from the baseline's, how
many instances there were, its likely faults per thousand words, and the likeliest of them with
evidence, suggestion, context, source and reference. Kinds that the languages, or what was given,
do not allow are left out, and it is said why.
"""

from __future__ import annotations

import sys
from argparse import Namespace

from albeit.cli import options
from albeit.cli.parser import Parser

FORMATS = ("text", "json", "html")


def configure(parser: Parser) -> None:
    """Add the options of ``albeit profile``."""
    options.add_inputs(parser)
    options.add_annotations(parser)
    options.add_scores(parser.group("scores of other tools"))
    group = parser.group("profile")
    group.option(
        "--baseline",
        metavar="NAME",
        help="the system the others are tested against (default: the first)",
    )
    group.number(
        "--worst",
        help="how many likely faults, and differences, of each kind and system are shown",
        least=0,
        default=3,
    )
    options.add_format(group, FORMATS)
    options.add_faults(group)
    options.add_seed(group)
    options.add_common(parser)


def run(args: Namespace) -> None:
    """Read, score, gather, print."""
    from albeit.cli.inputs import load_evalset
    from albeit.cli.scoring import evaluation_of, load_external, require_readers
    from albeit.diagnose.profile import fitting, gather
    from albeit.errors import MetricError
    from albeit.evaluation import ProgressLine
    from albeit.metrics.registry import metric
    from albeit.report.findings import check_path, write_errors
    from albeit.report.profile import profile_json, profile_page, profile_text

    evalset = load_evalset(args)
    if args.baseline is not None:
        evalset.select([args.baseline])  # an unknown name is refused before the work
    others = load_external(args, evalset)
    for column in others:
        column.at("segment")
    if args.faults:
        check_path(args.faults)
    evaluation = evaluation_of(args, evalset)
    kinds, why = fitting(evaluation)
    if not kinds:
        said = "\n".join(f"  {name}: {reason}" for name, reason in why.items())
        raise MetricError(f"nothing of a profile can be measured on this set:\n{said}")
    metrics = [metric(kind.metric) for kind in kinds if kind.metric]
    require_readers(args, metrics)
    with ProgressLine(quiet=args.quiet) as progress:
        table = evaluation.score(metrics, progress)
    profile = gather(
        evaluation,
        table,
        kinds,
        why,
        baseline=args.baseline,
        worst=args.worst,
        seed=args.seed,
        others=others,
    )
    if args.faults:
        write_errors(args.faults, [flag for row in profile.rows for flag in row.likely])
    if args.format == "html":
        text = profile_page(profile, (evalset.source_lang, evalset.target_lang))
    else:
        text = profile_json(profile) if args.format == "json" else profile_text(profile)
    sys.stdout.write(text)
