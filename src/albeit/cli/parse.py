"""Annotate text with albeit's model, or convert annotations by other parsers, and print them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from albeit.cli.parser import UsageError
from albeit.cli.tool_options import ParseOptions
from albeit.data import build_evalset, read_lines, write_text
from albeit.evaluation import ProgressLine
from albeit.metrics import InputError, Unit
from albeit.parsing import formats
from albeit.parsing import layers as kinds
from albeit.parsing.annotation import annotate, annotate_documents
from albeit.parsing.layers import TEXT, Analysis, AnyLayer
from albeit.parsing.supplied import wordy

ALIASES = {"deps": "dependencies"}
DEFAULTS = {
    "pretty": "rst",
    "rs3": "rst",
    "conllu": "dependencies edus",
    "json": "tokens sentences edus rst dependencies constituents roles connectives entities",
}
"""Formats, and the layers of lines that each prints by default: those of albeit's own model."""
DOCUMENT_DEFAULTS = {
    "pretty": "coreference",
    "conllu": "edus coreference",
    "json": "edus coreference",
}
"""Formats, and the layers of documents that each prints by default."""
ANNOTATED = (".dis", ".rs3", ".rs4", ".conllu", ".ptb", ".mrg", ".json", ".jsonl")
"""Endings of files that have annotations already."""
BLOCK = 4000
"""Number of lines, roughly, that are annotated before they are printed."""


def parse(args: ParseOptions) -> None:
    """Run ``albeit parse``."""
    asked = _layers(args)
    names = (DOCUMENT_DEFAULTS if args.docs else DEFAULTS)[args.format].split()
    shown: Sequence[AnyLayer] = asked or [kinds.layer(name) for name in names]
    if not args.docs and _is_annotated(args.file):
        read, shown = _read(args, asked)
        _write(args, len(read), iter(read), shown)
    elif args.text:
        raise UsageError(f"--text applies to annotations ({', '.join(ANNOTATED)}), not to text.")
    else:
        texts = (
            _read_documents(args) if args.docs else read_lines(args.file, unescape=args.unescape)
        )
        _write(args, len(texts), _annotate(args, texts, shown), shown)


def _layers(args: ParseOptions) -> list[AnyLayer]:
    """Return the layers of ``--layer``; raise if they cannot be printed of this input."""
    known = {name: each for name, each in kinds.layers().items() if each is not TEXT}
    asked = []
    for name in args.layer or ():
        each = known.get(ALIASES.get(name, name))
        if each is None:
            raise UsageError(f"--layer: there is no layer {name!r}; there are {', '.join(known)}.")
        if each.unit is Unit.DOCUMENT and not args.docs:
            raise UsageError(f"{each} is a layer of documents. Mark documents with --docs.")
        if each.unit is Unit.SEGMENT and args.docs:
            names = ", ".join(n for n, other in known.items() if other.unit is Unit.DOCUMENT)
            raise UsageError(f"{each} is a layer of segments. Omit --docs, or use: {names}.")
        asked.append(each)
    if args.docs and (args.text or _is_annotated(args.file)):
        raise UsageError("--docs applies to text, not to annotations.")
    if args.docs and args.format not in DOCUMENT_DEFAULTS:
        raise UsageError(f"-f {args.format} prints segments. Omit --docs.")
    for each in asked:
        if args.format != "pretty" and each not in formats.HOLDS[args.format]:
            fit = ["pretty", *(form for form, held in formats.HOLDS.items() if each in held)]
            names = ", ".join(fit)
            raise UsageError(f"-f {args.format} has no {each}. Use one of: {names}.")
    return asked


def _write(
    args: ParseOptions, count: int, analyses: Iterator[Analysis], shown: Sequence[AnyLayer]
) -> None:
    many = args.output is not None and formats.is_collection(args.output)
    if args.format in formats.SINGLE and args.output and many:
        if Path(args.output).is_dir() and any(Path(args.output).iterdir()):
            raise InputError("already has files.", path=args.output, hint="Name a new folder.")
        formats.write_each(analyses, count, args.output, args.format)
        return
    if args.format in formats.SINGLE and count > 1:
        what = f"-f {args.format} has one text per file, and there are {count}"
        raise UsageError(f"{what}: write them into a folder or a zip (-o FOLDER, -o FILE.zip).")
    if many:
        raise UsageError(f"-f {args.format} goes into one file: name it with its ending (-o FILE).")
    if args.format == "pretty":
        parts = formats.write_pretty(analyses, shown)
    else:
        parts = formats.write_analyses(analyses, args.format)
    if args.output is None:
        sys.stdout.writelines(parts)
    else:
        write_text("".join(parts), args.output)


def _is_annotated(file: str) -> bool:
    """Return whether a file, folder or zip has annotations, by its name."""
    return Path(file).suffix.lower() in (*ANNOTATED, ".zip") or Path(file).is_dir()


def _read_documents(args: ParseOptions) -> list[tuple[str, ...]]:
    """Read the lines of each document."""
    evalset = build_evalset([args.file], [], docs=args.docs, unescape=args.unescape)
    (lines,) = evalset.references.values()
    return [tuple(lines[document.rows]) for document in evalset.documents]


def _annotate(
    args: ParseOptions, texts: Sequence[Any], layers: Sequence[AnyLayer]
) -> Iterator[Analysis]:
    """Yield annotations of lines or documents, made for about :data:`BLOCK` lines at a time."""
    annotator: Any = annotate_documents if args.docs else annotate
    with ProgressLine("documents" if args.docs else "lines", quiet=args.quiet) as progress:
        block: list[Any] = []
        size = 0
        for done, text in enumerate(texts, 1):
            block.append(text)
            size += len(text) if args.docs else 1
            if size >= BLOCK or done == len(texts):
                annotated = annotator(block, frozenset(layers), args.lang)
                progress(done, len(texts))
                yield from (annotated[each] for each in block)
                block, size = [], 0


def _read(
    args: ParseOptions, asked: Sequence[AnyLayer]
) -> tuple[list[Analysis], Sequence[AnyLayer]]:
    """Read another parser's annotations, which must have the layers to be printed."""
    path, text = args.file, args.text
    read = formats.read_attached(path, read_lines(text)) if text else formats.read_analyses(path)
    filled = [one for one in read if wordy(one)]
    present = [each for each in kinds.of_lines() if all(each in one for one in filled)]
    shown: Sequence[AnyLayer] = asked or [kinds.RST]
    if not asked and args.format != "rs3":
        preferred = (kinds.RST, kinds.DEPENDENCIES, kinds.CONSTITUENTS, kinds.TOKENS)
        shown = [next(each for each in preferred if each in present)]
    for each in shown:
        if each not in present:
            has = ", ".join(map(str, present))
            raise InputError(f"has no {each}.", path=path, hint=f"It has: {has}.")
    return read, shown
