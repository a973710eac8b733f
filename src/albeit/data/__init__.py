"""What is evaluated, what people said of it, and the formats both come in."""

from albeit.data.build import BLANK_LINES, build_evalset, read_docids
from albeit.data.evalset import Document, EvalSet, Segment, documents_from_ids
from albeit.data.formats import Format
from albeit.data.front import read, write
from albeit.data.rows import Head, Rows
from albeit.data.scores import ScoreFile, read_score_table, read_scores, write_scores
from albeit.data.textio import read_lines, write_lines

__all__ = [
    "BLANK_LINES",
    "Document",
    "EvalSet",
    "Format",
    "Head",
    "Rows",
    "ScoreFile",
    "Segment",
    "build_evalset",
    "documents_from_ids",
    "read",
    "read_docids",
    "read_lines",
    "read_score_table",
    "read_scores",
    "write",
    "write_lines",
    "write_scores",
]
