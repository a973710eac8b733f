"""Write tables as text, JSON, TSV, LaTeX, Markdown, or HTML, and read scores back from JSON.

JSON has one object per row, by column name. A cell with an interval, marks, or details is an object
(``value``, ``low``, ``high``, ``marks``, …), any other its plain value. TSV has them as columns
``NAME.low`` and so on. An undefined number is ``null`` in JSON and an empty field in TSV.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import starmap
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np

from albeit.data.textio import read_text
from albeit.metrics import AlbeitError, AlbeitWarning, Document, InputError, Signature, Unit
from albeit.metrics.table import Column, Confidence, ScoreTable
from albeit.report.page import plain_page
from albeit.report.table import MISSING, Cell, Table, plain


def render(
    tables: Table | Sequence[Table], form: str = "text", warnings: Sequence[str] | None = None
) -> str:
    """Write tables in one format, as text that ends in a newline.

    :param tables: one or several, as those of :mod:`albeit.report.scores`
    :param form: one of :data:`FORMATS`
    :param warnings: what JSON and HTML repeat
    :return: the text in the format

    >>> import albeit
    >>> from albeit.report.scores import score_table
    >>> table = albeit.score(albeit.read("examples/demo", systems=["careful"]), ["chrf"])
    >>> albeit.render(score_table(table), "tsv").splitlines()[0].split()
    ['system', 'chrf']
    """
    if form not in FORMATS:
        raise AlbeitError(f"unknown format {form!r}; there are {', '.join(FORMATS)}.")
    tables = (tables,) if isinstance(tables, Table) else tables
    if warnings is not None:
        tables = [replace(table, meta={**table.meta, "warnings": warnings}) for table in tables]
    text = FORMATS[form](tuple(tables))
    return text if text.endswith("\n") else text + "\n"


def write_json(content: object, indent: int = 1) -> str:
    """Write JSON, with ``null`` for undefined numbers."""
    return json.dumps(plain(content), ensure_ascii=False, indent=indent, allow_nan=False) + "\n"


def _text(tables: Sequence[Table]) -> str:
    from albeit.report.terminal import render_text

    return render_text(tables)


def _json(tables: Sequence[Table]) -> str:
    """Write one object for one table, a list for several."""
    records = [_json_table(table) for table in tables]
    return write_json(records[0] if len(records) == 1 else records, indent=2)


def _json_table(table: Table) -> dict[str, object]:
    caption = {"caption": table.caption} if table.caption else {}
    rows = [
        ({"group": row.group} if row.group else {})
        | {c.name: _json_cell(cell) for c, cell in zip(table.columns, row.cells, strict=True)}
        for row in table.rows
    ]
    notes = {"notes": table.notes} if table.notes else {}
    return {**caption, **table.meta, "rows": rows, **notes}


def _json_cell(cell: Cell) -> object:
    marks = {"marks": cell.marks} if cell.marks else {}
    extras = {**_interval(cell), **marks, **cell.details}
    return {"value": cell.value, **extras} if extras else cell.value


def _interval(cell: Cell) -> dict[str, float]:
    return {} if cell.interval is None else dict(zip(("low", "high"), cell.interval, strict=True))


def _tsv(table: Table) -> str:
    """Write one header line and one line per row, with exact numbers and without notes."""
    groups = any(row.group for row in table.rows)
    header = ["group"] if groups else []
    lines = [[row.group] if groups else [] for row in table.rows]
    for i, column in enumerate(table.columns):
        details = [{**_interval(row.cells[i]), **row.cells[i].details} for row in table.rows]
        keys = dict.fromkeys(key for own in details for key in own)
        header += [column.name, *(f"{column.name}.{key}" for key in keys)]
        for line, row, own in zip(lines, table.rows, details, strict=True):
            line += map(_tsv_field, (row.cells[i].value, *map(own.get, keys)))
    return "".join("\t".join(line) + "\n" for line in [header, *lines])


def _tsv_field(value: object) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, float) else " ".join(str(value).split("\t"))


def _values(table: Table) -> str:
    """Write the bare numbers for scripts: one line per row; an undefined number is ``nan``."""
    numeric = [i for i, column in enumerate(table.columns) if column.align == "right"]
    rows = [[row.cells[i].value for i in numeric] for row in table.rows]
    numbers = ([value for value in row if not isinstance(value, str)] for row in rows)
    return "".join(
        "\t".join("nan" if n is None else repr(n) for n in row) + "\n" for row in numbers
    )


_NAMES = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum"}
_NAMES |= {"<": "less", ">": "greater", "|": "bar"}
_SYMBOLS = {"↑": "uparrow", "↓": "downarrow", "±": "pm", "†": "dagger", "‡": "ddagger"}
_LATEX = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_{}"}
    | {mark: rf"\text{name}{{}}" for mark, name in _NAMES.items()}
    | {mark: rf"$\{name}$" for mark, name in _SYMBOLS.items()}
    | {MISSING: "--"}
)


def escape_latex(text: str) -> str:
    """Escape text so that LaTeX prints it unchanged."""
    return text.translate(_LATEX)


def _latex(table: Table) -> str:
    """Write a table that needs ``booktabs``."""
    caption = [f"  \\caption{{{escape_latex(table.caption)}}}"] if table.caption else []
    aligns = "".join(column.align[0] for column in table.columns)
    lines = ["\\begin{table}", "  \\centering", *caption, f"  \\begin{{tabular}}{{{aligns}}}"]
    lines += ["    \\toprule", *_latex_groups(table)]
    lines.append(_latex_line(escape_latex(column.heading) for column in table.columns))
    for group, rows in table.row_groups() or [("", [])]:
        lines.append("    \\midrule")
        if group:
            name = f"\\textit{{{escape_latex(group)}}}"
            lines.append(_latex_line([f"\\multicolumn{{{len(table.columns)}}}{{l}}{{{name}}}"]))
        lines += [_latex_line(starmap(_latex_cell, table.texts(row))) for row in rows]
    notes = [f"  \\par\\footnotesize {escape_latex(note)}" for note in table.notes]
    return "\n".join([*lines, "    \\bottomrule", "  \\end{tabular}", *notes, "\\end{table}"])


def _latex_groups(table: Table) -> list[str]:
    cells, rules, start = [], [], 1
    for group, width in table.column_groups():
        cells.append(f"\\multicolumn{{{width}}}{{c}}{{{escape_latex(group)}}}")
        if group:
            rules.append(f"\\cmidrule(lr){{{start}-{start + width - 1}}}")
        start += width
    return [_latex_line(cells), "    " + " ".join(rules)] if cells else []


def _latex_cell(cell: Cell, text: str) -> str:
    text = _emphasize(cell, escape_latex(text), r"\textbf{{{}}}", r"\textit{{{}}}")
    marks = escape_latex(cell.marks).replace("$", "")
    return f"{text}$^{{{marks}}}$" if marks else text


def _latex_line(cells: Iterable[str]) -> str:
    return "    " + " & ".join(cells) + r" \\"


def _emphasize(cell: Cell, text: str, bold: str, italic: str) -> str:
    text = italic.format(text) if cell.italic else text
    return bold.format(text) if cell.bold else text


def _markdown(table: Table) -> str:
    """Write a pipe table."""
    lines = [f"**{_escape_markdown(table.caption)}**", ""] if table.caption else []
    columns = table.columns
    headings = [f"{column.group} {column.heading}".lstrip() for column in columns]
    lines.append(_markdown_line(map(_escape_markdown, headings)))
    lines.append(_markdown_line("---" if c.align == "left" else "---:" for c in columns))
    for group, rows in table.row_groups():
        if group:
            name = f"*{_escape_markdown(group)}*"
            lines.append(_markdown_line([name, *[""] * (len(columns) - 1)]))
        lines += [_markdown_line(starmap(_markdown_cell, table.texts(row))) for row in rows]
    notes = ["", *(f"- {_escape_markdown(note)}" for note in table.notes)] if table.notes else []
    return "\n".join([*lines, *notes]) + "\n"


def _markdown_cell(cell: Cell, text: str) -> str:
    text = _emphasize(cell, _escape_markdown(text), "**{}**", "_{}_")
    return text + _escape_markdown(cell.marks)


def _escape_markdown(text: str) -> str:
    return re.sub(r"[\\|*_<`\[]", r"\\\g<0>", text)


def _markdown_line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _html(tables: Sequence[Table]) -> str:
    """Write one page with all tables, in the report's style."""
    title = next((table.caption for table in tables if table.caption), "albeit")
    return plain_page(title, "\n".join([_read_first(tables), *map(html_table, tables)]))


def _read_first(tables: Sequence[Table]) -> str:
    """Write the warnings about the results as a box."""
    listed: Any = tables[0].meta.get("warnings") if tables else ()
    items = "".join(f"<li>{escape(each)}</li>" for each in listed or ())
    box = f'<h2>Read this first</h2><ul class="warnings">{items}</ul>'
    return f'<aside class="card read-first">{box}</aside>' if items else ""


def html_table(table: Table) -> str:
    """Write one table as a part of a page, such as a notebook."""
    lines = ['<figure class="wide">']
    if table.caption:
        lines.append(f"<figcaption>{escape(table.caption)}</figcaption>")
    lines += ["<table>", "<thead>"]
    if groups := table.column_groups():
        cells = (f'<th colspan="{width}">{escape(group)}</th>' for group, width in groups)
        lines += ['<tr class="groups">', *cells, "</tr>"]
    headings = (
        f'<th scope="col" class="{c.align}">{escape(c.heading)}</th>' for c in table.columns
    )
    lines += ["<tr>", *headings, "</tr>", "</thead>"]
    aligns = [column.align for column in table.columns]
    for group, rows in table.row_groups():
        lines.append("<tbody>")
        if group:
            span = f'colspan="{len(aligns)}" scope="rowgroup"'
            lines.append(f"<tr><th {span}>{escape(group)}</th></tr>")
        for row in rows:
            texts = (
                _emphasize(cell, escape(text + cell.marks), "<strong>{}</strong>", "<em>{}</em>")
                for cell, text in table.texts(row)
            )
            lines += ["<tr>", *map('<td class="{}">{}</td>'.format, aligns, texts), "</tr>"]
        lines.append("</tbody>")
    notes = ["<ul>", *(f"<li>{escape(note)}</li>" for note in table.notes), "</ul>"]
    return "\n".join([*lines, "</table>", *(notes if table.notes else []), "</figure>"])


FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "text": _text,
    "json": _json,
    "tsv": lambda tables: "\n".join(map(_tsv, tables)),
    "latex": lambda tables: "\n\n".join(["% \\usepackage{booktabs}", *map(_latex, tables)]),
    "markdown": lambda tables: "\n".join(map(_markdown, tables)),
    "html": _html,
    "value": lambda tables: "".join(map(_values, tables)),
}
"""Format to the function that writes it."""

_HINT = "Use what 'albeit score -f json' prints, or a folder of 'albeit score --out'."


def read_results(path: str | Path) -> ScoreTable:
    """Read the scores of systems that ``_json`` wrote, and repeat the warnings."""
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}.", path=path, hint=_HINT) from None
    try:
        table = _score_table(content)
        for each in content.get("warnings", ()):
            warn(AlbeitWarning(str(each)), stacklevel=2)
        return table
    except InputError as error:
        raise InputError(str(error), path=path, hint=_HINT) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"does not have the scores of systems ({error!r})."
        raise InputError(what, path=path, hint=_HINT) from None


def _score_table(content: Mapping[str, Any]) -> ScoreTable:
    rows, name, segments = content["rows"], str(content["name"]), int(content["segments"])
    if segments < 1:
        raise InputError(f"has {segments} segments.")
    if any("segment" in row or "document" in row for row in rows):
        raise InputError("has scores of documents or segments, not of systems.")
    columns = {
        metric: _column(metric, str(signature), [row[metric] for row in rows], content)
        for metric, signature in content["signatures"].items()
    }
    if not rows or not columns:
        raise InputError("has no scores.")
    systems = tuple(str(row["system"]) for row in rows)
    languages = content["source_lang"], content["target_lang"]
    documents = (Document(name, 0, segments),)
    return ScoreTable(systems, documents, columns, name, languages, has_documents=False)


def _column(name: str, signature: str, cells: list[Any], content: Mapping[str, Any]) -> Column:
    values = [cell["value"] if isinstance(cell, dict) else cell for cell in cells]
    how = content.get("confidence", {}).get(name)
    intervals = confidence = None
    if how:
        intervals = np.array([[cell["low"], cell["high"]] for cell in cells], dtype=np.float64)
        confidence = Confidence(how["level"], how["resamples"], how["seed"], Unit(how["unit"]))
    return Column(
        name,
        Signature(signature, version=""),
        name not in content["lower_is_better"],
        np.array(values, dtype=np.float64),
        metric=None,
        intervals=intervals,
        confidence=confidence,
    )
