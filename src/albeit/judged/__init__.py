"""A test set with what people said of it, and scores beside that."""

from albeit.judged.folder import find_judgments, read_judged
from albeit.judged.judged_set import JudgedSet, join
from albeit.judged.task import Task, oriented, usual_margin
from albeit.judged.tree import Tree

__all__ = [
    "JudgedSet",
    "Task",
    "Tree",
    "find_judgments",
    "join",
    "oriented",
    "read_judged",
    "usual_margin",
]
