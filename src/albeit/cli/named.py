"""``-t NAME``: a test set by name becomes the files that a user would have written."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from albeit.cli.parser import UsageError

__all__ = ["put_files"]


def put_files(args: Namespace) -> None:
    """Put the files of the set that ``-t`` names where the user would have written them."""
    from albeit.corpus.build import language_pair
    from albeit.corpus.sets import find_set

    name = args.test_set
    if Path(name).is_file():
        raise UsageError(
            f"-t takes the name of a test set, and {name} is a file. Give translations with -i"
            " FILE and references before: albeit score REF -i FILE."
        )
    given = {"REF": args.references, "--source": args.source, "--docs": args.docs}
    if clash := [option for option, value in given.items() if value]:
        raise UsageError(f"-t {name} has its own {' and '.join(clash)}.")
    found = find_set(name, args.language_pair)
    if found.tree is not None:
        args.references = [found.tree]
        return
    args.references, args.source, args.docs = list(found.references), found.source, found.docs
    args.language_pair = None
    source, target = language_pair(found.pair) or (None, None)
    args.source_lang, args.lang = args.source_lang or source, args.lang or target
    if args.refs:
        args.references = [r for r in args.references if r.partition("=")[0] in args.refs]
        if len(args.references) != len(args.refs):
            names = ", ".join(each.partition("=")[0] for each in found.references)
            raise UsageError(f"{name} has the references {names}.")
        args.refs = None
    own = {each.partition("=")[0]: each for each in found.systems}
    wanted = [n for n in args.systems or () if n in own] if args.input else list(own)
    args.input = [*(args.input or ()), *(own[n] for n in wanted)]
