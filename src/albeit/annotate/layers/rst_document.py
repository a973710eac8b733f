"""Rhetorical structure of a whole document: one tree over the EDUs of all its sentences."""

from __future__ import annotations

from albeit.annotate.layers.rst import RstLayer
from albeit.corpus.levels import Unit

__all__ = ["RST_DOCUMENT"]


class _RstDocument(RstLayer):
    """As the tree of a line; every sentence is a subtree."""

    name = "rst-document"
    unit = Unit.DOCUMENT


RST_DOCUMENT = _RstDocument()
