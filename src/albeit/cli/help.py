"""Lay out the help of a command: one screen for ``--help``, everything for ``--help-all``.

The docstring of a class of options is the text: a summary, ``Usage:``, ``Examples:``, details, and
``:param NAME: help``. A paragraph ``Common:`` has the names of the options that ``--help`` shows;
without it, ``--help`` shows all of them. The first sentence of an option's help is a verb phrase.
``--help-all`` adds the details, and the other sentences.
"""

from __future__ import annotations

import re
import textwrap
from argparse import OPTIONAL, SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections.abc import Sequence

from albeit.cli.parser import read_text

_DEFAULT = re.compile(r" \[default: [^]]*\]")

WIDTH = 80
"""Columns of help."""


def sections(parser: ArgumentParser) -> list[tuple[str, list[Action]]]:
    """Return the headings of a command, each with its arguments or options."""
    arguments, helps, *groups = parser._action_groups
    arguments.title, helps.title = "Arguments", "Help"
    every = [(g.title or "", g._group_actions) for g in (arguments, *groups, helps)]
    shown = [(title, [a for a in actions if a.help != SUPPRESS]) for title, actions in every]
    return [(title, actions) for title, actions in shown if actions]


def invocation(action: Action) -> str:
    """Return how to write an option: ``-i, --input FILE...``."""
    metavar = action.metavar or action.dest.replace("_", "-").upper()
    value = metavar if isinstance(metavar, str) else " ".join(metavar)
    if action.nargs == 0:
        value = ""
    elif action.nargs == OPTIONAL and action.option_strings:
        value = f"[{value}]"
    elif action.nargs in ("+", "*"):
        value += "..."
    return f"{', '.join(action.option_strings)} {value}".strip()


def explain(action: Action, *, full: bool) -> str:
    """Return the help of an option, or only its first sentence, with the default."""
    text = (action.help or "").replace("%%", "%")
    default = _DEFAULT.search(text)
    text = _DEFAULT.sub("", text)
    return (text if full else text.partition(". ")[0]) + (default[0] if default else "")


def format_help(parser: ArgumentParser, kind: type, *, full: bool) -> str:
    """Return the help of a command."""
    blocks, details, common = read_text(kind)
    shown = sections(parser)
    if full:
        blocks += [x if x.startswith(" ") else textwrap.fill(x, WIDTH) for x in details]
    else:
        options = {each.dest: each for title, group in shown[:-1] for each in group}
        arguments = [each for each in options.values() if not each.option_strings]
        chosen = [options[name] for name in common or options if options[name] not in arguments]
        shown = [("Arguments", arguments), ("Common options" if common else "Options", chosen)]
    tables = _layout([each for each in shown if each[1]], full=full)
    if not full:
        tables = ["\n".join(tables) + f"\nMore options: {parser.prog} --help-all"]
    return "\n\n".join([*blocks, *tables]) + "\n"


def _layout(shown: Sequence[tuple[str, list[Action]]], *, full: bool) -> list[str]:
    """Return a heading and two columns for each section; all columns have the same width."""
    tables = {}
    for title, actions in shown:
        tables[title] = [(invocation(each), explain(each, full=full)) for each in actions]
        for each in actions:
            if isinstance(each, _SubParsersAction):  # actions, such as 'act score'
                tables[title] = [(a.dest, a.help or "") for a in each._get_subactions()]
    left = min(max(len(name) for rows in tables.values() for name, _ in rows), 24) + 4
    texts = []
    for title, rows in tables.items():
        lines = [f"{title}:"]
        for name, text in rows:
            first, rest = f"  {name:<{left - 2}}", " " * left
            if len(name) > left - 4:
                lines.append(first)
                first = rest
            wrap = textwrap.TextWrapper(WIDTH, first, rest, break_on_hyphens=False)
            lines += wrap.wrap(text)
        texts.append("\n".join(lines))
    return texts
