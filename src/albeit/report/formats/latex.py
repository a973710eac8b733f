"""LaTeX: a ``table`` with ``booktabs`` rules; bold, italic and marks as people read them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from albeit.report.table import MISSING, Row, Table

__all__ = ["escape", "render"]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "±": r"$\pm$",
    MISSING: "--",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
}
_PATTERN = re.compile("|".join(re.escape(char) for char in _SPECIAL))


def escape(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return _PATTERN.sub(lambda match: _SPECIAL[match.group()], text)


def render(tables: Sequence[Table]) -> str:
    """All tables; needs ``\\usepackage{booktabs}``."""
    return "\n\n".join(["% \\usepackage{booktabs}", *(_table(table) for table in tables)])


def _table(table: Table) -> str:
    aligns = "".join(column.align[0] for column in table.columns)
    lines = ["\\begin{table}", "  \\centering"]
    if table.caption:
        lines.append(f"  \\caption{{{escape(table.caption)}}}")
    lines += [f"  \\begin{{tabular}}{{{aligns}}}", "    \\toprule"]
    if table.has_column_groups:
        lines += _group_headings(table)
    lines += ["    " + _line([escape(column.heading) for column in table.columns]), "    \\midrule"]
    for i, (group, rows) in enumerate(table.row_groups()):
        if i:
            lines.append("    \\midrule")
        if group:
            span = f"\\multicolumn{{{len(table.columns)}}}{{l}}{{\\textit{{{escape(group)}}}}}"
            lines.append(f"    {span} \\\\")
        for row in rows:
            cells = [_cell(table, row, j) for j in range(len(table.columns))]
            lines.append("    " + _line(cells))
    lines += ["    \\bottomrule", "  \\end{tabular}"]
    lines += [f"  \\par\\footnotesize {escape(note)}" for note in table.notes]
    return "\n".join([*lines, "\\end{table}"])


def _group_headings(table: Table) -> list[str]:
    cells, rules, at = [], [], 1
    for group, width in table.column_groups():
        cells.append(f"\\multicolumn{{{width}}}{{c}}{{{escape(group)}}}")
        if group:
            rules.append(f"\\cmidrule(lr){{{at}-{at + width - 1}}}")
        at += width
    return ["    " + _line(cells), "    " + " ".join(rules)]


def _cell(table: Table, row: Row, index: int) -> str:
    cell, text = row.cells[index], table.text(row, index)
    marks = f"$^{{{_superscript(cell.marks)}}}$" if cell.marks else ""
    shown = escape(text.removesuffix(cell.marks))
    if cell.italic:
        shown = f"\\textit{{{shown}}}"
    if cell.bold:
        shown = f"\\textbf{{{shown}}}"
    return shown + marks


def _superscript(marks: str) -> str:
    return escape(marks).replace("$", "")


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
