"""Analyse English text and print what was found: trees, dependencies, roles, and more.

albeit parse text.txt                          RST trees, drawn in the terminal
albeit parse text.txt --layer dependencies     any other layer
albeit parse text.txt -f rs3 > trees.rs3       for rstWeb and other programs
albeit parse text.txt --docs docids.txt        one tree a document, and coreference
albeit parse trees.rs3 -f dis                  another parser's trees, converted
albeit parse trees.rs3 --text text.txt -f json   the same, laid onto the text they are of
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from albeit.annotate.layers import (
    CONSTITUENTS,
    COREFERENCE,
    DEPENDENCIES,
    EDUS,
    RST,
    RST_DOCUMENT,
    TOKENS,
    VECTORS,
    AnyLayer,
    layer,
    layers,
    of_lines,
)
from albeit.cli import options
from albeit.cli.parser import Parser, UsageError
from albeit.corpus.levels import Unit

if TYPE_CHECKING:
    from albeit.annotate.layers import Analysis

__all__ = ["configure", "run"]

ALIASES = {"deps": "dependencies"}
PARSED = tuple(of_lines())
"""What can be printed of a line."""
OF_DOCUMENTS = tuple(each for each in layers().values() if each.unit is Unit.DOCUMENT)
"""What can be printed of a document."""
DEFAULTS = {
    "pretty": (RST,),
    "dis": (RST,),
    "rs3": (RST,),
    "conllu": (DEPENDENCIES, EDUS),
    "ptb": (CONSTITUENTS,),
    "json": tuple(each for each in PARSED if each is not VECTORS and not each.derived),
}
"""Formats, and the layers of lines that each prints unless told otherwise."""
DOCUMENT_DEFAULTS: dict[str, tuple[AnyLayer, ...]] = {
    "pretty": (RST_DOCUMENT, COREFERENCE),
    "dis": (RST_DOCUMENT,),
    "rs3": (RST_DOCUMENT,),
    "conllu": (EDUS, COREFERENCE),
    "json": (RST_DOCUMENT, COREFERENCE),
}
"""The same of documents."""
ANALYSED = (".dis", ".rs3", ".rs4", ".conllu", ".ptb", ".mrg", ".json", ".jsonl")
"""A file ending so holds analyses already."""
BLOCK = 4000
"""About how many lines are analysed before they are printed."""


def configure(parser: Parser) -> None:
    """Add the options of ``albeit parse``."""
    options.file_argument(
        parser, "file", nargs="?", default="-",
        help="text, one segment a line ('-' is standard input, .gz is fine); or analyses:"
        f" {', '.join(ANALYSED)}",
    )  # fmt: skip
    parser.add_argument(
        "-l", "--layer", nargs="+", metavar="LAYER", choices=[*map(str, (*PARSED, *OF_DOCUMENTS)), *ALIASES],
        help=f"what to print: {', '.join(map(str, PARSED))}; with --docs"
        f" {', '.join(map(str, OF_DOCUMENTS))} (default: what the format is for)",
    )  # fmt: skip
    parser.add_argument(
        "-f", "--format", choices=list(DEFAULTS), default="pretty", help="(default: %(default)s)"
    )
    options.file_argument(
        parser, "--docs",
        help="analyse whole documents: a file with one document id a line, or 'blank-lines' where"
        " empty lines end documents",
    )  # fmt: skip
    options.file_argument(
        parser, "--text",
        help="with analyses: the raw text that they are of, one line an analysis, in order",
    )  # fmt: skip
    parser.add_argument(
        "--lang", metavar="CODE", default="en", help="language of the text (default: %(default)s)"
    )
    parser.add_argument("--unescape", action="store_true", help="resolve HTML entities in the text")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress, no warnings")


def run(args: Namespace) -> None:
    """Analyse and print, block by block."""
    from albeit.annotate.formats import HOLDS, write_analyses, write_pretty

    asked = tuple(layer(ALIASES.get(name, name)) for name in args.layer or ())
    _check_unit(asked, args)
    for each in asked:
        if args.format != "pretty" and each not in HOLDS[args.format]:
            fit = ", ".join(["pretty", *(form for form, held in HOLDS.items() if each in held)])
            raise UsageError(f"-f {args.format} cannot hold {each}. It fits in: {fit}.")
    shown = asked or (DOCUMENT_DEFAULTS if args.docs else DEFAULTS)[args.format]
    if args.docs:
        analyses = _analyse_documents(args, shown)
    elif Path(args.file).suffix.lower() in ANALYSED:
        analyses, shown = _read(args.file, args.text, asked, args.format)
    elif args.text:
        raise UsageError(f"--text goes with analyses ({', '.join(ANALYSED)}), not with text.")
    else:
        analyses = _analyse(args, shown)
    if args.format == "pretty":
        sys.stdout.writelines(write_pretty(analyses, shown))
    else:
        sys.stdout.writelines(write_analyses(analyses, args.format))


def _check_unit(asked: tuple[AnyLayer, ...], args: Namespace) -> None:
    """Layers of documents need to know them; those of lines are not printed of documents."""
    for each in asked:
        if each.unit is Unit.DOCUMENT and not args.docs:
            raise UsageError(
                f"{each} is of whole documents: say with --docs which lines make one document"
                " (a file of ids, or blank-lines)."
            )
        if each.unit is Unit.SEGMENT and args.docs:
            names = ", ".join(map(str, OF_DOCUMENTS))
            raise UsageError(f"{each} is of single lines. Leave out --docs, or ask for: {names}.")
    if args.docs and (args.text or Path(args.file).suffix.lower() in ANALYSED):
        raise UsageError("--docs goes with text, not with analyses.")
    if args.docs and args.format not in DOCUMENT_DEFAULTS:
        raise UsageError(f"-f {args.format} is for single lines. Leave out --docs.")


def _analyse_documents(args: Namespace, wanted: tuple[AnyLayer, ...]) -> Iterator[Analysis]:
    """The analyses of all documents, in order."""
    from albeit.annotate import annotate_documents
    from albeit.cli.progress import ProgressLine
    from albeit.corpus import build_evalset

    read = build_evalset([args.file], [], docs=args.docs, unescape=args.unescape)
    (lines,) = read.references.values()
    documents = [tuple(lines[document.rows]) for document in read.documents]
    with ProgressLine("documents", quiet=args.quiet) as progress:
        done = 0
        while done < len(documents):
            stop, size = done, 0
            while stop < len(documents) and (size < BLOCK or stop == done):
                size += len(documents[stop])
                stop += 1
            found = annotate_documents(documents[done:stop], frozenset(wanted), args.lang)
            progress(stop, len(documents))
            yield from (found[document] for document in documents[done:stop])
            done = stop


def _analyse(args: Namespace, wanted: tuple[AnyLayer, ...]) -> Iterator[Analysis]:
    """The analyses of all lines, in order."""
    from albeit.annotate import annotate
    from albeit.cli.progress import ProgressLine
    from albeit.corpus.textio import read_lines

    lines = read_lines(args.file, unescape=args.unescape)
    with ProgressLine("lines", quiet=args.quiet) as progress:
        for start in range(0, len(lines), BLOCK):
            block = lines[start : start + BLOCK]
            found = annotate(block, frozenset(wanted), args.lang)
            progress(start + len(block), len(lines))
            yield from (found[line] for line in block)


def _read(
    path: str, text: str | None, asked: tuple[AnyLayer, ...], form: str
) -> tuple[Iterator[Analysis], tuple[AnyLayer, ...]]:
    """Another parser's analyses, which must have what is to be printed."""
    from albeit.annotate.annotators.brought import wordy
    from albeit.annotate.formats import read_analyses, read_attached
    from albeit.corpus.textio import read_lines
    from albeit.errors import InputError

    analyses = read_attached(path, read_lines(text)) if text else read_analyses(path)
    filled = [each for each in analyses if wordy(each)]
    present = [k for k in PARSED if all(k in each for each in filled)]
    needed = asked or ((RST,) if form in ("dis", "rs3") else DEFAULTS[form])
    if not asked and form in ("pretty", "conllu", "json"):
        shown = (RST, DEPENDENCIES, CONSTITUENTS, TOKENS)
        needed = next((k,) for k in shown if k in present)
    for each in needed:
        if each not in present:
            has = ", ".join(map(str, present))
            raise InputError(f"holds no {each}.", path=path, hint=f"It has: {has}.")
    return iter(analyses), needed
