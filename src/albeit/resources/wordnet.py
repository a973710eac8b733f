"""WordNet 3.0, English: synonym sets, base forms of words, hypernyms."""

from __future__ import annotations

from functools import cache, cached_property
from importlib.resources import files
from typing import Literal

import numpy as np
import numpy.typing as npt

Pos = Literal["noun", "verb", "adj", "adv"]

DETACHMENTS: dict[Pos, tuple[tuple[str, str], ...]] = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
"""WordNet's rules of detachment: an ending, and what to put in its place."""

_CODES: dict[Pos, int] = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}
_OFFSETS = 10**8


class WordNet:
    """The shipped table. A lemma is lower case with ``_`` between words: ``ice_cream``.

    A synset is an integer: the part of speech (noun 1, verb 2, adjective 3, adverb 4)
    times 10**8, plus WordNet's own number of it within that part of speech.
    """

    version = "3.0"

    def __init__(self) -> None:
        path = files("albeit.resources") / "data" / "wordnet.npz"
        with path.open("rb") as file, np.load(file) as table:
            lemmas = table["lemmas"].tobytes().decode("utf-8").split("\n")
            self._ends: npt.NDArray[np.int32] = table["lemma_ends"]
            self._members: npt.NDArray[np.uint32] = table["synsets"][table["lemma_synsets"]]
            self._synsets: npt.NDArray[np.uint32] = table["synsets"]
            self._links: npt.NDArray[np.int32] = table["hypernyms"]
            exceptions = table["exceptions"].tobytes().decode("utf-8").split("\n")
        self._places = {lemma: place for place, lemma in enumerate(lemmas)}
        self.irregular: dict[str, tuple[str, ...]] = {}
        """Irregular forms and their base forms, of any part of speech."""
        for line in exceptions:
            form, *bases = line.split(" ")
            self.irregular[form] = tuple(bases)

    def __contains__(self, lemma: str) -> bool:
        """Whether this very lemma has an entry."""
        return lemma in self._places

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all lemmas, those of several words too: *galilei* of *galileo_galilei*."""
        return frozenset(word for lemma in self._places for word in lemma.split("_"))

    def entries(self, lemma: str) -> tuple[int, ...]:
        """The synsets of this very lemma, the most frequent sense of each part of speech first."""
        place = self._places.get(lemma)
        if place is None:
            return ()
        start = int(self._ends[place - 1]) if place else 0
        return tuple(self._members[start : int(self._ends[place])].tolist())

    def base_forms(self, word: str) -> tuple[str, ...]:
        """Lemmas a word may be a form of, or is itself: ``leaves`` gives leaf and leave.

        Irregular forms come from WordNet's lists, regular ones from its rules; only lemmas
        that have an entry count.
        """
        word = word.lower()
        found = [word, *self.irregular.get(word, ())]
        if len(word) > 2 and not word.endswith("ss"):
            for rules in DETACHMENTS.values():
                found += [word.removesuffix(old) + new for old, new in rules if word.endswith(old)]
        return tuple(dict.fromkeys(lemma for lemma in found if lemma in self._places))

    def base_form(self, word: str) -> str | None:
        """The one lemma that WordNet's own look-up gives a word: ``reported`` is report.

        Parts of speech are tried in WordNet's order, nouns first; in each an irregular form's
        base comes first, then the word itself, then what the rules make of it. Only a lemma
        with an entry of that part of speech counts, so that an adjective that happens to be
        listed (``described``) does not hide the verb.
        """
        word = word.lower()
        for pos, rules in DETACHMENTS.items():
            found = [*self.irregular.get(word, ()), word]
            if len(word) > 2 and not word.endswith("ss"):
                found += [word.removesuffix(old) + new for old, new in rules if word.endswith(old)]
            for lemma in found:
                if any(synset // _OFFSETS == _CODES[pos] for synset in self.entries(lemma)):
                    return lemma
        return None

    def synsets(self, word: str, pos: Pos | None = None) -> frozenset[int]:
        """The synsets of a word and of its base forms, of one part of speech or of all."""
        found = frozenset(s for lemma in self.base_forms(word) for s in self.entries(lemma))
        if pos is None:
            return found
        return frozenset(s for s in found if s // _OFFSETS == _CODES[pos])

    def synonyms(self, word: str) -> frozenset[str]:
        """Lemmas that share a synset with the word."""
        return frozenset(lemma for s in self.synsets(word) for lemma in self.lemmas(s))

    def lemmas(self, synset: int) -> tuple[str, ...]:
        """The lemmas of a synset, in alphabetical order."""
        return self._lemmas_of.get(synset, ())

    def hypernyms(self, synset: int) -> tuple[int, ...]:
        """The synsets one step above (kinds, and classes of named things)."""
        place = int(np.searchsorted(self._synsets, synset))
        if place == len(self._synsets) or int(self._synsets[place]) != synset:
            return ()
        first, last = np.searchsorted(self._links[:, 0], [place, place + 1])
        return tuple(self._synsets[self._links[first:last, 1]].tolist())

    @cached_property
    def _lemmas_of(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, list[str]] = {}
        start = 0
        for lemma, end in zip(self._places, self._ends.tolist(), strict=True):
            for synset in self._members[start:end].tolist():
                found.setdefault(synset, []).append(lemma)
            start = end
        return {synset: tuple(lemmas) for synset, lemmas in found.items()}


@cache
def wordnet() -> WordNet:
    """The shipped WordNet 3.0, loaded once."""
    return WordNet()
