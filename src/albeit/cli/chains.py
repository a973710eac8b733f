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
from albeit.corpus.evalset import Document, EvalSet

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit chains``."""
    options.add_inputs(parser)
    parser.add_argument(
        "-d",
        "--document",
        nargs="+",
        metavar="ID",
        help="which documents (default: the first; without document ids the whole text is one)",
    )
    parser.add_argument(
        "-m",
        "--metric",
        default="cohesion",
        metavar="METRIC",
        help="cohesion, with the parameters that chains should follow (default: %(default)s)",
    )
    parser.add_argument(
        "-f",
        "--format",
        choices=options.report_formats(),
        default="text",
        help="(default: %(default)s); HTML draws the chains",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no warnings")


def run(args: Namespace) -> None:
    """Read, lay out, print."""
    from albeit.engine.explain import explain
    from albeit.metrics.cohesion.cohesion import Cohesion
    from albeit.metrics.registry import metric
    from albeit.report import render
    from albeit.report.views import render_views
    from albeit.report.views.chains import chain_table, side_by_side

    chosen = metric(args.metric)
    if not isinstance(chosen, Cohesion):
        raise UsageError(f"{chosen} has no chains of its own. Try: -m 'cohesion(words=word)'")
    evalset = _load(args)
    views, tables = [], []
    for view in side_by_side(evalset, chosen, args.document or [evalset.documents[0].id]):
        scores = {}
        if evalset.references:
            found = explain(evalset, chosen, documents=[str(view.place)])
            scores = {each.system: each.score for each in found}
        notes = tuple(f"{chosen}: {system} {score:.4f}" for system, score in scores.items())
        views.append(replace(view, notes=notes))
        tables.append(chain_table(views[-1], scores))
    html = args.format == "html"
    sys.stdout.write(render_views(views, "html") if html else render(tables, args.format))


def _load(args: Namespace) -> EvalSet:
    """As for scores, but references alone will do, and a text without documents is one."""
    from albeit.cli.inputs import load_evalset
    from albeit.corpus import build_evalset
    from albeit.corpus.front import is_test_set

    if not args.references:
        raise UsageError("no text given. Try: albeit chains REF.txt -i SYSTEM.txt")
    if args.input or args.resegment or args.input_format or is_test_set(args.references[0]):
        evalset = load_evalset(args)
    else:
        evalset = build_evalset(
            args.references,
            [],
            source=args.source,
            docs=args.docs,
            source_lang=args.source_lang,
            target_lang=args.lang or "en",
            unescape=args.unescape,
        )
    if evalset.has_documents:
        return evalset
    return replace(evalset, documents=(Document("text", 0, len(evalset)),))
