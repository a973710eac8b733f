"""Reference pages of the site, from the program: commands with their options, and docstrings.

A line ``[commands]`` of a page is replaced by all commands, ``[removed]`` by removed names.
Examples in docstrings become blocks of code, and roles such as ``:func:`albeit.read``` links.
"""

from __future__ import annotations

import html
import inspect
import re
from argparse import SUPPRESS, Action, HelpFormatter
from collections.abc import Iterator
from typing import Any

from griffe import Extension as DocstringExtension
from griffe import Object
from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

import albeit
from albeit import removed
from albeit.cli import COMMANDS, command_parser
from albeit.cli.parser import Parser


def list_parsers() -> Iterator[Parser]:
    """Yield the parser of each command, or of its actions (``act score``)."""
    for parser in map(command_parser, COMMANDS):
        actions = [each.choices for each in parser._actions if isinstance(each.choices, dict)]
        yield from actions[0].values() if actions else [parser]


def describe_commands() -> Iterator[str]:
    """Yield lines of Markdown: a heading, a description, and tables of options per command."""
    for parser in list_parsers():
        about, _, rest = (inspect.getdoc(parser.kind) or "").partition("\n\n")
        examples = [f"    {each}" for each in rest.partition(":param")[0].splitlines()]
        yield from (f"## {parser.prog}", "", about, "", *examples, "")
        for group in parser._action_groups:
            rows = [describe_option(parser, each) for each in group._group_actions]
            head = (f"| {group.title} | Description |", "| --- | --- |") if rows else ()
            yield from (*head, *filter(None, rows), "")


def describe_option(parser: Parser, action: Action) -> str:
    """Return one row of a table; nothing for a hidden option."""
    if action.help == SUPPRESS:
        return ""
    formatter = HelpFormatter(parser.prog)
    cells = formatter._format_action_invocation(action), formatter._expand_help(action)
    names, text = (html.escape(cell).replace("|", "&#124;") for cell in cells)
    return f"| <code>{names}</code> | {text} |"


def list_removed() -> Iterator[str]:
    """Yield the rows of a table of names that the program replaces or refuses."""
    yield from ("| Name | Replacement |", "| --- | --- |")
    for table in (removed.COMMANDS, removed.OPTIONS, removed.METRICS, removed.PARAMETERS):
        yield from (f"| `{name}` | {text} |" for name, text in table.items())


class Generated(Preprocessor):
    """Replace lines such as ``[commands]``."""

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines of a page."""
        pages = {"[commands]": describe_commands, "[removed]": list_removed}
        return [new for line in lines for new in (pages[line]() if line in pages else [line])]


class Reference(Extension):
    """The extension of Python-Markdown."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Add the preprocessor."""
        md.preprocessors.register(Generated(md), "commands", 100)


class Docstrings(DocstringExtension):
    """The extension of griffe, which reads docstrings for mkdocstrings."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Convert one docstring."""
        if obj.docstring:
            obj.docstring.value = to_markdown(obj.docstring.value)


def to_markdown(text: str) -> str:
    """Return a docstring with blocks of code and links."""
    text = re.sub(r":[a-z]+:`~?([\w.]+)`", link, text)
    return re.sub(r"(?m)^>>> (?:.+\n?)+", r"```pycon\n\g<0>\n```\n", text)


def link(role: re.Match[str]) -> str:
    """Return a link to a public name; other names are code."""
    name = role[1].removeprefix("albeit.")
    return f"[`{role[1]}`][albeit.{name}]" if name in albeit.__all__ else f"`{role[1]}`"
