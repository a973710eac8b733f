"""Show matches and losses of texts, and lexical chains of documents."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, product

from albeit.cli import inputs, scoring
from albeit.cli.commands.scoring_options import ChainsOptions, ExplainOptions
from albeit.cli.parser import UsageError
from albeit.data.evalset import Document, EvalSet, Unit
from albeit.evaluation import Evaluation
from albeit.metrics.base import Metric
from albeit.metrics.cohesion import Cohesion
from albeit.metrics.external import READ, scores_at
from albeit.metrics.registry import metric
from albeit.metrics.table import Column
from albeit.metrics.view import View
from albeit.report import render, views


def explain(args: ExplainOptions) -> None:
    """Explain segments or documents, and print the views."""
    if not args.segment and not args.document:
        raise UsageError("specify what to explain: --segment N or --document ID.")
    args.metrics = args.metrics or ["dr"]
    metrics: Sequence[Metric] = scoring.load_metrics(args)
    evalset = inputs.load_evalset(args)
    scoring.check_annotations(args, metrics)
    others = scoring.load_external(args, evalset)
    for each, column in product(metrics, others):
        column.at("segment" if each.unit is Unit.SEGMENT else "document")
    evaluation = scoring.open_evaluation(args, evalset)
    if args.skip_unusable:
        metrics = scoring.usable(evaluation, metrics)
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
    sys.stdout.write(views.render_views(ordered, args.format, colour=colour))


def _add_scores(view: View, evalset: EvalSet, others: Sequence[Column]) -> View:
    """Add other tools' scores of the same text to the notes of a view."""
    scores = scores_at(evalset, others, view.system, view.place)
    notes = (f"{name}: {score:.4f} ({READ})" for name, score in scores.items())
    return replace(view, notes=(*view.notes, *notes))


def chains(args: ChainsOptions) -> None:
    """Find the chains of documents, and print them."""
    chosen = metric(args.metric)
    if not isinstance(chosen, Cohesion):
        raise UsageError(f"{chosen} has no chains of its own. Try: -m 'cohesion(words=word)'")
    evalset = _load_documents(args)
    evaluation = Evaluation(evalset)
    shown, tables = [], []
    documents = args.document or [evalset.documents[0].id]
    for view in views.side_by_side(evaluation, chosen, documents):
        explained = []
        if evalset.references:
            explained = evaluation.explain(chosen, documents=[str(view.place)])
        scores = {each.system: each.score for each in explained}
        notes = tuple(f"{chosen}: {system} {score:.4f}" for system, score in scores.items())
        shown.append(replace(view, notes=notes))
        tables.append(views.chain_table(shown[-1], scores))
    html = args.format == "html"
    sys.stdout.write(views.render_views(shown, "html") if html else render(tables, args.format))


def _load_documents(args: ChainsOptions) -> EvalSet:
    """Read the set, or references alone; a text without documents is one document."""
    if not args.references:
        raise UsageError("no text given. Try: albeit chains REF.txt -i SYSTEM.txt")
    systems = args.input or args.resegment or inputs.is_whole(args, args.references)
    evalset = inputs.load_evalset(args) if systems else inputs.load_references(args)
    if evalset.has_documents:
        return evalset
    return replace(evalset, documents=(Document("text", 0, len(evalset)),))
