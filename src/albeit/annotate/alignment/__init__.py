"""Word alignment: the embedded aligner, alignment files of other tools, eflomal."""

from albeit.annotate.alignment.aligner import Aligner, Link, Schedule
from albeit.annotate.alignment.formats import (
    check_links,
    is_giza,
    read_alignment,
    read_giza,
    read_pharaoh,
    write_pharaoh,
)

__all__ = [
    "Aligner",
    "Link",
    "Schedule",
    "check_links",
    "is_giza",
    "read_alignment",
    "read_giza",
    "read_pharaoh",
    "write_pharaoh",
]
