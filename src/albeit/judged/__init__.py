"""A test set with what people said of it, and scores beside that."""

from albeit.judged.task import Task, oriented

__all__ = ["Task", "oriented"]
