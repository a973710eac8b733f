"""Build argparse parsers from classes of typed options.

The attributes of a class are the options of a command, with types and defaults. Its docstring is
the help (see ``help``). Base classes are groups of options that commands share. The first line of
their docstring is the heading of the group.

A wrong command line raises :class:`UsageError`.

``--config FILE.toml`` has options in a file. Keys are the long names of options and of positional
arguments, without leading dashes, at the top or under ``[COMMAND]`` if a file serves several
commands. The command line overrides the file.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from argparse import SUPPRESS, Action, ArgumentError
from collections.abc import Callable, Collection, Iterable, Sequence
from math import inf
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from albeit import removed
from albeit.errors import AlbeitError, InputError

COMPLETE = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
}
"""What shtab needs for an option whose value is a file."""

HABITS = {
    "-r --references": "references come first, without an option: albeit score REF.txt -i A.txt",
    "-s": "the source is --source FILE, and BLEU's smoothing -m 'bleu(smooth=NAME)'",
    "-sl": "scores of segments are --level segment, and the source's language --source-lang CODE",
    "-tl": "the language translated into is --lang CODE",
    "-b --score-only": "a bare number is printed with -f value",
    "-w --width": "digits after the point are --decimals N",
    "--sentence-level": "scores of segments are --level segment, or --segment-scores FILE",
    "-tok": "the tokenizer is --tokenize NAME",
    "-lc": "case is ignored with --lowercase",
    "-ci": "confidence intervals are --confidence",
    "-cin --confidence-n": "the number of resamples is --resamples N",
    "-cw --chrf-word-order": "chrF++ is -m chrf++, or 'chrf(word_order=2)'",
    "-ol": "documents by their original language are --origlang CODE",
    "-par --paired-ar": "systems are tested by: albeit compare REF.txt -i A.txt B.txt",
    "--paired-bs": "systems are tested by: albeit compare REF.txt -i A.txt B.txt --test bootstrap",
    "--model": "metrics, judge among them, are -m NAME",
    "--gpus": "processes that share the work are --workers N",
    "--batch_size": "a set too large for memory is read with --out RUN/ --batch-size N",
    "--to_json": "results as JSON are -f json",
    "--refs": "files of references are --references FILE",
}
"""Options of sacreBLEU and COMET, and what to use instead."""

_OWN = ("reads", "writes", "folder")
"""Settings of actions that argparse does not have."""


_PARAM = re.compile(r"^ *:param (\w+): ((?s:.*?))(?=^ *:param |\Z)", re.MULTILINE)


class UsageError(AlbeitError):
    """The command line itself is wrong."""


def read_summary(kind: type) -> str:
    """Return the first line of a docstring."""
    return read_text(kind)[0][0]


def read_text(kind: type) -> tuple[list[str], list[str], list[str]]:
    """Return summary, usage, and examples; details; and the names of common options."""
    text = (kind.__doc__ or "").partition(":param")[0].replace("\n    ", "\n").strip()
    summary, *rest = text.split("\n\n")
    head = [each for each in rest if each.startswith(("Usage:", "Examples"))]
    common = [each for each in rest if each.startswith("Common: ")]
    details = [each for each in rest if each not in (*head, *common)]
    return [summary, *head], details, " ".join(common).split()[1:]


def read_options(kind: type) -> dict[str, str]:
    """Return the help of each option, also of those in base classes."""
    helps: dict[str, str] = {}
    for cls in reversed(kind.__mro__):
        helps.update(_PARAM.findall(cls.__doc__ or ""))
    return {name: " ".join(text.split()) for name, text in helps.items()}


def complete(text: str, default: object, choices: Sequence[object] | None) -> str:
    """Add choices to the first sentence of an option's help, and the default at the end.

    >>> complete("Print in this format. Pages are HTML", "text", ["text", "html"])
    'Print in this format: text, html. Pages are HTML [default: text]'
    """
    names = list(map(str, choices or ()))
    if not all(name in text for name in names):
        head, dot, rest = text.partition(". ")
        text = f"{head}: {', '.join(names)}{dot}{rest}"
    if default and "[default: " not in text:
        shown = " ".join(default) if isinstance(default, tuple) else default
        text += f" [default: {shown}]"
    return text


class Options:
    """The options of a command."""

    command_line: str
    """What was typed, for reports."""
    warnings: Sequence[str] = ()
    """The warnings so far."""

    def pick(self, *names: str) -> dict[str, Any]:
        """Return some options by their names; ``None`` for those that the command does not have."""
        return {name: getattr(self, name, None) for name in names}


def option(*names: str, **settings: Any) -> tuple[tuple[str, Any], ...]:
    """Describe an option in ``Annotated``: its further names, and settings of argparse.

    Settings that argparse doesn't have:

    - ``positional``
    - ``least``: the minimum of a whole number
    - ``reads``: the value is a file
    - ``writes``: the value is an output file. It is a regular expression for how earlier outputs
      begin; an existing file without that beginning needs ``--force``.
    - ``folder``: the output may be a folder
    """
    return (("names", names), *settings.items())


class _Store(Action):
    """Keep the values of an option: lists add up, and one value cannot be given twice.

    The first occurrence replaces the default, which may come from a configuration file.
    """

    def __call__(self, _: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        """Add the values to those given before."""
        given: set[str] = vars(namespace).setdefault("given_options", set())
        if values == "" and self.nargs != "?":
            raise ArgumentError(self, "is empty")
        if self.dest in given:
            before = getattr(namespace, self.dest)
            if self.nargs in ("+", "*"):
                values = [*before, *values]
            elif values != before:
                shown = [" ".join(v) if isinstance(v, list) else repr(v) for v in (before, values)]
                raise ArgumentError(self, f"is given twice: {' and '.join(shown)}")
        if option_string is not None:
            given.add(self.dest)
        setattr(namespace, self.dest, values)


class _Help(Action):
    """Print help, and end: with ``--help-all`` everything, with ``--help`` one screen."""

    def __call__(self, parser: Any, _: Any, __: Any, option_string: Any = None) -> None:
        """Print to stdout."""
        parser._print_message(parser.format_help(full=option_string == "--help-all"), sys.stdout)
        parser.exit()


def _whole_number(least: int, most: float) -> Callable[[str], int]:
    """Return an argparse type: a whole number, at least ``least`` and at most ``most``."""

    def convert(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {number}")
        if number > most:
            raise argparse.ArgumentTypeError(f"must be at most {most}, not {number}")
        return number

    convert.__name__ = "whole number"
    return convert


def _number(least: float) -> Callable[[str], float]:
    """Return an argparse type: a number, at least ``least``."""

    def convert(text: str) -> float:
        number = float(text)
        if not number >= least:
            raise argparse.ArgumentTypeError(f"must be a number of at least {least:g}, not {text}")
        return number

    convert.__name__ = "number"
    return convert


def _settings(annotation: Any) -> dict[str, Any]:
    """Return the settings that a type annotation specifies."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        settings = _settings(inside[0])
        for more in annotation.__metadata__:
            settings |= dict(more)
        return settings
    if origin in (Union, UnionType):
        return _settings(inside[0])
    if origin is Sequence:
        return {"nargs": "+"} | _settings(inside[0])
    if origin is Literal:
        return {"choices": inside}
    if annotation is bool:
        return {"action": "store_true"}
    return {} if annotation is str else {"type": annotation}


class Parser(argparse.ArgumentParser):
    """Raise :class:`UsageError`, keep line breaks in texts, and accept no shortened options.

    An option that takes a list may be repeated; one that takes a value may not.
    """

    kind: type[Options] = Options
    """The class of the command's options."""

    def __init__(self, *, add_help: bool = True, **options: Any) -> None:
        super().__init__(allow_abbrev=False, add_help=False, **options)
        self.register("action", None, _Store)
        self.register("action", "store", _Store)
        self.register("action", "help", _Help)
        own: dict[str, Any] = {"action": "help", "nargs": 0, "dest": "help", "default": SUPPRESS}
        if add_help:
            self.add_argument("-h", "--help", help="Show the common options", **own)
            self.add_argument("--help-all", help="Show all options and details", **own)

    def add_options(self, kind: type[Options]) -> None:
        """Add the options of a class; a namespace then has this parser as ``command``."""
        self.kind, self.description = kind, read_summary(kind)
        self.set_defaults(command=self)
        hints = get_type_hints(kind, include_extras=True)
        helps = read_options(kind)
        groups: dict[str, Any] = {}
        for cls in kind.__mro__[:-2]:  # without Options and object
            title = "Options" if cls is kind else read_summary(cls).rstrip(".")
            for name in [each for each in cls.__annotations__ if each in hints]:
                if title not in groups:
                    groups[title] = self.add_argument_group(title)
                self._add_option(groups[title], name, _settings(hints.pop(name)), helps[name])

    def format_help(self, *, full: bool = False) -> str:
        """Return the help: one screen, or all options and details."""
        if self.kind is Options:  # albeit itself
            return f"{self.description}\n"
        from albeit.cli import help as layout

        return layout.format_help(self, self.kind, full=full)

    def _add_option(self, group: Any, name: str, settings: dict[str, Any], text: str) -> None:
        """Add one option; its help ends in the default, unless it has one already."""
        own = {key: settings.pop(key, None) for key in ("names", "positional", *_OWN)}
        default = getattr(self.kind, name, None)
        least, most = settings.pop("least", None), settings.pop("most", inf)
        if settings.get("type") is int:
            settings |= {"type": _whole_number(1 if least is None else least, most), "metavar": "N"}
        elif settings.get("type") is float:
            settings["type"] = _number(-inf if least is None else least)
        text = complete(text, default, settings.get("choices"))
        shown = SUPPRESS if SUPPRESS in text else text.replace("%", "%%")  # compared by identity
        settings |= {"help": shown, "default": default}
        if own["positional"]:
            action: Any = self.add_argument(name, **settings)
        else:
            words = list(own["names"] or ())
            if not any(word.startswith("--") for word in words):
                words.append("--" + name.replace("_", "-"))
            action = group.add_argument(*words, dest=name, **settings)
        vars(action).update({key: own[key] for key in _OWN})
        if action.reads:
            action.complete = COMPLETE
        action.reads = action.reads and not action.writes
        if action.writes and "--force" not in self._option_string_actions:
            text = "Overwrite an existing file that albeit did not write"
            group.add_argument("--force", action="store_true", help=text)

    def read(self, arguments: Sequence[str]) -> tuple[Parser, Options]:
        """Parse arguments into the options of the command that they name, and its parser."""
        namespace = self.parse_args([self._rename(word) for word in arguments])
        command: Parser = namespace.command
        args = command.kind()
        vars(args).update(vars(namespace))
        return command, args

    def _rename(self, word: str) -> str:
        """Return the new name of an option, and print it; other words are returned as they are."""
        old, equals, value = word.partition("=")
        new = removed.RENAMED.get(f"{self.prog.removeprefix('albeit ')} {old}")
        if new:
            what = f"{old} is now {new}. Version 0.5 will not accept the old name."
            print(f"albeit: warning: {what}", file=sys.stderr)
        return (new or old) + equals + value

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print as argparse does, but raise an error if the disk is full."""
        out = file or sys.stderr
        out.write(message)
        out.flush()

    def error(self, message: str) -> NoReturn:
        """Raise, and name the help; options of other tools get a hint."""
        unknown = message.removeprefix("unrecognized arguments: ").split()
        habits = [text for words, text in HABITS.items() if {*words.split()} & {*unknown}]
        hint = f" Here {'; '.join(habits)}." if habits else self._find_similar(unknown)
        command = self.prog.removeprefix("albeit ")
        for word in unknown:
            name = word.partition("=")[0]
            if advice := removed.OPTIONS.get(name) or removed.OPTIONS.get(f"{command} {name}"):
                hint = f" {word} was removed in version 0.3: {advice}."
        raise UsageError(f"{message}.{hint} See: {self.prog} --help")

    def _find_similar(self, words: Sequence[str]) -> str:
        """Ask whether a known option was meant, the most similar to an unknown one."""
        from difflib import get_close_matches

        known = [name for name in self._option_string_actions if name.startswith("--")]
        for word in words:
            name = word.partition("=")[0]
            if name.startswith("--") and (close := get_close_matches(name, known, 1)):
                return f" Did you mean {close[0]!r}?"
        return ""


def choose_systems(known: Iterable[str], wanted: Sequence[str] | None) -> list[str]:
    """Return the wanted systems, or all; raise for one that is not known."""
    known = list(known)
    for name in wanted or ():
        if name not in known:
            raise UsageError(f"there is no system {name!r}; there are {', '.join(known)}.")
    return list(wanted or known)


def check_value(name: str, value: str) -> None:
    """Raise if version 0.3 removed this value of an option."""
    if advice := removed.OPTIONS.get(f"{name} {value}"):
        raise UsageError(f"{name} {value} was removed in version 0.3: {advice}.")


def read_config(
    parser: Parser, command: str, arguments: Sequence[str], commands: Collection[str]
) -> None:
    """Set a parser's defaults to the values in the file that ``--config`` names, if it is given."""
    for each in parser._actions:
        if isinstance(each, argparse._SubParsersAction) and arguments:
            parser = each.choices.get(arguments[0], parser)
    actions = {_key(action): action for action in parser._actions if action.dest != "help"}
    if actions.pop("config", None) is None:
        return
    finder = Parser(prog=parser.prog, add_help=False)
    finder.add_argument("--config")
    path: str | None = finder.parse_known_args(arguments)[0].config
    if path is None:
        return
    text, settings = _read(path, command, commands)
    for key, value in settings.items():
        name = removed.RENAMED.get(f"{command} --{key}", key).lstrip("-")
        action = actions.get(name) or actions.get(name.replace("_", "-"))
        if action is None:
            what = f"albeit {command} has no option {key!r}."
            hint = f"It has {', '.join(sorted(actions))}."
            raise InputError(what, path=path, line=_line(text, key), hint=hint)
        try:
            action.default = _parse(parser, action, value)
        except ArgumentError as error:
            raise InputError(f"{error}.", path=path, line=_line(text, key)) from None
        action.required = False


def _key(action: Action) -> str:
    """Return the name of an option in a file: its longest name, without dashes."""
    return max(action.option_strings, key=len).lstrip("-") if action.option_strings else action.dest


def _read(path: str, command: str, commands: Collection[str]) -> tuple[str, dict[str, Any]]:
    """Return the file's text, and its settings for this command."""
    from albeit.data.files import readable  # other commands print their help without it

    with readable(path):
        text = Path(path).read_text(encoding="utf-8")
    try:
        document = tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        at = re.search(r"\(at line (\d+)", str(error))
        line = int(at[1]) if at else None
        raise InputError(f"is not TOML: {error}.", path=path, line=line) from None
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    for key in tables:
        if key not in commands:
            what, hint = f"there is no command {key!r}.", f"There are {', '.join(commands)}."
            raise InputError(what, path=path, line=_line(text, key), hint=hint)
    settings = {key: value for key, value in document.items() if key not in tables}
    return text, settings | tables.get(command, {})


def _parse(parser: Parser, action: Action, value: object) -> object:
    """Let argparse check the value as on the command line."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise ArgumentError(None, f"{_key(action)} takes true or false")
        return value
    several = action.nargs in ("*", "+")
    values = value if isinstance(value, list) else [value]
    if any(isinstance(v, list | dict | bool) for v in values) or (not several and len(values) != 1):
        kind = "a list of strings or numbers" if several else "one string or number"
        raise ArgumentError(None, f"{_key(action)} takes {kind}")
    if not values and action.nargs == "+":
        raise ArgumentError(action, "expected at least one argument")
    parsed: object = parser._get_values(action, [str(v) for v in values])
    return parsed


def _line(text: str, key: str) -> int | None:
    """Return the line of a key in the file."""
    pattern = re.compile(rf"""^\s*\[?\s*["']?{re.escape(key)}["']?\s*[=\].]""")
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if pattern.match(line)), None)
