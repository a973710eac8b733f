"""The tables of three papers: our values next to the published ones.

A module per paper has its language pairs (``PAIRS``), its tables (``TABLES``), and a function that
makes them. The published values, and a line per deviation, are in the TOML file of the same name.
``albeit reproduce`` prints the tables.
"""

from albeit.reproduce.papers import HEAD, PAPERS, list_tables, make, page
from albeit.reproduce.sets import Work

__all__ = ["HEAD", "PAPERS", "Work", "list_tables", "make", "page"]
