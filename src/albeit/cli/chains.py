"""Show the lexical chains of a document in references and systems, side by side.

albeit chains ref1.txt ref2.txt -i system.txt
albeit chains ref.txt -i a.txt b.txt --docs docids.txt --document news-17 -f html > chains.html
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError
from albeit.corpus.evalset import Document, EvalSet

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit chains``."""
    options.add_inputs(parser)
    parser.add_argument(
        "-d", "--document", nargs="+", metavar="ID",
        help="which documents (default: the first; without document ids the whole text is one)",
    )  # fmt: skip
    parser.add_argument(
        "-m", "--metric", default="cohesion", metavar="METRIC",
        help="cohesion, with the parameters that chains should follow (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "-f", "--format", choices=options.REPORT_FORMATS, default="text",
        help="(default: %(default)s); HTML draws the chains",
    )  # fmt: skip
    parser.add_argument("-q", "--quiet", action="store_true", help="no warnings")


def run(args: Namespace) -> None:
    """Read, lay out, print."""
    from albeit.metrics.cohesion.cohesion import Cohesion
    from albeit.metrics.cohesion.view import chain_view
    from albeit.metrics.registry import metric
    from albeit.report import render
    from albeit.report.chains import chain_table, to_html

    chosen = metric(args.metric)
    if not isinstance(chosen, Cohesion):
        raise UsageError(f"{chosen} has no chains of its own. Try: -m 'cohesion(words=word)'")
    evalset = _load(args)
    if evalset.has_documents and evalset.references:
        chosen.check(evalset)
    views = [chain_view(evalset, d, chosen) for d in _documents(evalset, args.document)]
    if args.format == "html":
        sys.stdout.write(to_html(views))
    else:
        sys.stdout.write(render([chain_table(view) for view in views], args.format))


def _load(args: Namespace) -> EvalSet:
    """As for scores, but references alone will do."""
    from albeit.cli.inputs import SET_SUFFIXES, load_evalset
    from albeit.corpus import build_evalset

    if not args.references:
        raise UsageError("no text given. Try: albeit chains REF.txt -i SYSTEM.txt")
    first = Path(args.references[0])
    name = first.name.lower().removesuffix(".gz")
    whole = args.input_format or first.is_dir() or name.endswith(SET_SUFFIXES)
    if args.input or whole:
        return load_evalset(args)
    return build_evalset(
        args.references, [], source=args.source, docs=args.docs, source_lang=args.source_lang,
        target_lang=args.lang or "en", unescape=args.unescape,
    )  # fmt: skip


def _documents(evalset: EvalSet, wanted: Sequence[str] | None) -> list[Document]:
    """The documents asked for, or the first."""
    if wanted is None:
        return [evalset.documents[0]]
    known = {document.id: document for document in evalset.documents}
    for name in wanted:
        if name not in known:
            listed = ", ".join(list(known)[:5]) + (" …" if len(known) > 5 else "")
            raise UsageError(f"there is no document {name!r}; there are {len(known)}: {listed}.")
    return [known[name] for name in wanted]
