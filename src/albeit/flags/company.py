"""Do the others agree? What other systems, and further references, have in the same line.

Each function gives a number from -1 (all have what was flagged) to 1 (all have what the mend puts
there), 0 where they say nothing, ``None`` where there is nobody to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from albeit.corpus.evalset import EvalSet
from albeit.flags.rules import RULES
from albeit.flags.straying import has_term
from albeit.flags.suspect import Suspect

__all__ = ["other_references", "other_systems", "vote"]


def other_systems(suspect: Suspect, evalset: EvalSet) -> float | None:
    """What the other systems of the set have in that line."""
    lines = (
        lines[suspect.line]
        for name, lines in evalset.systems.items()
        if name != suspect.system and lines[suspect.line].strip()
    )
    return _mean(vote(suspect, _own(suspect, evalset), line) for line in lines)


def other_references(suspect: Suspect, evalset: EvalSet) -> float | None:
    """What references have that the suspect was not found by."""
    lines = [lines[suspect.line] for lines in evalset.references.values()]
    others = (line for n, line in enumerate(lines) if n != suspect.reference and line.strip())
    return _mean(vote(suspect, _own(suspect, evalset), line) for line in others)


def vote(suspect: Suspect, own: str, line: str) -> int:
    """Whether a line that says the same is on the side of the mend (1), of the text (-1), or of none.

    :param own: the line that the suspect stands in

    >>> from albeit.flags.rules import line_suspects, RULES
    >>> [one] = line_suspects(RULES["connectives"], "A", 0, "He came but sat.", "He came so sat.")
    >>> vote(one, "He came but sat.", "Therefore he sat."), vote(one, "He came but sat.", "He sat.")
    (1, 0)
    """
    rule = RULES.get(suspect.kind)
    if rule is None:
        wanted, said = (has_term(line, key) for key in (suspect.wanted, suspect.said))
        return int(wanted) - int(said)

    def count(name: str, text: str) -> int:
        return sum(not rule.apart(name, each) for each in _names(rule.words_of, text))

    more = count(suspect.wanted, line) - count(suspect.wanted, own)
    less = count(suspect.said, own) - count(suspect.said, line)
    if more > 0 and less > 0:
        return 1
    return -1 if more <= 0 and less <= 0 else 0


@lru_cache(maxsize=65536)
def _names(words_of: Callable[[str], Iterable[object]], text: str) -> tuple[str, ...]:
    return tuple(word.name for word in words_of(text))  # type: ignore[attr-defined]


def _own(suspect: Suspect, evalset: EvalSet) -> str:
    return evalset.systems[suspect.system][suspect.line]


def _mean(votes: Iterable[int]) -> float | None:
    found = list(votes)
    return sum(found) / len(found) if found else None
