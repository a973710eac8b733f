"""Test sets, human judgments, scores of other tools, and their file formats."""

from importlib import import_module
from typing import TYPE_CHECKING

from albeit.data.build import *
from albeit.data.corpus import *
from albeit.data.evalset import *
from albeit.data.front import *
from albeit.data.textio import *

if TYPE_CHECKING:
    from albeit.data.scores import *
else:  # few commands read files of scores

    def __getattr__(name: str) -> object:
        if name not in ("ScoreFile", "read_score_table", "read_scores", "write_scores"):
            raise AttributeError(f"module 'albeit.data' has no attribute {name!r}")
        return getattr(import_module("albeit.data.scores"), name)
