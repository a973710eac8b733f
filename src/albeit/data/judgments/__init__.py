"""What people said of translations: rankings, preferences between two, ratings.

Two shapes hold everything. :class:`Pairs` are preferences between two systems on one
segment (five-way rankings become all their pairs); :class:`Ratings` are numbers for one
system on one segment (direct assessment, MQM). Either turns into the other.
"""

from albeit.data.judgments.raters import (
    Agreement,
    MarkedError,
    agreement,
    read_errors,
    read_mqm,
    standardised,
)
from albeit.data.judgments.ratings import read_ratings
from albeit.data.judgments.read import (
    Rankings,
    read_judgments,
    read_pairwise,
    read_rankings,
)
from albeit.data.judgments.shapes import Pairs, Ratings, is_human_reference

__all__ = [
    "Agreement",
    "MarkedError",
    "Pairs",
    "Rankings",
    "Ratings",
    "agreement",
    "is_human_reference",
    "read_errors",
    "read_judgments",
    "read_mqm",
    "read_pairwise",
    "read_rankings",
    "read_ratings",
    "standardised",
]
