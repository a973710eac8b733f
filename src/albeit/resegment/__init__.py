"""Documents without lines: each reference segment gets the stretch that belongs to it."""

from albeit.resegment.offsets import read_offsets, write_offsets
from albeit.resegment.segment import Segmentation, segment_text
from albeit.resegment.sets import METHOD, Resegmented, resegment

__all__ = [
    "METHOD",
    "Resegmented",
    "Segmentation",
    "read_offsets",
    "resegment",
    "segment_text",
    "write_offsets",
]
