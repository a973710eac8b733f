"""HTML and SGML character references in text: counting them, and resolving them on request.

Only references that end in a semicolon count: ``&copy 2012`` is text, ``&copy;`` is a
reference. A reference without a meaning (``&foo;``, ``&#0;``) is left as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape as _html_unescape
from html.entities import html5

__all__ = ["count_entity_lines", "escape_markup", "unescape_line", "unescape_markup"]

_REFERENCE = re.compile(r"&(#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{0,40});")
_MARKUP = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def _number(reference: str) -> str | None:
    """The character of ``&#39;`` or ``&#x27;``; ``None`` where there is no such character."""
    value = _html_unescape(reference)
    return None if value == reference or value in ("", "\ufffd") else value


def _resolve(match: re.Match[str]) -> str:
    name = match[1]
    value = _number(match[0]) if name[0] == "#" else html5.get(name + ";")
    # A line must stay one line, whatever a reference says.
    return match[0] if value is None else value.replace("\n", " ").replace("\r", " ")


def _resolve_markup(match: re.Match[str]) -> str:
    name = match[1]
    value = _number(match[0]) if name[0] == "#" else _MARKUP.get(name)
    return match[0] if value is None else value


def unescape_line(line: str) -> str:
    """Resolve every known HTML reference; a line break among them becomes a space."""
    return _REFERENCE.sub(_resolve, line) if "&" in line else line


def unescape_markup(text: str) -> str:
    """Resolve what SGML and XML themselves define: five names, and numbers."""
    return _REFERENCE.sub(_resolve_markup, text) if "&" in text else text


def escape_markup(text: str) -> str:
    """Write text so that :func:`unescape_markup` gives it back."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def count_entity_lines(lines: Iterable[str]) -> int:
    """How many lines hold at least one HTML reference with a meaning."""
    return sum("&" in line and unescape_line(line) != line for line in lines)
