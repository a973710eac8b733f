"""A test set with what people said of it, and scores beside that."""

from albeit.judged.folder import find_judgments, read_judged
from albeit.judged.judged_set import JudgedSet, join
from albeit.judged.task import Task, oriented

__all__ = ["JudgedSet", "Task", "find_judgments", "join", "oriented", "read_judged"]
