"""What a bitext shows: aligned words of every source connective, and counts for a lexicon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from albeit.annotate.alignment import Aligner, Link
from albeit.lexicons.detect import Detector, SourceConnective
from albeit.lexicons.find import Finder
from albeit.lexicons.model import Form, Inventory, Lexicon
from albeit.lexicons.words import Words, cut

__all__ = ["Bitext", "Sighting", "count", "sightings"]


@dataclass(frozen=True)
class Bitext:
    """Sentence pairs, cut into words and aligned."""

    source: list[Words]
    target: list[Words]
    links: list[list[Link]]

    @classmethod
    def align(
        cls,
        source: Sequence[str],
        target: Sequence[str],
        languages: tuple[str, str],
        aligner: Aligner | None = None,
    ) -> Bitext:
        """Cut and align lines; the aligner is trained on them unless one is given."""
        first = [cut(line, languages[0]) for line in source]
        second = [cut(line, languages[1]) for line in target]
        words = [w.forms for w in first], [w.forms for w in second]
        trained = aligner or Aligner.fit(*words)
        return cls(first, second, trained.align(*words))


@dataclass(frozen=True)
class Sighting:
    """A source connective in a sentence pair, and the target words aligned to it."""

    line: int
    connective: SourceConnective
    aligned: tuple[int, ...]


def sightings(bitext: Bitext, detector: Detector) -> Iterator[Sighting]:
    """Every connective of the source side."""
    for line, words in enumerate(bitext.source):
        for connective in detector(words):
            aligned = {j for i, j in bitext.links[line] if i in connective.tokens}
            yield Sighting(line, connective, tuple(sorted(aligned)))


def count(
    lexicon: Lexicon, inventory: Inventory, bitext: Bitext
) -> tuple[Counter[tuple[str, Form]], Counter[str]]:
    """How often each translation of the lexicon is aligned to its connective, and the total.

    Of several forms that hold an aligned word the longest counts.
    """
    names = tuple(name for name in inventory.connectives if name in lexicon.entries)
    whole = [t.form for _, t in lexicon if len(t.form.parts) == 1]
    finders = {
        name: Finder((t.form for t in lexicon.entries[name]), [*whole, *lexicon.blocked])
        for name in names
    }
    shown: Counter[tuple[str, Form]] = Counter()
    totals: Counter[str] = Counter()
    for sighting in sightings(bitext, Detector(inventory, names)):
        name = sighting.connective.name
        totals[name] += 1
        hits = finders[name](bitext.target[sighting.line])
        held = [hit for hit in hits if not set(sighting.aligned).isdisjoint(hit.tokens)]
        if held:
            shown[name, max(held, key=lambda hit: len(hit.tokens)).form] += 1
    return shown, totals
