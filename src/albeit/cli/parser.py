"""argparse with our manners: a wrong option is an ``AlbeitError``, and none is lost silently."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from albeit import removed
from albeit.errors import AlbeitError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

FILE = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
}
"""What shtab wants of an option whose value is a file."""

HABITS = {
    "-r": "references stand first, without an option: albeit score REF.txt -i SYSTEM.txt",
    "--references": "references stand first, without an option: albeit score REF.txt -i SYSTEM.txt",
    "-s": "the source is --source FILE, and BLEU's smoothing -m 'bleu(smooth=NAME)'",
    "-sl": "scores of segments are --level segment, and the source's language --source-lang CODE",
    "-tl": "the language translated into is --lang CODE",
    "-b": "a bare number is printed with -f value",
    "--score-only": "a bare number is printed with -f value",
    "-w": "digits after the point are --decimals N",
    "--width": "digits after the point are --decimals N",
    "--sentence-level": "scores of segments are --level segment, or --segment-scores FILE",
    "-tok": "the tokeniser is --tokenize NAME",
    "-lc": "case is ignored with --lowercase",
    "-ci": "confidence intervals are --confidence",
    "-cin": "the number of resamples is --resamples N",
    "--confidence-n": "the number of resamples is --resamples N",
    "-cw": "chrF++ is -m chrf++, or 'chrf(word_order=2)'",
    "--chrf-word-order": "chrF++ is -m chrf++, or 'chrf(word_order=2)'",
    "-ol": "documents by their original language are --origlang CODE",
    "-par": "systems are tested against the first one by: albeit compare REF.txt -i A.txt B.txt",
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


def whole_number(least: int) -> Callable[[str], int]:
    """An argparse type: a whole number, at least ``least``."""

    def convert(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {number}")
        return number

    convert.__name__ = "whole number"
    return convert


class Kinds(argparse._ActionsContainer):
    """The kinds of options that there are.

    Where an option has a default, its help ends in it, unless its text names one already.
    """

    def option(self, *names: str, help: str = "", **more: Any) -> Any:
        """An option with a value, or an argument without dashes."""
        if more.get("default") and "(default: " not in help:
            help = f"{help} (default: %(default)s)".lstrip()
        return self.add_argument(*names, help=help or None, **more)

    def flag(self, *names: str, help: str) -> None:
        """An option without a value."""
        self.add_argument(*names, action="store_true", help=help)

    def number(self, name: str, *, least: int = 1, **more: Any) -> None:
        """An option whose value is a whole number, at least ``least``."""
        self.option(name, type=whole_number(least), metavar="N", **more)

    def several(self, *names: str, **more: Any) -> None:
        """An option with one or more values; without it there are none."""
        self.option(*names, nargs="+", **{"default": [], **more})

    def file(self, *names: str, **more: Any) -> Any:
        """An option or argument whose value is a file: shells complete it as one."""
        action = self.option(*names, **{"metavar": "FILE", **more})
        action.complete = FILE
        return action

    def output(self, *names: str, ours: str = r"\Z", folder: bool = False, **more: Any) -> None:
        """An option whose value is a file that will be written.

        It must be no input, and a file that is there already must begin with ``ours`` (a
        regular expression; by default it must be empty), as those do that albeit writes for this
        option, or be given up with ``--force`` (:mod:`albeit.cli.outputs`). ``folder`` says that
        it may be a folder too.
        """
        action = self.file(*names, **more)
        action.ours, action.folder = ours, folder
        if "--force" not in self._option_string_actions:
            self.flag("--force", help="write over a file that is not albeit's own")


class Group(Kinds, argparse._ArgumentGroup):
    """Options that stand together under a title."""


class Parser(Kinds, argparse.ArgumentParser):
    """Raises :class:`UsageError`; keeps line breaks in its texts; takes no shortened options.

    An option that takes a list may be repeated; one that takes a value may not.
    """

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)
        self.register("action", None, _Store)
        self.register("action", "store", _Store)

    def group(self, title: str) -> Group:
        """A new group of options."""
        made = Group(self, title)
        self._action_groups.append(made)
        return made

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """As argparse does, but a full disk is not passed over."""
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        """Raise, and say where help is; options of other tools get a hint."""
        unknown = message.removeprefix("unrecognized arguments: ").split()
        habits = dict.fromkeys(HABITS[word] for word in unknown if word in HABITS)
        hint = f" Here {'; '.join(habits)}." if habits else ""
        command = self.prog.removeprefix("albeit ")
        for word in unknown:
            option = word.partition("=")[0]
            advice = removed.OPTIONS.get(option) or removed.OPTIONS.get(f"{command} {option}")
            if advice:
                hint = f" {word} was removed in version 0.3: {advice}."
        raise UsageError(f"{message}.{hint} See: {self.prog} --help")


def check_value(option: str, value: str) -> None:
    """Raise if version 0.3 removed this value of an option."""
    if advice := removed.OPTIONS.get(f"{option} {value}"):
        raise UsageError(f"{option} {value} was removed in version 0.3: {advice}.")
