"""Find forms in a text: token spans, longest first, with or without gaps.

The finder knows nothing of senses or sides; source connectives and their translations
are found by the same rules. The detector finds the connectives of a source text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from albeit.metrics.connectives.lexicons.lexicon import Form, Inventory
from albeit.metrics.connectives.lexicons.words import Words

__all__ = ["Detector", "Finder", "Hit", "SourceConnective"]


_LONGEST_GAP = 30
_STOPS = frozenset(".?!;:。؟")


@dataclass(frozen=True, slots=True)
class Hit:
    """A form at the words ``tokens`` of a text (0-based, increasing, maybe apart)."""

    form: Form
    tokens: tuple[int, ...]

    @property
    def centre(self) -> float:
        """The middle of the first part, where a reader meets the connective."""
        first = self.tokens[: len(self.form.parts[0])]
        return (first[0] + first[-1]) / 2


class Finder:
    """Finds the ``wanted`` forms in texts.

    Where hits share words the longer one stays, and of equals the earlier. ``others`` are
    forms that are not wanted themselves but take their words where they are longer.
    """

    def __init__(self, wanted: Iterable[Form], others: Iterable[Form] = ()) -> None:
        self._wanted = frozenset(wanted)
        self._by_first: dict[str, list[Form]] = defaultdict(list)
        for form in dict.fromkeys((*self._wanted, *others)):
            self._by_first[form.parts[0][0]].append(form)

    def __call__(self, words: Words) -> list[Hit]:
        """All hits, in order of their first word; no two share a word."""
        found = [
            Hit(form, tokens)
            for start, spellings in enumerate(words.spellings)
            for spelling in spellings
            for form in self._by_first.get(spelling, ())
            if (tokens := _at(form, words, start))
        ]
        found.sort(key=lambda hit: (-len(hit.tokens), hit.tokens))
        taken: set[int] = set()
        kept: list[Hit] = []
        for hit in found:
            if taken.isdisjoint(hit.tokens):
                taken.update(hit.tokens)
                if hit.form in self._wanted:
                    kept.append(hit)
        return sorted(kept, key=lambda hit: hit.tokens)


def _at(form: Form, words: Words, start: int) -> tuple[int, ...] | None:
    """The words a form covers if its first part starts here; later parts at their nearest."""
    position = start
    tokens: list[int] = []
    for number, part in enumerate(form.parts):
        place = position if number == 0 else _next(part, words, position)
        if place is None or not _matches(part, words, place):
            return None
        tokens.extend(range(place, place + len(part)))
        position = place + len(part)
    return tuple(tokens)


def _next(part: tuple[str, ...], words: Words, position: int) -> int | None:
    """Where a later part starts: after a gap of at least one word, in the same sentence."""
    for place in range(position + 1, min(len(words), position + 1 + _LONGEST_GAP)):
        if words.forms[place - 1] in _STOPS:
            return None
        if _matches(part, words, place):
            return place
    return None


def _matches(part: tuple[str, ...], words: Words, place: int) -> bool:
    if place + len(part) > len(words):
        return False
    return all(word in words.spellings[place + i] for i, word in enumerate(part))


@dataclass(frozen=True, slots=True)
class SourceConnective:
    """A connective in a source text: its name and its words."""

    name: str
    tokens: tuple[int, ...]


class Detector:
    """Finds the connectives of an inventory, or only the chosen ones.

    The whole inventory competes for the words, so ``even though`` is never a ``though``.
    What an entry excludes (``a while``) counts against that entry alone.
    """

    def __init__(self, inventory: Inventory, chosen: tuple[str, ...] | None = None) -> None:
        picked = inventory.select(inventory.connectives if chosen is None else chosen)
        self.language = inventory.language
        self._names: dict[Form, str] = {c.form: c.name for c in picked.connectives.values()}
        rest = [c.form for c in inventory.connectives.values() if len(c.form.parts) == 1]
        self._finder = Finder(self._names, rest)
        self._excluded = {
            c.name: Finder(c.excluded) for c in picked.connectives.values() if c.excluded
        }

    def __call__(self, words: Words) -> list[SourceConnective]:
        """The connectives of a text, in order."""
        found = [SourceConnective(self._names[h.form], h.tokens) for h in self._finder(words)]
        return [connective for connective in found if not self._is_excluded(connective, words)]

    def _is_excluded(self, connective: SourceConnective, words: Words) -> bool:
        finder = self._excluded.get(connective.name)
        if finder is None:
            return False
        return any(set(connective.tokens) <= set(hit.tokens) for hit in finder(words))
