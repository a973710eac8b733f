"""Read ``--config FILE.toml``: options in a file instead of on the command line.

Keys are the long names of options and of positional arguments, without leading dashes, at the top
or under ``[COMMAND]`` if a file serves several commands. The command line overrides the file.
"""

from __future__ import annotations

import re
import tomllib
from argparse import SUPPRESS, Action
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from albeit.cli.parser import Parser, UsageError
from albeit.errors import InputError


def set_defaults(
    parser: Parser, command: str, arguments: Sequence[str], commands: Collection[str]
) -> None:
    """Set a parser's defaults to the values in the file that ``--config`` names."""
    actions = {_key(action): action for action in parser._actions if action.dest != "help"}
    finder = Parser(prog=parser.prog, add_help=False)
    finder.add_argument("--config")
    path: str | None = finder.parse_known_args(arguments)[0].config
    if path is None or "config" not in actions:
        return
    del actions["config"]
    text, settings = _read(path, command, commands)
    for key, value in settings.items():
        action = actions.get(key) or actions.get(key.replace("_", "-"))
        if action is None:
            raise InputError(
                f"albeit {command} has no option {key!r}.",
                path=path,
                line=_line(text, key),
                hint=f"It has {', '.join(sorted(actions))}.",
            )
        try:
            action.default = _parse(parser, action, value)
        except UsageError as error:
            what = str(error).split(" See: ")[0]
            raise InputError(what, path=path, line=_line(text, key)) from None
        action.required = False


def _key(action: Action) -> str:
    """Return the name of an option in a file: its longest name, without dashes."""
    return max(action.option_strings, key=len).lstrip("-") if action.option_strings else action.dest


def _read(path: str, command: str, commands: Collection[str]) -> tuple[str, dict[str, Any]]:
    """Return the file's text, and its settings for this command."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", path=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8.", path=path) from None
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        at = re.search(r"\(at line (\d+)", str(error))
        line = int(at[1]) if at else None
        raise InputError(f"is not TOML: {error}.", path=path, line=line) from None
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    for key in tables:
        if key not in commands:
            raise InputError(
                f"there is no command {key!r}.",
                path=path,
                line=_line(text, key),
                hint=f"A table may be named {', '.join(commands)}.",
            )
    settings = {key: value for key, value in document.items() if key not in tables}
    return text, settings | tables.get(command, {})


def _parse(parser: Parser, action: Action, value: object) -> object:
    """Let argparse check the value as on the command line."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise UsageError(f"{_key(action)} takes true or false.")
        return value
    several = action.nargs in ("*", "+")
    values = value if isinstance(value, list) else [value]
    if any(isinstance(v, list | dict | bool) for v in values) or (not several and len(values) != 1):
        kind = "a list of strings or numbers" if several else "one string or number"
        raise UsageError(f"{_key(action)} takes {kind}.")
    words = [str(v) for v in values]
    probe = Parser(prog=parser.prog, argument_default=SUPPRESS, add_help=False)
    probe._add_action(action)
    if not action.option_strings:
        words = ["--", *words]
    elif several:
        words = [action.option_strings[-1], *words]
    else:
        words = [f"{action.option_strings[-1]}={words[0]}"]
    parsed: object = getattr(probe.parse_args(words), action.dest)
    return parsed


def _line(text: str, key: str) -> int | None:
    """Return the line of a key in the file."""
    pattern = re.compile(rf"""^\s*\[?\s*["']?{re.escape(key)}["']?\s*[=\].]""")
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if pattern.match(line)), None)
