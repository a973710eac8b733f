"""Check, count and induce lexicons of connectives and their translations.

albeit lexicon check my-lexicon.tsv
albeit lexicon count my-lexicon.tsv --bitext en.txt.gz de.txt.gz > counted.tsv
albeit lexicon induce --bitext en.txt.gz es.txt.gz --lang es > proposed.tsv
"""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from albeit.cli import options
from albeit.cli.parser import Parser

_ABOUT = {
    "check": "unknown senses, duplicates, forms that cannot match, unknown connectives",
    "count": "put the numbers of a bitext behind the translations of a lexicon",
    "induce": "propose translations from a bitext, for a person to accept",
}


def configure(parser: Parser) -> None:
    """Add the options of ``albeit lexicon``."""
    check, count, induce = options.add_actions(parser, _ABOUT)
    check.file(
        "lexicons",
        nargs="*",
        metavar="LEXICON",
        help="lexicon files (default: those in the package)",
    )
    count.file("lexicon", metavar="LEXICON", help="the lexicon file")
    for action in (count, induce):
        action.file(
            "--bitext",
            nargs=2,
            required=True,
            metavar=("SOURCE", "TARGET"),
            help="two files with one sentence a line (.gz is fine)",
        )
    induce.option("--lang", required=True, metavar="CODE", help="language translated into")
    induce.option("--source-lang", default="en", metavar="CODE")
    induce.several(
        "--connectives",
        metavar="NAME",
        default=None,
        help="only these, as 'even though' (default: the eight of ACT)",
    )
    induce.flag("--all", help="all connectives of the inventory")
    induce.number("--least", help="translations seen at least so often", default=3)
    induce.file("--dimlex", help="source connectives from a DiMLex XML file")


def run(args: Namespace) -> int:
    """Do what was asked; ``check`` returns 1 where it finds an error."""
    if args.action == "check":
        return _check(args)
    from albeit.data.build import read_pairs

    pairs = read_pairs(*args.bitext)
    if args.action == "count":
        from albeit.metrics.connectives.build import annotate_counts, gather
        from albeit.metrics.connectives.load import inventory, read_lexicon

        lexicon = read_lexicon(args.lexicon)
        evidence = gather(lexicon, inventory(lexicon.source_lang), pairs)
        sys.stdout.write(annotate_counts(args.lexicon, evidence))
        return 0
    from albeit.metrics.connectives.build import induce, write_proposals
    from albeit.metrics.connectives.lexicon import CLASSIC
    from albeit.metrics.connectives.load import inventory, read_dimlex

    known = read_dimlex(args.dimlex, args.source_lang) if args.dimlex else None
    source = known or inventory(args.source_lang)
    names = args.connectives or (source.connectives if args.all or args.dimlex else CLASSIC)
    found = induce(source, tuple(names), pairs, (args.source_lang, args.lang), least=args.least)
    sys.stdout.write(write_proposals(found, (args.source_lang, args.lang)))
    return 0


def _check(args: Namespace) -> int:
    from albeit.metrics.connectives.build import check
    from albeit.metrics.connectives.load import DATA, inventory, pairs, read_lexicon

    paths = args.lexicons or [str(DATA / f"{pair}.tsv") for pair in pairs()]
    errors = 0
    for path in paths:
        findings = check(path, inventory("en"))
        for finding in findings:
            print(f"{path}:{finding}")
        errors += sum(finding.level == "error" for finding in findings)
        if not findings:
            lexicon = read_lexicon(path)
            forms = sum(len(listed) for listed in lexicon.entries.values())
            print(
                f"{Path(path).name}: {len(lexicon.entries)} connectives, {forms} translations, no findings"
            )
    return int(bool(errors))
