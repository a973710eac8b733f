"""From a command's arguments to the test set that they name."""

from __future__ import annotations

import logging
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from albeit.cli.parser import UsageError, check_value
from albeit.data import read
from albeit.data.build import TextFiles, add_systems, language_pair, open_texts
from albeit.data.corpus import Corpus, LoadedCorpus
from albeit.data.evalset import EvalSet
from albeit.data.front import is_test_set, open_corpus
from albeit.data.plausible import warn_if_implausible, warn_of_empty_lines

if TYPE_CHECKING:
    from albeit.data.loose import LooseSet
    from albeit.resegment import Resegmented


def load_evalset(args: Namespace) -> EvalSet:
    """Read what the input options name; with ``--resegment``, cut to the reference's segments."""
    if args.resegment:
        cuts = load_cuts(args)
        for line in cuts.summary():
            logging.getLogger("albeit").info(line)
        evalset = cuts.evalset
    else:
        evalset = _load_lines(args)
    warn_of_empty_lines(evalset)
    warn_if_implausible(evalset)
    return evalset


def load_references(args: Namespace) -> EvalSet:
    """The references, with source and documents, and no translations but those of a test set."""
    return _test_set(args) if _is_whole(args) else _open_texts(args, []).evalset()


def load_stream(args: Namespace) -> Corpus:
    """What the input options name, to be read in batches."""
    _check_inputs(args)
    languages = {"source_lang": args.source_lang, "target_lang": args.lang}
    if not _is_whole(args) and args.input:
        return _open_texts(args, args.input).choose(systems=args.systems)
    if args.input:  # translations beside a test set: only in memory do they come together
        return LoadedCorpus(_load_lines(args))
    return open_corpus(
        args.references,
        args.input_format,
        references=args.refs,
        systems=args.systems,
        **languages,
        **_set_options(args),
    )


def _load_lines(args: Namespace) -> EvalSet:
    """Texts that have one line per segment."""
    _check_inputs(args)
    if args.input and not _is_whole(args):
        evalset = _open_texts(args, args.input).evalset()
    else:
        evalset = _test_set(args, None if args.input else args.systems)
        if args.input:
            evalset = add_systems(evalset, args.input, unescape=args.unescape)
    if args.systems:
        evalset = evalset.select(args.systems)
    if not evalset.systems:
        raise _no_translations(evalset)
    return evalset


def _no_translations(evalset: EvalSet) -> UsageError:
    return UsageError(f"{evalset.name} holds no translations. Give some with -i FILE.")


def _is_whole(args: Namespace) -> bool:
    """Whether the first argument is a whole test set, not a file of references."""
    return bool(args.input_format or (args.references and is_test_set(args.references[0])))


def _check_inputs(args: Namespace) -> None:
    """Raise where input options do not go together."""
    if not args.references and not args.input:
        raise UsageError("no text given. Try: albeit score REF.txt -i SYSTEM.txt")
    if args.input and not _is_whole(args):
        if args.origlang:
            raise UsageError("--origlang chooses from a test set that says it (WMT XML, SGML).")
        if args.refs:
            raise UsageError("--refs chooses from a test set; here every REF is a reference.")
    elif args.source:
        raise UsageError("--source goes with text files; a test set has its own source.")


def _open_texts(args: Namespace, systems: list[str]) -> TextFiles:
    return open_texts(
        args.references,
        systems,
        source=args.source,
        docs=args.docs,
        source_lang=args.source_lang,
        target_lang=args.lang,
        unescape=args.unescape,
    )


def _test_set(args: Namespace, systems: list[str] | None = None) -> EvalSet:
    return read(
        args.references,
        args.input_format,
        source_lang=args.source_lang,
        target_lang=args.lang,
        references=args.refs,
        systems=systems,
        **_set_options(args),
    )


def _set_options(args: Namespace) -> dict[str, Any]:
    """Options of a test set that holds everything."""
    names = ("language_pair", "docs", "origlang", "unescape")
    return {name: getattr(args, name) for name in names}


def load_cuts(args: Namespace) -> Resegmented:
    """Translations of whole documents, cut to the reference's segments.

    ``--resegment`` may name a file of offsets.
    """
    from albeit.evaluation import ProgressLine
    from albeit.resegment import METHOD, read_offsets, resegment

    if not args.references:
        raise UsageError("no reference given, by which translations could be cut.")
    loose = _chosen(_loose(args), args.systems)
    if not loose.systems:
        raise _no_translations(loose.base)
    if args.resegment == METHOD:
        with ProgressLine(quiet=args.quiet) as progress:
            return resegment(loose, progress=progress)
    check_value("--resegment", args.resegment)
    if not Path(args.resegment).is_file():
        raise UsageError(
            f"--resegment: there is no file {args.resegment!r}. Name a file of saved cuts, or give"
            " the option without a value."
        )
    return read_offsets(args.resegment, loose)


def _loose(args: Namespace) -> LooseSet:
    """The translations as they are, beside the reference's segments."""
    from albeit.data.loose import LooseSet, holds_documents, read_loose, read_loose_set

    first = Path(args.references[0])
    if _is_whole(args) and holds_documents(first):
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
    base = load_references(args)
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
    from albeit.data.loose import LooseSet

    if names is None:
        return loose
    known = [*loose.systems, *loose.base.systems]
    for name in names:
        if name not in known:
            raise UsageError(f"there is no system {name!r}; there are {', '.join(known)}.")
    base = loose.base.select([name for name in names if name in loose.base.systems])
    return LooseSet(base, {name: loose.systems[name] for name in names if name in loose.systems})


def put_files(args: Namespace) -> None:
    """Put the files of the set that ``-t`` names where the user would have written them."""
    from albeit.data.folders import find_set

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
