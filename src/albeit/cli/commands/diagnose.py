"""Profile the discourse of systems, and flag errors of translations against their source."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Sequence

from albeit.cli import inputs, scoring
from albeit.cli.commands.scoring_options import CheckOptions, ProfileOptions
from albeit.cli.parser import UsageError, check_value
from albeit.data import EvalSet, read
from albeit.data.plausible import warn_if_implausible
from albeit.diagnose.check import KINDS, check_named, check_set
from albeit.diagnose.profile import fitting, gather
from albeit.errors import MetricError
from albeit.evaluation import ProgressLine
from albeit.metrics.registry import metric
from albeit.report.findings import RENDERERS, Placed, check_path, write_errors
from albeit.report.profile import profile_json, profile_page, profile_text

FLAGGED = 1
"""The exit status if an error of a kind in ``--fail-on`` was flagged."""


def profile(args: ProfileOptions) -> None:
    """Score the kinds of the profile that the set allows, and print them with their errors."""
    evalset = inputs.load_evalset(args)
    if args.baseline is not None:
        evalset.select([args.baseline])  # raises for an unknown name, before scoring
    others = scoring.load_external(args, evalset)
    for column in others:
        column.at("segment")
    if args.faults:
        check_path(args.faults)
    evaluation = scoring.open_evaluation(args, evalset)
    kinds, why = fitting(evaluation)
    if not kinds:
        reasons = "\n".join(f"  {name}: {reason}" for name, reason in why.items())
        raise MetricError(f"nothing of a profile can be measured on this set:\n{reasons}")
    metrics = [metric(kind.metric) for kind in kinds if kind.metric]
    scoring.check_annotations(args, metrics)
    with ProgressLine(quiet=args.quiet) as progress:
        table = evaluation.score(metrics, progress)
    result = gather(
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
        write_errors(args.faults, [flag for row in result.rows for flag in row.likely])
    if args.format == "html":
        text = profile_page(result, (evalset.source_lang, evalset.target_lang))
    else:
        text = profile_json(result) if args.format == "json" else profile_text(result)
    sys.stdout.write(text)


def check(args: CheckOptions) -> int:
    """Flag errors and print them; the status is 1 if a kind of ``--fail-on`` is among them."""
    if args.list:
        _list_kinds()
        return 0
    kinds = args.kinds or KINDS
    _check_kinds(args, kinds)
    placed, lines = _check_texts(args, kinds)
    sys.stdout.writelines(RENDERERS[args.format](placed))
    counts = Counter(finding.kind for _, _, finding in placed)
    listed = ", ".join(f"{counts[kind]} {kind}" for kind in kinds)
    logging.getLogger("albeit").info("found in %d lines: %s", lines, listed)
    fatal = set(counts) if "any" in args.fail_on else set(args.fail_on)
    return FLAGGED if fatal & set(counts) else 0


def _list_kinds() -> None:
    for kind in KINDS:
        named = check_named(kind)
        print(f"{kind:<14}{'on':<17}{f'precision {named.precision:.2f}':<17}{named.about}")


def _check_kinds(args: CheckOptions, kinds: Sequence[str]) -> None:
    """Raise for unknown kinds, and for conditions on kinds that are not looked for."""
    for kind in kinds:
        check_value("--kinds", kind)
        if kind not in KINDS:
            raise UsageError(f"there is no kind {kind!r}; there are {', '.join(KINDS)}.")
    for kind in args.fail_on:
        if kind not in (*kinds, "any"):
            listed = ", ".join(kinds)
            raise UsageError(f"--fail-on: {kind!r} is not among the kinds looked for: {listed}.")


def _check_texts(args: CheckOptions, kinds: Sequence[str]) -> tuple[list[Placed], int]:
    """Flag errors with their file and line; return also the number of lines."""
    if not args.texts:
        raise UsageError("no text given. Try: albeit check TRANSLATION.txt --source SOURCE.txt")
    files = None
    if inputs.is_whole(args, args.texts):
        evalset = _read_set(args)
    elif not args.source:
        raise UsageError("no source given, against which to check. Name it with --source FILE.")
    elif args.systems:
        raise UsageError("--systems chooses from a test set; here every TEXT is checked.")
    else:
        files = inputs.open_files(args, [], args.texts)
        evalset = files.evalset()
    warn_if_implausible(evalset)
    with ProgressLine("lines", quiet=args.quiet) as progress:
        flagged = check_set(evalset, kinds=kinds, least=args.least, progress=progress)
    placed = []
    for system, findings in flagged.items():
        for each in findings:
            at = files.place_in("system", system, each.line - 1) if files else (system, each.line)
            placed.append((*at, each))
    return placed, len(evalset) * len(flagged)


def _read_set(args: CheckOptions) -> EvalSet:
    """Read a test set that has source and translations."""
    if args.source:
        raise UsageError("--source goes with text files; a test set has its own source.")
    options = inputs.set_options(args) | {"systems": args.systems}
    evalset = read(args.texts, args.input_format, **options)
    if not evalset.systems:
        raise UsageError(f"{evalset.name} holds no translations to check.")
    return evalset
