"""Documents without lines: each reference segment gets the stretch that belongs to it."""

from albeit.resegment.offsets import read_offsets, write_offsets
from albeit.resegment.segment import Segmentation, Way, segment_text
from albeit.resegment.sets import Resegmented, resegment

__all__ = [
    "Resegmented",
    "Segmentation",
    "Way",
    "read_offsets",
    "resegment",
    "segment_text",
    "write_offsets",
]
