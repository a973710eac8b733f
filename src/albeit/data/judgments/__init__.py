"""Human judgments: rankings, preferences between two translations, ratings.

:class:`Pairs` are preferences between two systems on one segment (five-way rankings become all
their pairs). :class:`Ratings` are numbers for one system on one segment (direct assessment, MQM).
Each can be converted to the other.
"""

from albeit.data.judgments.read import read_judgments
from albeit.data.judgments.shapes import Pairs, Ratings, is_human_reference

__all__ = ["Pairs", "Ratings", "is_human_reference", "read_judgments"]
