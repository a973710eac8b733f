"""Analyse English text and print what was found: trees, dependencies, roles, and more.

albeit parse text.txt                          RST trees, drawn in the terminal
albeit parse text.txt --layer dependencies     any other layer
albeit parse text.txt -f rs3 -o trees          for rstWeb: a file per text, in a folder or trees.zip
albeit parse text.txt --docs docids.txt        coreference, document by document
albeit parse trees.dis -f json                 another parser's trees, converted
albeit parse trees.rs3 --text text.txt -f json   the same, laid onto the text they are of
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError
from albeit.data.levels import Unit
from albeit.errors import InputError
from albeit.parsing.layers import (
    BUILTIN,
    CONSTITUENTS,
    COREFERENCE,
    DEPENDENCIES,
    EDUS,
    RST,
    TOKENS,
    VECTORS,
    AnyLayer,
    layer,
    layers,
    of_lines,
)

if TYPE_CHECKING:
    from albeit.parsing.layers import Analysis

ALIASES = {"deps": "dependencies"}
PARSED = tuple(of_lines())
"""What can be printed of a line."""
OF_DOCUMENTS = tuple(each for each in layers().values() if each.unit is Unit.DOCUMENT)
"""What can be printed of a document."""
DEFAULTS = {
    "pretty": (RST,),
    "rs3": (RST,),
    "conllu": (DEPENDENCIES, EDUS),
    "json": tuple(
        each for each in PARSED if each in BUILTIN and each is not VECTORS and not each.derived
    ),
}
"""Formats, and the layers of lines that each prints unless asked for others: those of albeit's own
model; another package's are printed where they are asked for."""
DOCUMENT_DEFAULTS: dict[str, tuple[AnyLayer, ...]] = {
    "pretty": (COREFERENCE,),
    "conllu": (EDUS, COREFERENCE),
    "json": (EDUS, COREFERENCE),
}
"""The same of documents."""
ANALYSED = (".dis", ".rs3", ".rs4", ".conllu", ".ptb", ".mrg", ".json", ".jsonl")
"""A file ending so holds analyses already."""
BLOCK = 4000
"""About how many lines are analysed before they are printed."""


def configure(parser: Parser) -> None:
    """Add the options of ``albeit parse``."""
    parser.file(
        "file",
        nargs="?",
        default="-",
        help="text, one segment per line (default: '-', standard input; .gz is fine); or analyses:"
        f" {', '.join(ANALYSED)}",
    )
    parser.several(
        "-l",
        "--layer",
        metavar="LAYER",
        default=None,
        choices=[*map(str, (*PARSED, *OF_DOCUMENTS)), *ALIASES],
        help=f"what to print: {', '.join(map(str, PARSED))}; with --docs"
        f" {', '.join(map(str, OF_DOCUMENTS))} (default: what the format is for)",
    )
    options.add_format(parser, list(DEFAULTS))
    parser.output(
        "-o",
        "--output",
        folder=True,
        help="where to write (default: standard output); rs3 holds one text per file, so several"
        " go into a new folder or FILE.zip",
    )
    parser.file(
        "--docs",
        help="analyse whole documents: a file with one document id per line, or 'blank-lines' where"
        " empty lines end documents",
    )
    parser.file(
        "--text",
        help="with analyses: the raw text that they are of, one line an analysis, in order",
    )
    parser.option("--lang", metavar="CODE", default="en", help="language of the text")
    parser.flag("--unescape", help="resolve HTML entities in the text")
    options.add_quiet(parser, "no progress, no warnings")
    options.add_config(parser)


def run(args: Namespace) -> None:
    """Analyse and print, block by block."""
    from albeit.parsing.formats import HOLDS

    asked = tuple(layer(ALIASES.get(name, name)) for name in args.layer or ())
    _check_unit(asked, args)
    for each in asked:
        if args.format != "pretty" and each not in HOLDS[args.format]:
            fit = ", ".join(["pretty", *(form for form, held in HOLDS.items() if each in held)])
            raise UsageError(f"-f {args.format} cannot hold {each}. It fits in: {fit}.")
    shown = asked or (DOCUMENT_DEFAULTS if args.docs else DEFAULTS)[args.format]
    if args.docs:
        count, analyses = _analyse_documents(args, shown)
    elif _is_analysed(args.file):
        count, analyses, shown = _read(args.file, args.text, asked, args.format)
    elif args.text:
        raise UsageError(f"--text goes with analyses ({', '.join(ANALYSED)}), not with text.")
    else:
        count, analyses = _analyse(args, shown)
    _write(count, analyses, shown, args)


def _write(
    count: int, analyses: Iterator[Analysis], shown: tuple[AnyLayer, ...], args: Namespace
) -> None:
    from albeit.data.textio import write_text
    from albeit.parsing.formats import (
        SINGLE,
        is_collection,
        write_analyses,
        write_each,
        write_pretty,
    )

    many = args.output is not None and is_collection(args.output)
    if args.format in SINGLE and many:
        if Path(args.output).is_dir() and any(Path(args.output).iterdir()):
            raise InputError("holds files already.", path=args.output, hint="Name a new folder.")
        write_each(analyses, count, args.output, args.format)
        return
    if args.format in SINGLE and count > 1:
        raise UsageError(
            f"-f {args.format} holds one text per file, and there are {count}: write them into"
            " a folder or a zip (-o FOLDER, -o FILE.zip)."
        )
    if many:
        raise UsageError(f"-f {args.format} goes into one file: name it with its ending (-o FILE).")
    pieces = (
        write_pretty(analyses, shown)
        if args.format == "pretty"
        else write_analyses(analyses, args.format)
    )
    if args.output is None:
        sys.stdout.writelines(pieces)
    else:
        write_text("".join(pieces), args.output)


def _is_analysed(file: str) -> bool:
    """Whether a file, folder or zip holds analyses, by its name."""
    return Path(file).suffix.lower() in (*ANALYSED, ".zip") or Path(file).is_dir()


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
    if args.docs and (args.text or _is_analysed(args.file)):
        raise UsageError("--docs goes with text, not with analyses.")
    if args.docs and args.format not in DOCUMENT_DEFAULTS:
        raise UsageError(f"-f {args.format} is for single lines. Leave out --docs.")


Text = TypeVar("Text", str, tuple[str, ...])
Texts = tuple[int, "Iterator[Analysis]"]
"""The number of texts, and their analyses, made as they are asked for."""


def _analyse_documents(args: Namespace, wanted: tuple[AnyLayer, ...]) -> Texts:
    """The analyses of all documents, in order."""
    from albeit.data import build_evalset
    from albeit.parsing import annotate_documents

    read = build_evalset([args.file], [], docs=args.docs, unescape=args.unescape)
    (lines,) = read.references.values()
    documents = [tuple(lines[document.rows]) for document in read.documents]

    def analyse(block: list[tuple[str, ...]]) -> Iterator[Analysis]:
        found = annotate_documents(block, frozenset(wanted), args.lang)
        return (found[document] for document in block)

    return len(documents), _by_block("documents", documents, analyse, args)


def _analyse(args: Namespace, wanted: tuple[AnyLayer, ...]) -> Texts:
    """The analyses of all lines, in order."""
    from albeit.data.textio import read_lines
    from albeit.parsing import annotate

    lines = read_lines(args.file, unescape=args.unescape)

    def analyse(block: list[str]) -> Iterator[Analysis]:
        found = annotate(block, frozenset(wanted), args.lang)
        return (found[line] for line in block)

    return len(lines), _by_block("lines", lines, analyse, args)


def _by_block(
    what: str,
    texts: Sequence[Text],
    analyse: Callable[[list[Text]], Iterator[Analysis]],
    args: Namespace,
) -> Iterator[Analysis]:
    """Analyses of about :data:`BLOCK` lines at a time."""
    from albeit.evaluation import ProgressLine

    with ProgressLine(what, quiet=args.quiet) as progress:
        block: list[Text] = []
        size = 0
        for done, text in enumerate(texts, 1):
            block.append(text)
            size += 1 if isinstance(text, str) else len(text)
            if size >= BLOCK or done == len(texts):
                found = analyse(block)
                progress(done, len(texts))
                yield from found
                block, size = [], 0


def _read(
    path: str, text: str | None, asked: tuple[AnyLayer, ...], form: str
) -> tuple[int, Iterator[Analysis], tuple[AnyLayer, ...]]:
    """Another parser's analyses, which must have what is to be printed."""
    from albeit.data.textio import read_lines
    from albeit.parsing.formats import read_analyses, read_attached
    from albeit.parsing.supplied import wordy

    analyses = read_attached(path, read_lines(text)) if text else read_analyses(path)
    filled = [each for each in analyses if wordy(each)]
    present = [k for k in PARSED if all(k in each for each in filled)]
    needed = asked or (RST,)
    if not asked and form != "rs3":
        shown = (RST, DEPENDENCIES, CONSTITUENTS, TOKENS)
        needed = next((k,) for k in shown if k in present)
    for each in needed:
        if each not in present:
            has = ", ".join(map(str, present))
            raise InputError(f"holds no {each}.", path=path, hint=f"It has: {has}.")
    return len(analyses), iter(analyses), needed
