"""What a person reads: tables, explanations and pages.

Build a :class:`~albeit.report.table.Table` (``scores``, ``losses``, ``agreement`` do) and call
:func:`render`; ``formats`` turns tables into text, ``views`` explanations, ``page`` makes the report
that is one file, ``profile`` what holds a text together.
"""

from albeit.report.formats import FORMATS, render
from albeit.report.table import Cell, Heading, Row, Table

__all__ = ["FORMATS", "Cell", "Heading", "Row", "Table", "render"]
