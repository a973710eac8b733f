"""A test set with what people said of it, and scores beside that."""

from albeit.judged.judged_set import (
    FOUND,
    JudgedSet,
    find_judgments,
    join,
    read_judged,
    with_judgments,
)
from albeit.judged.task import Task, oriented, usual_margin
from albeit.judged.tree import Tree

__all__ = [
    "FOUND",
    "JudgedSet",
    "Task",
    "Tree",
    "find_judgments",
    "join",
    "oriented",
    "read_judged",
    "usual_margin",
    "with_judgments",
]
