"""argparse with our manners: a wrong option is an ``AlbeitError``, and none is lost silently."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from albeit.errors import AlbeitError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

__all__ = ["HABITS", "Parser", "UsageError"]


HABITS = {
    "-r": "references stand first, without an option: albeit score REF.txt -i SYSTEM.txt",
    "-s": "the source is --source FILE",
    "-sl": "the source's language is --source-lang CODE",
    "-tl": "the language translated into is --lang CODE",
    "-b": "a bare number is printed with -f value",
    "--score-only": "a bare number is printed with -f value",
    "-w": "digits after the point are --decimals N",
    "--width": "digits after the point are --decimals N",
    "--sentence-level": "scores of segments are --level segment, or --segment-scores FILE",
    "-tok": "the tokeniser is --tokenize NAME",
    "-lc": "case is ignored with --lowercase",
    "--confidence-n": "the number of resamples is --resamples N",
    "--paired-ar": "systems are tested against the first one by: albeit compare REF.txt -i A.txt"
    " B.txt",
    "--paired-bs": "systems are tested against the first one by: albeit compare REF.txt -i A.txt"
    " B.txt --test bootstrap",
    "--model": "metrics, judge among them, are -m NAME",
    "--gpus": "processes that share the work are --workers N",
    "--batch_size": "a set too large for memory is read with --out RUN/ --batch-size N",
    "--to_json": "results as JSON are -f json",
    "--refs": "files of references are --references FILE",
}
"""What sacreBLEU and COMET call otherwise, and how it is said here."""


class UsageError(AlbeitError):
    """The command line itself is wrong."""


class _Store(argparse.Action):
    """What an option with values does: lists add up, one value cannot be given twice.

    The first occurrence replaces the default, which may come from a configuration file.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Keep the values, beside those given before."""
        given: set[str] = vars(namespace).setdefault("given_options", set())
        if option_string is not None and self.dest in given:
            before = getattr(namespace, self.dest)
            if self.nargs in ("+", "*"):
                values = [*before, *values]
            elif values != before:
                one, other = _shown(before), _shown(values)
                raise argparse.ArgumentError(self, f"is given twice: {one} and {other}")
        if option_string is not None:
            given.add(self.dest)
        setattr(namespace, self.dest, values)


def _shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else repr(value)


class Parser(argparse.ArgumentParser):
    """Raises :class:`UsageError`; keeps line breaks in its texts; takes no shortened options.

    An option that takes a list may be repeated; one that takes a value may not.
    """

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)
        self.register("action", None, _Store)
        self.register("action", "store", _Store)

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """As argparse does, but a full disk is not passed over."""
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        """Raise, and say where help is; options of other tools get a hint."""
        unknown = message.removeprefix("unrecognized arguments: ").split()
        habits = dict.fromkeys(HABITS[word] for word in unknown if word in HABITS)
        hint = f" Here {'; '.join(habits)}." if habits else ""
        raise UsageError(f"{message}.{hint} See: {self.prog} --help")
