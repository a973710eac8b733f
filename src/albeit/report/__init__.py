"""Write readable results: tables, explanations, and HTML reports.

``scores``, ``rankings``, ``act``, and ``profile`` build a :class:`Table`, and :func:`render` writes
it in a format. ``views`` writes explanations, and ``page`` the report as one HTML file.
"""

from albeit.report.formats import FORMATS, render
from albeit.report.table import Cell, Heading, Row, Table

__all__ = ["FORMATS", "Cell", "Heading", "Row", "Table", "render"]
