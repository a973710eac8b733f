"""Read the test set that the options of a command name."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from albeit.cli.options import InputOptions, TextOptions
from albeit.cli.parser import UsageError, check_value
from albeit.data import read
from albeit.data.build import TextFiles, add_systems, language_pair, open_texts
from albeit.data.corpus import Corpus, LoadedCorpus
from albeit.data.evalset import EvalSet
from albeit.data.front import is_test_set, open_corpus
from albeit.data.plausible import warn_if_implausible, warn_of_empty_lines

if TYPE_CHECKING:
    from albeit.data.resegment import LooseSet, Resegmented


def load_evalset(args: InputOptions) -> EvalSet:
    """Read what the input options name; with ``--resegment``, cut to the reference's segments."""
    if args.resegment:
        from albeit.report.segments import summarize_cuts

        cuts = load_cuts(args)
        for line in summarize_cuts(cuts):
            logging.getLogger("albeit").info(line)
        evalset = cuts.evalset
    else:
        evalset = load_stream(args).evalset()
        if not evalset.systems:
            raise _no_translations(evalset)
    warn_of_empty_lines(evalset)
    warn_if_implausible(evalset)
    return evalset


def load_references(args: InputOptions) -> EvalSet:
    """Read references, source, and documents; a test set has its systems too."""
    if is_whole(args, args.references):
        return read(args.references, args.input_format, **set_options(args))
    return open_files(args, args.references, []).evalset()


def load_stream(args: InputOptions) -> Corpus:
    """Open what the input options name, to be read at once or in batches."""
    whole = _check_inputs(args)
    if args.input and not whole:
        return open_files(args, args.references, args.input).choose(systems=args.systems)
    options = set_options(args) | {"systems": None if args.input else args.systems}
    corpus = open_corpus(args.references, args.input_format, **options)
    if not args.input:
        return corpus
    evalset = add_systems(corpus.evalset(), args.input, unescape=args.unescape)
    return LoadedCorpus(evalset).choose(systems=args.systems)


def load_cuts(args: InputOptions) -> Resegmented:
    """Read translations of whole documents, and cut them to the reference's segments.

    ``--resegment`` may name a file of offsets.
    """
    from albeit.data.resegment import METHOD, read_offsets, resegment
    from albeit.evaluation import ProgressLine

    if not args.references:
        raise UsageError("no reference given, by which translations could be cut.")
    loose = _read_loose(args)
    if not loose.systems:
        raise _no_translations(loose.base)
    if args.resegment in (None, METHOD):
        with ProgressLine(quiet=args.quiet) as progress:
            return resegment(loose, progress=progress)
    check_value("--resegment", args.resegment)
    if not Path(args.resegment).is_file():
        what = f"--resegment: there is no file {args.resegment!r} of saved cuts."
        raise UsageError(f"{what} To cut texts, give the option without a value.")
    return read_offsets(args.resegment, loose)


def is_whole(args: TextOptions, paths: Sequence[str]) -> bool:
    """Return whether paths are a whole test set, not files of texts."""
    return bool(args.input_format or (paths and is_test_set(paths[0])))


def open_files(args: TextOptions, references: Sequence[str], systems: Sequence[str]) -> TextFiles:
    """Open plain text files."""
    options = args.pick("source", "docs", "source_lang", "unescape")
    return open_texts(references, systems, target_lang=args.lang, **options)


def _no_translations(evalset: EvalSet) -> UsageError:
    return UsageError(f"{evalset.name} holds no translations. Give some with -i FILE.")


def _check_inputs(args: InputOptions) -> bool:
    """Return whether the input is a whole test set; raise if its options contradict each other."""
    if not args.references and not args.input:
        raise UsageError("no text given. Try: albeit score REF.txt -i SYSTEM.txt")
    whole = is_whole(args, args.references)
    if args.input and not whole:
        if args.origlang:
            raise UsageError("--origlang chooses from a test set that has it (WMT XML, SGML).")
        if args.refs:
            raise UsageError("--refs chooses from a test set; here every REF is a reference.")
    elif args.source:
        raise UsageError("--source goes with text files; a test set has its own source.")
    return whole


def set_options(args: TextOptions) -> dict[str, Any]:
    """Return the arguments of :func:`albeit.read` for a test set that has everything."""
    options = args.pick("source_lang", "docs", "unescape", "language_pair", "origlang")
    return options | {"target_lang": args.lang, "references": getattr(args, "refs", None)}


def _read_loose(args: InputOptions) -> LooseSet:
    """Read translations of whole documents, and the reference's segments; choose systems."""
    from albeit.data.resegment import LooseSet, holds_documents, read_loose, read_loose_set

    first = Path(args.references[0])
    if is_whole(args, args.references) and holds_documents(first):
        options = args.pick("source_lang", "unescape")
        loose = read_loose_set(first, references=args.refs, target_lang=args.lang, **options)
    elif not args.input:
        raise UsageError("--resegment cuts the translations that -i FILE gives; there are none.")
    else:
        loose = LooseSet(load_references(args), {})
        if not loose.base.references:
            name = loose.base.name
            raise UsageError(f"{name} has no reference, by which translations could be cut.")
    base = loose.base
    texts = {**read_loose(base, args.input, unescape=args.unescape).systems}
    for name in (*loose.systems, *base.systems):
        if name in texts:
            raise UsageError(f"the test set has a system {name!r}. Rename yours: NAME=FILE.")
    texts |= loose.systems
    known = [*texts, *base.systems]
    for name in args.systems or ():
        if name not in known:
            raise UsageError(f"there is no system {name!r}; there are {', '.join(known)}.")
    names = args.systems or known  # systems of the set that have lines are not cut
    base = base.select([name for name in names if name in base.systems])
    return LooseSet(base, {name: texts[name] for name in names if name in texts})


def put_named_set(args: InputOptions) -> None:
    """Put the files of the set that ``-t`` names into the options that would have named them."""
    from albeit.data.folders import find_set

    name = args.test_set or ""
    if Path(name).is_file():
        what = f"-t takes the name of a test set, and {name} is a file."
        raise UsageError(f"{what} To score files: albeit score REF -i FILE.")
    given = {"REF": args.references, "--source": args.source, "--docs": args.docs}
    if clash := [word for word, value in given.items() if value]:
        raise UsageError(f"-t {name} has its own {' and '.join(clash)}.")
    files = find_set(name, args.language_pair)
    if files.tree is not None:
        args.references = [files.tree]
        return
    args.references, args.source, args.docs = files.references, files.source, files.docs
    args.language_pair = None
    source, target = language_pair(files.pair) or (None, None)
    args.source_lang, args.lang = args.source_lang or source, args.lang or target
    if args.refs:
        args.references = [each for each in files.references if _name(each) in args.refs]
        if len(args.references) != len(args.refs):
            names = ", ".join(map(_name, files.references))
            raise UsageError(f"{name} has the references {names}.")
        args.refs = None
    own = {_name(each): each for each in files.systems}
    wanted = [n for n in args.systems or () if n in own] if args.input else list(own)
    args.input = [*args.input, *(own[n] for n in wanted)]


def _name(argument: str) -> str:
    return argument.partition("=")[0]
