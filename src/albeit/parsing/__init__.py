"""Annotate texts and documents: layers, annotators, and the store of annotations.

Names are imported when they are used, because many metrics read plain text only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from albeit.parsing.annotation import annotate, annotate_documents, version

__all__ = ["annotate", "annotate_documents", "version"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("albeit.parsing.annotation"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
