"""From a command's arguments to documents without lines, cut to the reference's segments."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from albeit.cli.parser import UsageError
from albeit.corpus import build_evalset, read
from albeit.corpus.formats import wmtjsonl
from albeit.corpus.loose import LooseSet, read_loose, read_loose_set
from albeit.engine.progress import ProgressLine
from albeit.resegment import Resegmented, read_offsets, resegment
from albeit.resegment.segment import Way

__all__ = ["resegmented"]

WAYS: tuple[Way, ...] = get_args(Way)


def resegmented(args: Namespace, whole: bool) -> Resegmented:
    """The systems' texts, cut by the way or the file of offsets that ``--resegment`` names.

    ``whole`` says that the first argument is a test set, not a file of references.
    """
    loose = _chosen(_loose(args, whole), args.systems)
    if not loose.systems:
        raise UsageError(f"{loose.base.name} holds no translations. Give some with -i FILE.")
    way = args.resegment
    if way not in WAYS:
        if not Path(way).is_file():
            raise UsageError(
                f"--resegment takes {', '.join(WAYS)}, or a file of offsets, not {way!r}."
            )
        return read_offsets(way, loose)
    with ProgressLine(quiet=args.quiet) as progress:
        return resegment(loose, way, progress=progress)


def _loose(args: Namespace, whole: bool) -> LooseSet:
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
    if names is None:
        return loose
    known = [*loose.systems, *loose.base.systems]
    for name in names:
        if name not in known:
            raise UsageError(f"there is no system {name!r}; there are {', '.join(known)}.")
    base = loose.base.select([name for name in names if name in loose.base.systems])
    return LooseSet(base, {name: loose.systems[name] for name in names if name in loose.systems})
