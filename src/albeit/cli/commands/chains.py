"""Show the lexical chains of a document in references and systems, side by side.

albeit chains ref1.txt ref2.txt -i system.txt
albeit chains ref.txt -i a.txt b.txt --docs docids.txt --document news-17 -f html > chains.html
"""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError
from albeit.data.evalset import Document, EvalSet


def configure(parser: Parser) -> None:
    """Add the options of ``albeit chains``."""
    options.add_inputs(parser)
    parser.several(
        "-d",
        "--document",
        metavar="ID",
        default=None,
        help="which documents (default: the first; without document ids the whole text is one)",
    )
    parser.option(
        "-m",
        "--metric",
        default="cohesion",
        metavar="METRIC",
        help="cohesion, with the parameters that chains should follow",
    )
    options.add_format(parser, help="(default: %(default)s); HTML draws the chains")
    options.add_quiet(parser)
    options.add_config(parser)


def run(args: Namespace) -> None:
    """Read, lay out, print."""
    from albeit.evaluation import Evaluation
    from albeit.metrics.cohesion.cohesion import Cohesion
    from albeit.metrics.registry import metric
    from albeit.report import render
    from albeit.report.views import chain_table, render_views, side_by_side

    chosen = metric(args.metric)
    if not isinstance(chosen, Cohesion):
        raise UsageError(f"{chosen} has no chains of its own. Try: -m 'cohesion(words=word)'")
    evalset = _load(args)
    evaluation = Evaluation(evalset)
    views, tables = [], []
    for view in side_by_side(evaluation, chosen, args.document or [evalset.documents[0].id]):
        scores = {}
        if evalset.references:
            found = evaluation.explain(chosen, documents=[str(view.place)])
            scores = {each.system: each.score for each in found}
        notes = tuple(f"{chosen}: {system} {score:.4f}" for system, score in scores.items())
        views.append(replace(view, notes=notes))
        tables.append(chain_table(views[-1], scores))
    html = args.format == "html"
    sys.stdout.write(render_views(views, "html") if html else render(tables, args.format))


def _load(args: Namespace) -> EvalSet:
    """As for scores, but references alone will do, and a text without documents is one."""
    from albeit.cli.inputs import load_evalset, load_references
    from albeit.data.front import is_test_set

    if not args.references:
        raise UsageError("no text given. Try: albeit chains REF.txt -i SYSTEM.txt")
    whole = args.input_format or is_test_set(args.references[0])
    load = load_evalset if args.input or args.resegment or whole else load_references
    evalset = load(args)
    if evalset.has_documents:
        return evalset
    return replace(evalset, documents=(Document("text", 0, len(evalset)),))
