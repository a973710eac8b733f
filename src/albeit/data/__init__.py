"""Test sets, human judgments, scores of other tools, and their file formats."""

from albeit.data.build import BLANK_LINES, build_evalset, read_docids
from albeit.data.corpus import Corpus
from albeit.data.evalset import Document, EvalSet, documents_from_ids
from albeit.data.front import Format, read, write
from albeit.data.textio import read_lines, write_lines

__all__ = [
    "BLANK_LINES",
    "Corpus",
    "Document",
    "EvalSet",
    "Format",
    "build_evalset",
    "documents_from_ids",
    "read",
    "read_docids",
    "read_lines",
    "write",
    "write_lines",
]
