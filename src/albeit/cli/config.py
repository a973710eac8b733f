"""``--config FILE.toml``: long set-ups in a file instead of on the command line.

Keys are the long options' names and those of the positional arguments, without dashes in
front. They stand at the top, or under ``[COMMAND]`` where one file serves several
commands. What is given on the command line wins.
"""

from __future__ import annotations

import re
import tomllib
from argparse import SUPPRESS, Action, Namespace
from collections.abc import Sequence
from pathlib import Path

from albeit.cli.parser import Parser, UsageError
from albeit.errors import InputError


def parse_with_config(parser: Parser, command: str, arguments: Sequence[str]) -> Namespace:
    """Parse a command's arguments, with defaults from the file that ``--config`` names."""
    actions = {_key(action): action for action in parser._actions if action.dest != "help"}
    if "config" not in actions:
        return parser.parse_args(arguments)
    finder = Parser(prog=parser.prog, add_help=False)
    finder.add_argument("--config")
    path: str | None = finder.parse_known_args(arguments)[0].config
    if path is not None:
        parser.set_defaults(**_defaults(parser, actions, command, path))
    return parser.parse_args(arguments)


def _key(action: Action) -> str:
    """The name of an option in a file: its longest spelling, without dashes."""
    return max(action.option_strings, key=len).lstrip("-") if action.option_strings else action.dest


def _defaults(
    parser: Parser, actions: dict[str, Action], command: str, path: str
) -> dict[str, object]:
    text, settings = _read(path, command)
    found: dict[str, object] = {}
    for key, value in settings.items():
        name = key.replace("_", "-") if key not in actions else key
        action = actions.get(name)
        if action is None or name == "config":
            known = ", ".join(sorted(set(actions) - {"config"}))
            raise InputError(
                f"albeit {command} has no option {key!r}.",
                path=path,
                line=_line(text, key),
                hint=f"It has {known}.",
            )
        try:
            found[action.dest] = _parse(parser, action, value)
            action.required = False
        except UsageError as error:
            what = str(error).split(" See: ")[0]
            raise InputError(what, path=path, line=_line(text, key)) from None
    return found


def _read(path: str, command: str) -> tuple[str, dict[str, object]]:
    """The file's text, and the settings in it that are meant for this command."""
    from albeit.cli import COMMANDS

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
    settings = {k: v for k, v in document.items() if not isinstance(v, dict)}
    for key, value in document.items():
        if isinstance(value, dict) and key not in COMMANDS:
            raise InputError(
                f"there is no command {key!r}.",
                path=path,
                line=_line(text, key),
                hint=f"A table may be named {', '.join(COMMANDS)}.",
            )
    own = document.get(command, {})
    return text, settings | (own if isinstance(own, dict) else {})


def _parse(parser: Parser, action: Action, value: object) -> object:
    """Let argparse judge the value as if it stood on the command line."""
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
        parsed = probe.parse_args(["--", *words])
    elif several:
        parsed = probe.parse_args([action.option_strings[-1], *words])
    else:
        parsed = probe.parse_args([f"{action.option_strings[-1]}={words[0]}"])
    found: object = getattr(parsed, action.dest)
    return found


def _line(text: str, key: str) -> int | None:
    """Where a key stands in the file."""
    pattern = re.compile(rf"""^\s*\[?\s*["']?{re.escape(key)}["']?\s*[=\].]""")
    for number, line in enumerate(text.splitlines(), 1):
        if pattern.match(line):
            return number
    return None
