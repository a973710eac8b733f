"""A report to be read aloud: the figures of each row."""

from collections.abc import Sequence

from albeit.report.table import Table


def render(tables: Sequence[Table]) -> str:
    return "\n".join(", ".join(str(c.value) for c in row.cells) for t in tables for row in t.rows)
