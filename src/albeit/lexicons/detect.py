"""Find the connectives of a source text."""

from __future__ import annotations

from dataclasses import dataclass

from albeit.lexicons.find import Finder
from albeit.lexicons.lexicon import Form, Inventory
from albeit.lexicons.words import Words

__all__ = ["Detector", "SourceConnective"]


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
