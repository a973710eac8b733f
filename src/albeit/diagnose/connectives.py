"""Connectives of English by what they say, and those of the source."""

from __future__ import annotations

from functools import cache

from albeit.diagnose.pronouns import Word
from albeit.errors import AlbeitError
from albeit.languages import normalise
from albeit.metrics.connectives.lexicon import Detector, Inventory, sense_class
from albeit.metrics.connectives.load import direction, inventory
from albeit.metrics.connectives.words import cut

__all__ = ["connectives_of", "senses_of_source"]

_SAY_TOO_LITTLE = frozenset(
    (
        "as",
        "also",
        "still",
        "once",
        "first",
        "else",
        "further",
        "earlier",
        "later",
        "next",
        "second",
        "rather",
    )
)
"""Words that are mostly no connectives."""
_BACKWARDS = frozenset(("before", "until", "till"))


@cache
def _detector() -> tuple[Detector, Inventory]:
    known = inventory("en")
    chosen = tuple(name for name in known.connectives if name not in _SAY_TOO_LITTLE)
    return Detector(known, chosen), known


def connectives_of(line: str) -> list[Word]:
    """The connectives of an English line in order; the name says all that each may mean.

    >>> [word.name for word in connectives_of("If it rains, we stay because of you.")]
    ['Contingency.Condition']
    """
    detector, known = _detector()
    words = cut(line, "en")
    found = []
    for one in detector(words):
        if one.tokens[-1] - one.tokens[0] + 1 != len(one.tokens):
            continue
        senses = _meant(one.name, known)
        if senses:
            start, end = words.offsets[one.tokens[0]][0], words.offsets[one.tokens[-1]][1]
            found.append(Word(" ".join(sorted(senses)), line[start:end], start, end))
    return found


def _meant(name: str, known: Inventory) -> list[str]:
    """The senses of a connective; what comes before is told from what comes after."""
    senses = [s for s in known.connectives[name].senses if s != "Other.Adverb"]
    if name in _BACKWARDS:
        return ["Temporal.Before" if s == "Temporal.Asynchronous" else s for s in senses]
    return senses


_CHINESE = {
    "虽然": "Comparison",
    "尽管": "Comparison",
    "但": "Comparison",
    "然而": "Comparison",
    "不过": "Comparison",
    "却": "Comparison",
    "因为": "Contingency",
    "由于": "Contingency",
    "因此": "Contingency",
    "所以": "Contingency",
    "因而": "Contingency",
    "从而": "Contingency",
    "如果": "Contingency",
    "若": "Contingency",
    "假如": "Contingency",
    "只要": "Contingency",
    "一旦": "Contingency",
    "除非": "Contingency",
    "以便": "Contingency",
    "之后": "Temporal",
    "以后": "Temporal",
    "之前": "Temporal",
    "以前": "Temporal",
    "同时": "Temporal",
    "随后": "Temporal",
    "然后": "Temporal",
    "自从": "Temporal",
    "直到": "Temporal",
    "的时候": "Temporal",
    "时,": "Temporal",
    "时，": "Temporal",
    "后,": "Temporal",
    "后，": "Temporal",
    "例如": "Expansion",
    "比如": "Expansion",
    "此外": "Expansion",
    "另外": "Expansion",
    "而且": "Expansion",
    "并且": "Expansion",
    "或者": "Expansion",
}


def senses_of_source(source: str, lang: str) -> list[frozenset[str]] | None:
    """For each connective of a source line, the classes of sense it may have.

    ``None`` where the language has no lexicon.

    >>> [sorted(each) for each in senses_of_source("Er kam, obwohl es regnete.", "de")]
    [['Comparison']]
    """
    code = normalise(lang)
    if code == "zh":
        return [frozenset({sense}) for form, sense in _CHINESE.items() if form in source]
    if code == "en":
        return [_classes(word.name.split()) for word in connectives_of(source)]
    found = _of(code)
    if found is None:
        return None
    detector, known = found
    return [_classes(known.connectives[one.name].senses) for one in detector(cut(source, code))]


def _classes(senses: list[str] | tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(sense_class, senses)) - {"Other"}


@cache
def _of(lang: str) -> tuple[Detector, Inventory] | None:
    try:
        known, _ = direction(lang, "en")
    except AlbeitError:
        return None
    return Detector(known), known
