"""Cut translations of whole documents to the reference's segments, and show how.

albeit resegment ref.txt -i system.txt                 one running text against a reference
albeit resegment ref.txt --docs ids.txt -i system/     a folder with one file per document
albeit resegment wmt26.jsonl -o cut/                   one object per document; writes a test set
albeit resegment ref.txt -i system.txt --save cuts.tsv -f html > cuts.html

Every command that scores takes --resegment and does the same on the way.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError

if TYPE_CHECKING:
    from albeit.corpus.loose import LooseSet
    from albeit.resegment import Resegmented

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit resegment``."""
    options.add_inputs(parser, default_way="auto")
    group = parser.add_argument_group("output")
    options.output_argument(
        group,
        "-o",
        "--output",
        folder=True,
        help="write the cut set: a folder, or .jsonl, .tsv, .xml, .sgm by its ending",
    )
    options.output_argument(
        group,
        "--save",
        ours=r"system\tdocument\tsegment\tstart\t",
        help="write the cuts as a table of offsets (TSV)",
    )
    group.add_argument(
        "-f",
        "--format",
        choices=("text", "html", "json"),
        default="text",
        help="(default: %(default)s)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress, no warnings")


def run(args: Namespace) -> None:
    """Read, cut, write, print."""
    from albeit.cli.inputs import load_cuts
    from albeit.corpus import write
    from albeit.report.resegment import RENDERERS
    from albeit.resegment import write_offsets

    made = load_cuts(args)
    if args.save:
        write_offsets(made, args.save)
    if args.output:
        write(made.evalset, args.output)
    sys.stdout.write(RENDERERS[args.format](made))


def resegmented(args: Namespace, whole: bool) -> Resegmented:
    """The systems' texts, cut by the way or the file of offsets that ``--resegment`` names.

    ``whole`` says that the first argument is a test set, not a file of references.
    """
    from typing import get_args

    from albeit.engine.progress import ProgressLine
    from albeit.resegment import Way, read_offsets, resegment

    ways = get_args(Way)
    loose = _chosen(_loose(args, whole), args.systems)
    if not loose.systems:
        raise UsageError(f"{loose.base.name} holds no translations. Give some with -i FILE.")
    way = args.resegment
    if way not in ways:
        if not Path(way).is_file():
            raise UsageError(
                f"--resegment takes {', '.join(ways)}, or a file of offsets, not {way!r}."
            )
        return read_offsets(way, loose)
    with ProgressLine(quiet=args.quiet) as progress:
        return resegment(loose, way, progress=progress)


def _loose(args: Namespace, whole: bool) -> LooseSet:
    from albeit.corpus import build_evalset, read
    from albeit.corpus.formats import wmtjsonl
    from albeit.corpus.loose import LooseSet, read_loose, read_loose_set

    first = Path(args.references[0])
    if whole and wmtjsonl.looks_like(first):
        loose = read_loose_set(
            first,
            references=args.refs,
            source_lang=args.source_lang,
            target_lang=args.lang,
            unescape=args.unescape,
        )
        if not args.input:
            return loose
        mine = read_loose(loose.base, args.input, unescape=args.unescape)
        _refuse_namesakes(mine, loose.systems)
        return LooseSet(loose.base, {**mine.systems, **loose.systems})
    if not args.input:
        raise UsageError("--resegment cuts the translations that -i FILE gives; there are none.")
    if whole:
        base = read(
            args.references,
            args.input_format,
            source_lang=args.source_lang,
            target_lang=args.lang,
            language_pair=args.language_pair,
            docs=args.docs,
            references=args.refs,
            unescape=args.unescape,
        )
    else:
        base = build_evalset(
            args.references,
            [],
            source=args.source,
            docs=args.docs,
            source_lang=args.source_lang,
            target_lang=args.lang or "en",
            unescape=args.unescape,
        )
    if not base.references:
        raise UsageError(f"{base.name} has no reference, by which translations could be cut.")
    loose = read_loose(base, args.input, unescape=args.unescape)
    _refuse_namesakes(loose, base.systems)
    return loose


def _refuse_namesakes(mine: LooseSet, theirs: Iterable[str]) -> None:
    for name in theirs:
        if name in mine.systems:
            raise UsageError(
                f"the test set has a system {name!r} of its own. Give yours another: NAME=FILE."
            )


def _chosen(loose: LooseSet, names: list[str] | None) -> LooseSet:
    """Only these systems; those of the set that have lines already are not cut."""
    from albeit.corpus.loose import LooseSet

    if names is None:
        return loose
    known = [*loose.systems, *loose.base.systems]
    for name in names:
        if name not in known:
            raise UsageError(f"there is no system {name!r}; there are {', '.join(known)}.")
    base = loose.base.select([name for name in names if name in loose.base.systems])
    return LooseSet(base, {name: loose.systems[name] for name in names if name in loose.systems})
