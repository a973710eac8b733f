"""A test set with what people said of it, and scores beside that."""

from albeit.judged.folder import FOUND, find_judgments, read_judged, with_judgments
from albeit.judged.judged_set import JudgedSet, join
from albeit.judged.task import Task, oriented

__all__ = [
    "FOUND",
    "JudgedSet",
    "Task",
    "find_judgments",
    "join",
    "oriented",
    "read_judged",
    "with_judgments",
]
