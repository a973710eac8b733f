"""Evidence of suspects: named pieces, each gathered by one function, and what they say in words.

A gatherer takes all suspects of a set at once, so that a network reads them in one batch, and
returns for each the pieces that it knows. What is not known is missing, never nought. Another
piece of evidence is one more gatherer, one more line in ``WORDS`` and one more weight of the model.

Do the others agree? What other systems, and further references, have in the same line is a number
from -1 (all have what was flagged) to 1 (all have what the mend puts there), 0 where they say
nothing, ``None`` where there is nobody to ask.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache

from albeit.data.evalset import EvalSet
from albeit.diagnose.rules import RULES
from albeit.diagnose.source import side_of_source
from albeit.diagnose.straying import has_term
from albeit.diagnose.suspect import PRONOUNS, TERMS, Suspect
from albeit.diagnose.termhood import is_name, rareness

__all__ = [
    "GATHERERS",
    "Gatherer",
    "Pieces",
    "by_context",
    "by_rules",
    "by_the_judge",
    "gather",
    "in_words",
    "other_references",
    "other_systems",
    "vote",
]


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

    >>> from albeit.diagnose.rules import line_suspects, RULES
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


Pieces = Mapping[str, float | None]
Gatherer = Callable[[Sequence[Suspect], EvalSet], Sequence[Pieces]]
_SPEAKERS = frozenset(("i", "we", "you"))
_PERSONS = frozenset(("he", "she"))


def by_rules(suspects: Sequence[Suspect], evalset: EvalSet) -> Sequence[Pieces]:
    """Place, company and source; of pronouns what was exchanged, of terms how much of one it is."""
    found = []
    for one in suspects:
        pieces: dict[str, float | None] = {
            "place": one.nearness,
            "systems": other_systems(one, evalset),
            "references": other_references(one, evalset),
            "source": side_of_source(one, evalset),
        }
        if one.kind == PRONOUNS:
            pieces["exchange"] = weight_of_exchange(one.said, one.wanted)
        if one.kind == TERMS:
            reference = list(evalset.references.values())[one.reference][one.line]
            pieces["rare"] = rareness(one.suggestion)
            pieces["name"] = float(is_name(one.suggestion, reference))
        found.append(pieces)
    return found


def weight_of_exchange(said: str, wanted: str) -> float:
    """How seldom two pronouns can stand for each other: persons and things never, *it* and *they* often.

    >>> weight_of_exchange("he", "she"), weight_of_exchange("it", "they")
    (1.0, 0.0)
    """
    if _PERSONS & {said, wanted}:
        return 1.0
    return 0.5 if _SPEAKERS & {said, wanted} else 0.0


def by_the_judge(suspects: Sequence[Suspect], evalset: EvalSet) -> list[Pieces]:
    """What the judge says of the line before and after the mend."""
    from albeit.diagnose.mending import mendings

    return [asdict(each) for each in mendings(suspects, evalset)]


def by_context(suspects: Sequence[Suspect], evalset: EvalSet) -> list[Pieces]:
    """How well the words fit their text, and what is suggested; nothing without the network."""
    from albeit.diagnose.fitting import fitting

    return [{"fits": each} for each in fitting(suspects, evalset)]


GATHERERS: tuple[Gatherer, ...] = (by_rules, by_the_judge, by_context)


READ_BY_NETWORKS: Mapping[Gatherer, frozenset[str]] = {
    by_the_judge: frozenset(("gain", "harm", "mark", "major")),
    by_context: frozenset(("fits",)),
}
"""What takes its time, and which pieces it finds."""


def gather(
    suspects: Sequence[Suspect],
    evalset: EvalSet,
    gatherers: Sequence[Gatherer] = GATHERERS,
    weighed: Callable[[str], Collection[str]] | None = None,
) -> list[Pieces]:
    """Pieces of evidence of each suspect.

    :param weighed: the pieces that count for a kind; networks are not asked for others
    """
    found: list[dict[str, float | None]] = [{} for _ in suspects]
    for gatherer in gatherers:
        pieces = READ_BY_NETWORKS.get(gatherer)
        asked = [
            n
            for n, one in enumerate(suspects)
            if weighed is None or pieces is None or not pieces.isdisjoint(weighed(one.kind))
        ]
        told = gatherer([suspects[n] for n in asked], evalset)
        for n, own in zip(asked, told, strict=True):
            found[n].update(own)
    return list(found)


def in_words(pieces: Pieces) -> tuple[tuple[str, str], ...]:
    """Each piece that is known, by name and in words.

    >>> in_words({"systems": 1.0, "source": None})
    (('systems', 'all other systems have what is suggested'),)
    """
    return tuple((name, WORDS[name](value)) for name, value in pieces.items() if value is not None)


def _company(who: str) -> Callable[[float], str]:
    def said(value: float) -> str:
        if value in (1.0, -1.0):
            return f"all other {who} have what is {'suggested' if value > 0 else 'flagged'}"
        if abs(value) < 0.1:
            return f"other {who} are on neither side"
        side = "suggested" if value > 0 else "flagged"
        return f"more of the other {who} have what is {side} ({value:+.2f})"

    return said


def _source(value: float) -> str:
    if not value:
        return "the source does not decide"
    return f"the source is on the side of what is {'suggested' if value > 0 else 'flagged'}"


WORDS: Mapping[str, Callable[[float], str]] = {
    "place": lambda value: f"how surely the reference has it at this place: {value:.2f} of 1",
    "systems": _company("systems"),
    "references": _company("references"),
    "source": _source,
    "exchange": lambda value: (
        "these two never stand for each other"
        if value == 1
        else "these two seldom stand for each other"
        if value
        else "these two often stand for each other"
    ),
    "rare": lambda value: f"how rare the term is in English: {value:.2f} of 1",
    "name": lambda value: "it is a name" if value else "it is no name",
    "gain": lambda value: (
        f"judge scores the line {'higher' if value > 0 else 'lower'} with what is suggested"
        f" ({value:+.2f})"
    ),
    "harm": lambda value: (
        f"judge scores another system's line {'lower' if value > 0 else 'higher'} with what is"
        f" flagged ({-value:+.2f})"
    ),
    "mark": lambda value: (
        f"how likely an expert marks these words, by judge: {math.exp(value):.2f}"
    ),
    "major": lambda value: f"the same as a major error: {math.exp(value):.2f}",
    "fits": lambda value: (
        f"with the word hidden, what is {'suggested' if value > 0 else 'flagged'} fits the text"
        f" better (log odds {value:+.2f})"
    ),
}
"""What each piece of evidence says to a reader."""
