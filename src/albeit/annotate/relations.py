"""Which English content words are related: by stem, as synonyms, as a kind of the other.

WordNet gives synonyms (a synset in common) and superordinates (a synset of one directly
above a synset of the other). Relations are not transitive, so words are never joined in a
row: each group is one leading word and words related to it directly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from typing import Literal

from albeit.resources import stemmer, wordnet

__all__ = ["Relation", "groups", "related"]

Relation = Literal["synonyms", "hypernyms"]


@lru_cache(maxsize=200_000)
def _senses(lemma: str) -> frozenset[Hashable]:
    """What a word means: its stem and its synsets."""
    return frozenset(wordnet().entries(lemma)) | {stemmer("en")(lemma)}


@lru_cache(maxsize=200_000)
def _above(lemma: str) -> frozenset[Hashable]:
    """The synsets one step above those of a word."""
    known = wordnet()
    return frozenset(up for synset in known.entries(lemma) for up in known.hypernyms(synset))


def _links(lemmas: Iterable[str], relation: Relation) -> dict[str, set[str]]:
    """Every word with the words it is related to."""
    senses: defaultdict[Hashable, list[str]] = defaultdict(list)
    lemmas = list(lemmas)
    for lemma in lemmas:
        for sense in _senses(lemma):
            senses[sense].append(lemma)
    links: dict[str, set[str]] = {lemma: set() for lemma in lemmas}
    for lemma in lemmas:
        for sense in _senses(lemma):
            for other in senses[sense]:
                if other != lemma:
                    links[lemma].add(other)
        if relation == "hypernyms":
            for sense in _above(lemma):
                for other in senses.get(sense, ()):
                    if other != lemma:
                        links[lemma].add(other)
                        links[other].add(lemma)
    return links


def related(lemmas: Iterable[str], relation: Relation) -> frozenset[str]:
    """The words among these that are related to another of them."""
    return frozenset(lemma for lemma, found in _links(lemmas, relation).items() if found)


def groups(frequency: Mapping[str, int], relation: Relation) -> dict[str, str]:
    """Each word with its leading word: itself, or a more frequent word it is related to.

    Words take their turn by frequency, then by alphabet, so the result depends on nothing
    but the words.
    """
    order = sorted(frequency, key=lambda lemma: (-frequency[lemma], lemma))
    links = _links(order, relation)
    leaders: dict[str, str] = {}
    rank = {lemma: place for place, lemma in enumerate(order)}
    for lemma in order:
        heads = [other for other in links[lemma] if leaders.get(other) == other]
        leaders[lemma] = min(heads, key=rank.__getitem__, default=lemma)
    return leaders
