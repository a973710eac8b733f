"""Show why texts have their scores: matches, losses, lexical chains, and flagged errors."""

from __future__ import annotations

import logging
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, product

from albeit.cli import inputs
from albeit.cli.outputs import print_tables
from albeit.cli.parser import UsageError, check_value
from albeit.cli.scoring_options import ChainsOptions, CheckOptions, ExplainOptions, ProfileOptions
from albeit.data.plausible import warn_if_implausible
from albeit.diagnose.check import KINDS, check_named, check_set
from albeit.diagnose.profile import fitting, gather
from albeit.evaluation import Evaluation, ProgressLine
from albeit.metrics import Document, EvalSet, Metric, MetricError, Unit, View
from albeit.metrics.cohesion import Cohesion
from albeit.metrics.external import READ, scores_at
from albeit.metrics.registry import metric
from albeit.metrics.table import Column
from albeit.report import findings, views
from albeit.report.formats import write_json
from albeit.report.profile import profile_page, profile_text

FLAGGED = 3
"""The exit status if an error of a kind in ``--fail-on`` was flagged."""


def explain(args: ExplainOptions) -> None:
    """Explain segments or documents, and print the views."""
    if not args.segment and not args.document:
        raise UsageError("specify what to explain: --segment N or --document ID.")
    args.metrics = args.metrics or ["dr"]
    metrics: Sequence[Metric] = inputs.load_metrics(args)
    evalset = inputs.load_evalset(args)
    inputs.check_annotations(args, metrics)
    others = inputs.load_external(args, evalset)
    for each, column in product(metrics, others):
        column.at("segment" if each.unit is Unit.SEGMENT else "document")
    evaluation = inputs.open_evaluation(args, evalset)
    metrics = inputs.usable(args, evaluation, metrics)
    for each in metrics:
        evaluation.passages(each, args.segment, args.document)
    evaluation.check(metrics)  # raises before anything is explained
    shown: dict[tuple[int | str, str], list[View]] = {}  # by place and system
    for each in metrics:
        for view in evaluation.explain(each, segments=args.segment, documents=args.document):
            full = _add_scores(view, evalset, others)
            shown.setdefault((view.place, view.system), []).append(full)
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    ordered = list(chain.from_iterable(shown.values()))
    sys.stdout.write(views.render_views(ordered, args.format, args.warnings, colour=colour))


def _add_scores(view: View, evalset: EvalSet, others: Sequence[Column]) -> View:
    """Add other tools' scores of the same text to the notes of a view."""
    scores = scores_at(evalset, others, view.system, view.place)
    notes = (f"{name}: {score:.4f} ({READ})" for name, score in scores.items())
    return replace(view, notes=(*view.notes, *notes))


def chains(args: ChainsOptions) -> None:
    """Find the chains of documents, and print them."""
    chosen = metric(args.metric)
    if not isinstance(chosen, Cohesion):
        raise UsageError(f"{chosen} has no chains. Use: -m 'cohesion(words=word)'")
    evalset = _load_documents(args)
    evaluation = Evaluation(evalset)
    shown, tables = [], []
    documents = args.document or [evalset.documents[0].id]
    for view in views.side_by_side(evaluation, chosen, documents):
        place = [str(view.place)]
        explained = evaluation.explain(chosen, documents=place) if evalset.references else []
        scores = {each.system: each.score for each in explained}
        notes = tuple(f"{chosen}: {system} {score:.4f}" for system, score in scores.items())
        shown.append(replace(view, notes=notes))
        tables.append(views.chain_table(shown[-1], scores))
    if args.format == "html":
        sys.stdout.write(views.render_views(shown, "html"))
    else:
        print_tables(args, tables)


def _load_documents(args: ChainsOptions) -> EvalSet:
    """Read the set, or references alone; a text without documents is one document."""
    if not args.references:
        raise UsageError("no text given. Run: albeit chains REF.txt -i SYSTEM.txt")
    systems = args.input or args.resegment or inputs.is_whole(args, args.references)
    evalset = inputs.load_evalset(args) if systems else inputs.load_references(args)
    if evalset.has_documents:
        return evalset
    return replace(evalset, documents=(Document("text", 0, len(evalset)),))


def profile(args: ProfileOptions) -> None:
    """Score the kinds of the profile that the set allows, and print them with their errors."""
    evalset = inputs.load_evalset(args)
    if args.baseline is not None:
        evalset.select([args.baseline])  # raises for an unknown name, before scoring
    others = inputs.load_external(args, evalset)
    for column in others:
        column.at("segment")
    if args.errors:
        findings.check_path(args.errors)
    evaluation = inputs.open_evaluation(args, evalset)
    kinds, why = fitting(evaluation)
    if not kinds:
        reasons = "\n".join(f"  {name}: {reason}" for name, reason in why.items())
        raise MetricError(f"nothing of a profile can be measured on this set:\n{reasons}")
    metrics = [metric(kind.metric) for kind in kinds if kind.metric]
    inputs.check_annotations(args, metrics)
    with ProgressLine(quiet=args.quiet) as progress:
        table = evaluation.score(metrics, progress)
    how = args.pick("baseline", "worst", "seed") | {"others": others}
    how["differences"] = args.all or args.format != "text"
    with (
        ProgressLine("candidates", quiet=args.quiet) as flagging,
        ProgressLine("explanations", quiet=args.quiet) as explaining,
    ):
        how |= {"flagging": flagging, "explaining": explaining}
        result = gather(evaluation, table, kinds, why, **how)
    if args.errors:
        findings.write_errors(args.errors, [flag for row in result.rows for flag in row.likely])
    if args.format == "html":
        languages = evalset.source_lang, evalset.target_lang
        text = profile_page(result, languages, args.warnings)
    elif args.format == "json":
        text = write_json(result.to_json() | {"warnings": args.warnings})
    else:
        text = profile_text(result)
    sys.stdout.write(text)


def check(args: CheckOptions) -> int:
    """Flag errors and print them; the status is 3 if a kind of ``--fail-on`` is among them."""
    if args.list:
        for kind in KINDS:
            named = check_named(kind)
            print(f"{kind:<14}{'on':<17}{f'precision {named.precision:.2f}':<17}{named.about}")
        return 0
    kinds = args.kinds or KINDS
    _check_kinds(args, kinds)
    placed, lines = _check_texts(args, kinds)
    sys.stdout.writelines(findings.RENDERERS[args.format](placed))
    counts = Counter(finding.kind for _, _, finding in placed)
    listed = ", ".join(f"{kind} {counts[kind]}" for kind in kinds)
    logging.getLogger("albeit").info("flagged in %d lines: %s", lines, listed)
    fatal = set(counts) if "any" in args.fail_on else set(args.fail_on)
    return FLAGGED if fatal & set(counts) else 0


def _check_kinds(args: CheckOptions, kinds: Sequence[str]) -> None:
    """Raise for unknown kinds, and for conditions on kinds that are not looked for."""
    for kind in kinds:
        check_value("--kinds", kind)
        if kind not in KINDS:
            raise UsageError(f"there is no kind {kind!r}; there are {', '.join(KINDS)}.")
    for kind in args.fail_on:
        if kind not in (*kinds, "any"):
            listed = ", ".join(kinds)
            raise UsageError(f"--fail-on: {kind!r} isn't among the kinds checked: {listed}.")


def _check_texts(args: CheckOptions, kinds: Sequence[str]) -> tuple[list[findings.Placed], int]:
    """Flag errors with their file and line; return also the number of lines."""
    if not args.texts:
        raise UsageError("no text given. Run: albeit check TRANSLATION.txt --source SOURCE.txt")
    files = None
    if inputs.is_whole(args, args.texts):
        evalset = inputs.open_set(args, args.texts, args.systems).evalset()
        if not evalset.systems:
            raise UsageError(f"{evalset.name} has no translations to check.")
    elif not args.source:
        raise UsageError("no source given. Pass it with --source FILE.")
    elif args.systems:
        raise UsageError("--systems applies to a test set; here every TEXT is checked.")
    else:
        files = inputs.open_files(args, [], args.texts)
        evalset = files.evalset()
    warn_if_implausible(evalset)
    with ProgressLine("lines", quiet=args.quiet) as progress:
        flagged = check_set(evalset, kinds=kinds, least=args.min_probability, progress=progress)
    placed = []
    for name, each in ((name, each) for name, errors in flagged.items() for each in errors):
        at = files.place_in("system", name, each.line - 1) if files else (name, each.line)
        placed.append((*at, each))
    return placed, len(evalset) * len(flagged)
