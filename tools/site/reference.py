"""Reference pages of the site, from the program: commands with their options, and docstrings.

A line ``[commands]`` of a page is replaced by all commands, ``[removed]`` by removed names.
Examples in docstrings become blocks of code, and roles such as ``:func:`albeit.read``` links.
"""

from __future__ import annotations

import html
import re
from argparse import Action
from collections.abc import Iterator
from typing import Any

from griffe import Extension as DocstringExtension
from griffe import Object
from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

import albeit
from albeit import removed
from albeit.cli import list_parsers
from albeit.cli.help import explain, invocation, read_text, sections


def describe_commands() -> Iterator[str]:
    """Yield lines of Markdown: a heading, a description, and tables of options per command."""
    for parser in list_parsers():
        (summary, *blocks), details, _ = read_text(parser.kind)
        code = [f"    {line}" for block in blocks for line in (*block.splitlines(), "")]
        yield from (f"## {parser.prog}", "", summary, "", *code)
        for each in details:
            indent = "    " if each.startswith(" ") else ""
            yield from (*(indent + line for line in each.splitlines()), "")
        for title, actions in sections(parser):
            yield from (f"| {title} | Description |", "| --- | --- |")
            yield from (*map(describe_option, actions), "")


def describe_option(action: Action) -> str:
    """Return one row of a table."""
    cells = invocation(action), explain(action, full=True)
    names, text = (html.escape(cell).replace("|", "&#124;") for cell in cells)
    return f"| <code>{names}</code> | {text} |"


def list_removed() -> Iterator[str]:
    """Yield the rows of a table of names that the program replaces or refuses."""
    yield from ("| Name | Replacement |", "| --- | --- |")
    names = (removed.COMMANDS, removed.OPTIONS, removed.METRICS, removed.PARAMETERS)
    for table in (*names, removed.RENAMED):
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
    """Return a docstring with blocks of code and links, and with its fields at the end."""
    text = re.sub(r":[a-z]+:`~?([\w.]+)`", link, text)
    text = re.sub(r"(?m)^>>> (?:.+\n?)+", r"```pycon\n\g<0>\n```\n", text)
    fields = re.findall(r"(?m)^:(?:.+\n?)+", text)
    return "\n\n".join([re.sub(r"(?m)^:(?:.+\n?)+", "", text), *fields])


def link(role: re.Match[str]) -> str:
    """Return a link to a public name; other names are code."""
    name = role[1].removeprefix("albeit.")
    return f"[`{role[1]}`][albeit.{name}]" if name in albeit.__all__ else f"`{role[1]}`"
