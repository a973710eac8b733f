"""A suspect: words of a translation that may be a fault, and what would stand there instead.

Rules find suspects (:mod:`albeit.flags.exchanges`, :mod:`albeit.flags.straying`); evidence is
gathered for each and becomes a probability (:mod:`albeit.flags.model`).
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CONNECTIVES", "PRONOUNS", "TERMS", "Suspect"]

PRONOUNS = "pronouns in context"
CONNECTIVES = "connectives"
TERMS = "terms"


@dataclass(frozen=True, slots=True)
class Suspect:
    """Some characters of one line of one system, and what the mend puts there.

    :param kind: the row of the profile that it belongs to
    :param system: whose line it is
    :param line: the line's number in the set, from 0
    :param start: its first character in the line
    :param end: the character after its last
    :param said: the class of the words that stand there: ``he``, ``Comparison``, a term's key
    :param wanted: the class of what the reference (of terms: the rest of the text) has there
    :param suggestion: the words that the mend puts there
    :param mended: the whole line after the mend
    :param nearness: from 0 to 1, how surely the reference has the other words at this very place
    :param reference: the number of the reference that it was found by, from 0
    """

    kind: str
    system: str
    line: int
    start: int
    end: int
    said: str
    wanted: str
    suggestion: str
    mended: str
    nearness: float = 1.0
    reference: int = 0
