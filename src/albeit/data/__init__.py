"""Test sets, human judgments, scores of other tools, and their file formats."""

from typing import TYPE_CHECKING

from albeit.data.build import BLANK_LINES, build_evalset, read_docids
from albeit.data.corpus import Corpus
from albeit.data.evalset import Document, EvalSet, documents_from_ids
from albeit.data.front import Format, read, write
from albeit.data.textio import read_lines, write_lines

if TYPE_CHECKING:
    from albeit.data.scores import ScoreFile, read_score_table, read_scores, write_scores

__all__ = [
    "BLANK_LINES",
    "Corpus",
    "Document",
    "EvalSet",
    "Format",
    "ScoreFile",
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

if not TYPE_CHECKING:  # few commands read files of scores

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'albeit.data' has no attribute {name!r}")
        from albeit.data import scores

        return getattr(scores, name)
