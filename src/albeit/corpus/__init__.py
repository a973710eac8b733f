"""What is evaluated, what people said of it, and the formats both come in."""

from albeit.corpus.build import BLANK_LINES, build_evalset, read_docids
from albeit.corpus.front import FORMATS, read, write
from albeit.corpus.model import Document, EvalSet, Segment, documents_from_ids
from albeit.corpus.textio import read_lines, write_lines

__all__ = [
    "BLANK_LINES",
    "FORMATS",
    "Document",
    "EvalSet",
    "Segment",
    "build_evalset",
    "documents_from_ids",
    "read",
    "read_docids",
    "read_lines",
    "write",
    "write_lines",
]
