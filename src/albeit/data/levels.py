"""The two words for how fine scores are, used everywhere in the same sense.

A :class:`Unit` is the smallest thing that is scored, analysed or resampled: a segment or a
document. A :data:`Level` is what a table reports: systems, documents or segments.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

Level = Literal["system", "document", "segment"]


class Unit(StrEnum):
    """The smallest thing that is scored, analysed or resampled.

    >>> import albeit
    >>> albeit.metric("cohesion").unit is albeit.Unit.DOCUMENT
    True
    """

    SEGMENT = "segment"
    DOCUMENT = "document"
