"""Find the connectives of a source text."""

from __future__ import annotations

from dataclasses import dataclass

from albeit.lexicons.model import Form, Inventory
from albeit.lexicons.words import Words
from albeit.metrics.connectives.find import Finder

__all__ = ["Detector", "SourceConnective"]


@dataclass(frozen=True, slots=True)
class SourceConnective:
    """A connective in a source text: its name and its words."""

    name: str
    tokens: tuple[int, ...]


class Detector:
    """Finds the connectives of an inventory, or only the chosen ones.

    The whole inventory competes for the words, so ``even though`` is never a ``though``;
    what an entry excludes (``a while``) competes too, and wins by its length.
    """

    def __init__(self, inventory: Inventory, chosen: tuple[str, ...] | None = None) -> None:
        picked = inventory.select(inventory.connectives if chosen is None else chosen)
        self.language = inventory.language
        self._names: dict[Form, str] = {c.form: c.name for c in picked.connectives.values()}
        excluded = [form for c in inventory.connectives.values() for form in c.excluded]
        rest = [c.form for c in inventory.connectives.values() if len(c.form.parts) == 1]
        self._finder = Finder(self._names, [*rest, *excluded])

    def __call__(self, words: Words) -> list[SourceConnective]:
        """The connectives of a text, in order."""
        return [SourceConnective(self._names[hit.form], hit.tokens) for hit in self._finder(words)]
