"""Markdown: pipe tables, with bold and italic, for pages kept beside the code."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.report.table import Row, Table

__all__ = ["render"]


def render(tables: Sequence[Table]) -> str:
    """All tables, parted by an empty line."""
    return "\n".join(_table(table) for table in tables)


def _table(table: Table) -> str:
    lines = [f"**{_escape(table.caption)}**", ""] if table.caption else []
    headings = [_escape(f"{c.group} {c.heading}" if c.group else c.heading) for c in table.columns]
    rules = ["---" if c.align == "left" else "---:" for c in table.columns]
    lines += [_line(headings), _line(rules)]
    for group, rows in table.row_groups():
        if group:
            lines.append(_line([f"*{_escape(group)}*", *[""] * (len(table.columns) - 1)]))
        lines += [_line([_cell(table, row, i) for i in range(len(row.cells))]) for row in rows]
    if table.notes:
        lines += ["", *(f"- {_escape(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _cell(table: Table, row: Row, index: int) -> str:
    cell, text = row.cells[index], _escape(table.text(row, index))
    marks = _escape(cell.marks)
    inner = text.removesuffix(marks)
    style = ("**" if cell.bold else "") + ("_" if cell.italic else "")
    return f"{style}{inner}{style[::-1]}{marks}"


def _escape(text: str) -> str:
    for char in "\\|*_<`[":
        text = text.replace(char, "\\" + char)
    return text


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
