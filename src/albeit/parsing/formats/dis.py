"""Read ``.dis``: RST trees as bracketed text, as RST-DT and GUM (``lisp_binary``) write them.

A tree is ``( Root (span 1 3) ( Nucleus (leaf 1) (rel2par span) (text _!…_!) ) …)``. A file
may hold several trees, one after the other. Trees with more than two children (RST-DT)
are made binary, branching to the right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from albeit.data.textio import whole_number
from albeit.errors import InputError
from albeit.parsing.formats.rst import Part, analysis_of, binary
from albeit.parsing.layers import Analysis, RstNode

__all__ = ["read_dis"]

_TOKEN = re.compile(
    r"(?P<space>\s+)|\(text _!(?P<text>.*?)_!\)|(?P<comment>//[^\n]*)"
    r"|\((?P<key>span|leaf|rel2par|schema|promotion)\b(?P<value>[^()]*)\)|(?P<open>\(\s*(?P<kind>Root|Nucleus|Satellite))"
    r"|(?P<close>\))",
    re.DOTALL,
)


class _Open:
    """A bracket that has not been closed yet."""

    __slots__ = ("kind", "leaf", "line", "parts", "relation", "text")

    def __init__(self, kind: str, line: int) -> None:
        self.kind, self.line = kind, line
        self.relation = ""
        self.leaf: int | None = None
        self.text: str | None = None
        self.parts: list[Part] = []


def read_dis(text: str, *, path: str | Path | None = None) -> list[Analysis]:
    """All trees of a ``.dis`` file, in order."""
    analyses: list[Analysis] = []
    stack: list[_Open] = []
    edus: list[str] = []
    at, line = 0, 1
    for match in _tokens(text, path):
        at = match.end()
        if match["open"]:
            stack.append(_Open(match["kind"], line))
        elif match["close"]:
            done = (
                stack.pop()
                if stack
                else _fail("a bracket is closed that was not opened.", path, line)
            )
            part = _close(done, edus, path)
            if stack:
                stack[-1].parts.append(part)
            else:
                analyses.append(analysis_of(edus, part.node))
                edus = []
        elif match["key"] and stack:
            _property(stack[-1], match["key"], match["value"].strip(), path, line)
        elif match["text"] is not None and stack:
            stack[-1].text = match["text"].removesuffix("<P>").rstrip()
        elif not (match["space"] or match["comment"]):
            _fail(f"{match.group()!r} stands outside of any tree.", path, line)
        line += match.group().count("\n")
    if at < len(text):
        _fail(f"this is no RST tree: {text[at : at + 30]!r}.", path, line)
    if stack:
        _fail(f"the bracket opened on line {stack[-1].line} is never closed.", path, line)
    return analyses


def _tokens(text: str, path: str | Path | None) -> Iterator[re.Match[str]]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return
        yield match
        at = match.end()


def _property(node: _Open, key: str, value: str, path: str | Path | None, line: int) -> None:
    if key == "leaf":
        node.leaf = whole_number(value)
        if node.leaf < 0:
            _fail(f"a leaf's number is {value!r}.", path, line)
    elif key == "rel2par":
        node.relation = value


def _close(node: _Open, edus: list[str], path: str | Path | None) -> Part:
    nucleus = node.kind != "Satellite"
    if node.leaf is None and not node.parts:
        _fail("a node has neither children nor a leaf number.", path, node.line)
    if node.leaf is not None:
        if node.text is None or node.leaf != len(edus) + 1:
            _fail(
                f"leaf {node.leaf} should be leaf {len(edus) + 1}, with its text.", path, node.line
            )
        edus.append(node.text or "")
        return Part(RstNode(node.leaf - 1, node.leaf - 1), nucleus, node.relation)
    try:
        return Part(binary(node.parts), nucleus, node.relation)
    except InputError as error:
        raise InputError(error.what, path=path, line=node.line) from None


def _fail(what: str, path: str | Path | None, line: int) -> _Open:
    raise InputError(what, path=path, line=line, hint="Expected RST trees as in RST-DT (.dis).")
