"""A likely fault in a translation, as one value: a place, a kind, a message, a probability.

Checks of one translation against its source and flags of the profile are such values, so that
they are sorted, printed, exported and counted in one way.
"""

from __future__ import annotations

from dataclasses import dataclass

from albeit.errors import AlbeitError

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Some characters of one line of a translation that are likely to be wrong.

    :param kind: what sort of fault, in one word: ``numbers``, ``names``, ``terms``
    :param line: number of the line, from 1
    :param start: first character of the place in that line, from 0
    :param end: the character after its last; equal to ``start`` where something is missing
    :param message: what is wrong, in plain English, without the place
    :param probability: how likely it is that an editor would call this a fault, from 0 to 1
    :param suggestion: what could stand there instead, or ``None``
    :param evidence: what speaks for and against it, as pairs of a name and words

    >>> Finding("numbers", 3, 10, 12, "the source has 17 here", 0.9, "17").to_json()["line"]
    3
    """

    kind: str
    line: int
    start: int
    end: int
    message: str
    probability: float
    suggestion: str | None = None
    evidence: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if self.line < 1 or not 0 <= self.start <= self.end:
            raise AlbeitError(
                f"a finding of kind {self.kind!r} is nowhere: line {self.line}, characters"
                f" {self.start} to {self.end}. Lines count from 1, characters from 0."
            )
        if not 0 <= self.probability <= 1:
            raise AlbeitError(
                f"a finding of kind {self.kind!r} has probability {self.probability}; it must be"
                " from 0 to 1."
            )

    @property
    def place(self) -> tuple[int, int, int]:
        """Line and characters, by which findings are sorted in the order of the text."""
        return self.line, self.start, self.end

    def to_json(self) -> dict[str, object]:
        """All fields by name; evidence is a list of objects with ``name`` and ``words``."""
        return {
            "kind": self.kind,
            "line": self.line,
            "start": self.start,
            "end": self.end,
            "message": self.message,
            "probability": self.probability,
            "suggestion": self.suggestion,
            "evidence": [{"name": name, "words": words} for name, words in self.evidence],
        }
