"""Resegmentation: cut documents without line breaks to the reference's segments."""

from albeit.resegment.sets import METHOD, Resegmented, read_offsets, resegment, write_offsets

__all__ = ["METHOD", "Resegmented", "read_offsets", "resegment", "write_offsets"]
