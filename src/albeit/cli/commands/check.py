"""Print likely faults of a translation against its source, without a reference.

  albeit check out.txt --source src.txt --source-lang de
  albeit check out.de.txt --source src.en.txt --lang de --source-lang en --fail-on any
  albeit check a.txt b.txt --source src.txt --kinds numbers -f json
  albeit check wmt.jsonl --systems mine -f sarif > check.sarif
  albeit check --list

One line per finding: FILE:LINE:COLUMN: KIND MESSAGE. The status is 0, or 1 if something was found
that --fail-on names.
"""

from __future__ import annotations

import logging
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError, check_value

if TYPE_CHECKING:
    from albeit.data import EvalSet

FOUND = 1
"""The exit status where something was found that must not be there."""
Place = Callable[[str, int], tuple[str, int]]
"""File and line of a segment, from 0, of a system."""


def configure(parser: Parser) -> None:
    """Add the options of ``albeit check``."""
    parser.file(
        "texts",
        nargs="*",
        metavar="TEXT",
        help="translations, a file each ('-' is standard input, .gz is fine); or one test set that"
        " holds source and translations: JSONL, TSV, XML, SGML, a folder",
    )
    group = parser.group("input")
    group.file("--source", help="the source text, as many lines")
    group.file(
        "--docs",
        help="a file with one document id per line, or 'blank-lines' where empty lines end"
        " documents",
    )
    group.option("--lang", metavar="CODE", help="language translated into (default: en)")
    group.option("--source-lang", metavar="CODE", help="language translated from")
    group.several("--systems", metavar="NAME", default=None, help="only these of a test set")
    group.option(
        "--input-format", metavar="NAME", help="format of the test set (default: seen from it)"
    )
    group.flag("--unescape", help="resolve HTML entities in the text")
    group = parser.group("what to look for")
    group.several(
        "--kinds",
        metavar="KIND",
        default=None,
        help="kinds of faults (default: those that are right often enough; see --list)",
    )
    group.option(
        "--least",
        type=float,
        metavar="P",
        default=0.5,
        help="only findings that are faults with at least this probability",
    )
    group.several(
        "--fail-on",
        metavar="KIND",
        help="end with status 1 if something of these kinds is found; 'any' is all of them",
    )
    group.flag("--list", help="list the kinds, and end")
    options.add_format(parser.group("output"), ("text", "json", "sarif"), "json is JSON lines")
    group = parser.group("running")
    options.add_quiet(group, "no progress, no warnings")
    options.add_config(group)


def run(args: Namespace) -> int:
    """Read, look, print."""
    from albeit.diagnose.check import KINDS, check_set
    from albeit.evaluation import ProgressLine
    from albeit.report.findings import RENDERERS, Placed

    if args.list:
        _list()
        return 0
    _check_kinds(args)
    evalset, place = _load(args)
    chosen = args.kinds or KINDS
    with ProgressLine("lines", quiet=args.quiet) as progress:
        found = check_set(evalset, kinds=chosen, least=args.least, progress=progress)
    placed = [
        Placed(*place(system, each.line - 1), each)
        for system, findings in found.items()
        for each in findings
    ]
    sys.stdout.writelines(RENDERERS[args.format](placed))
    counts = Counter(each.finding.kind for each in placed)
    listed = ", ".join(f"{counts[kind]} {kind}" for kind in chosen)
    logging.getLogger("albeit").info("found in %d lines: %s", len(evalset) * len(found), listed)
    fatal = set(counts) if "any" in args.fail_on else set(args.fail_on)
    return FOUND if fatal & set(counts) else 0


def _list() -> None:
    from albeit.diagnose.check import KINDS, check_named

    for kind in KINDS:
        check = check_named(kind)
        shown = f"precision {check.precision:.2f}"
        print(f"{kind:<14}{'on':<17}{shown:<17}{check.about}")


def _check_kinds(args: Namespace) -> None:
    """Refuse kinds that there are none of, and conditions on kinds that nobody looks for."""
    from albeit.diagnose.check import KINDS

    for kind in args.kinds or ():
        check_value("--kinds", kind)
        if kind not in KINDS:
            raise UsageError(f"there is no kind {kind!r}; there are {', '.join(KINDS)}.")
    looked = args.kinds or KINDS
    for kind in args.fail_on:
        if kind not in (*looked, "any"):
            raise UsageError(
                f"--fail-on: {kind!r} is not among the kinds looked for: {', '.join(looked)}."
            )


def _load(args: Namespace) -> tuple[EvalSet, Place]:
    """The translations with their source, and where their segments stand."""
    from albeit.data import read
    from albeit.data.build import open_texts
    from albeit.data.front import is_test_set
    from albeit.data.plausible import warn_if_implausible

    if not args.texts:
        raise UsageError("no text given. Try: albeit check TRANSLATION.txt --source SOURCE.txt")
    if args.input_format or is_test_set(args.texts[0]):
        if args.source:
            raise UsageError("--source goes with text files; a test set has its own source.")
        evalset = read(
            args.texts,
            args.input_format,
            source_lang=args.source_lang,
            target_lang=args.lang,
            systems=args.systems,
            docs=args.docs,
            unescape=args.unescape,
        )
        if not evalset.systems:
            raise UsageError(f"{evalset.name} holds no translations to check.")
        warn_if_implausible(evalset)
        return evalset, lambda system, segment: (system, segment + 1)
    if not args.source:
        raise UsageError("no source given, against which to check. Name it with --source FILE.")
    if args.systems:
        raise UsageError("--systems chooses from a test set; here every TEXT is checked.")
    texts = open_texts(
        [],
        args.texts,
        source=args.source,
        docs=args.docs,
        source_lang=args.source_lang,
        target_lang=args.lang,
        unescape=args.unescape,
    )
    evalset = texts.evalset()
    warn_if_implausible(evalset)
    return evalset, lambda system, segment: texts.place_in("system", system, segment)
