"""Word alignment: the embedded aligner, alignment files of other tools, eflomal."""

from albeit.parsing.alignment.aligner import Aligner, Link, Schedule
from albeit.parsing.alignment.formats import (
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
