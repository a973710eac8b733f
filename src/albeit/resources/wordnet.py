"""WordNet 3.0, English: synonym sets, base forms of words, hypernyms."""

from __future__ import annotations

from functools import cache, cached_property
from importlib.resources import files

import numpy as np
import numpy.typing as npt

_RULES = {
    "noun": "s/ ses/s xes/x zes/z ches/ch shes/sh men/man ies/y",
    "verb": "s/ ies/y es/e es/ ed/e ed/ ing/e ing/",
    "adj": "er/ est/ er/e est/e",
    "adv": "",
}
DETACHMENTS = {
    pos: [(old, new) for old, _, new in (rule.partition("/") for rule in rules.split())]
    for pos, rules in _RULES.items()
}
"""WordNet's rules of detachment, per part of speech: endings and their replacements."""
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
        """Return whether this lemma has an entry."""
        return lemma in self._places

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all lemmas, those of several words too: *galilei* of *galileo_galilei*."""
        return frozenset(word for lemma in self._places for word in lemma.split("_"))

    def entries(self, lemma: str) -> tuple[int, ...]:
        """Return the synsets of a lemma, the most frequent sense of each part of speech first."""
        place = self._places.get(lemma)
        if place is None:
            return ()
        start = int(self._ends[place - 1]) if place else 0
        return tuple(self._members[start : int(self._ends[place])].tolist())

    def base_forms(self, word: str) -> tuple[str, ...]:
        """Return the lemmas that a word may be a form of: ``leaves`` gives leaf and leave.

        Irregular forms come from WordNet's lists, regular ones from its rules.
        """
        word = word.lower()
        forms = [word, *self.irregular.get(word, ())]
        for rules in DETACHMENTS.values():
            forms += detach(word, rules)
        return tuple(dict.fromkeys(lemma for lemma in forms if lemma in self._places))

    def base_form(self, word: str) -> str | None:
        """Return the lemma that WordNet's own look-up gives a word: ``reported`` is report.

        Parts of speech are tried in WordNet's order, nouns first. In each, an irregular form's base
        comes first, then the word itself, then the results of the rules. Only a lemma with an entry
        of that part of speech counts, so that a listed adjective (``described``) doesn't hide the
        verb.
        """
        word = word.lower()
        for code, rules in enumerate(DETACHMENTS.values(), 1):
            for lemma in [*self.irregular.get(word, ()), word, *detach(word, rules)]:
                if any(synset // _OFFSETS == code for synset in self.entries(lemma)):
                    return lemma
        return None

    def synsets(self, word: str) -> frozenset[int]:
        """Return the synsets of a word and of its base forms."""
        return frozenset(s for lemma in self.base_forms(word) for s in self.entries(lemma))

    def nouns(self, word: str) -> frozenset[int]:
        """Return the synsets that are nouns."""
        return frozenset(synset for synset in self.synsets(word) if synset // _OFFSETS == 1)

    def hypernyms(self, synset: int) -> tuple[int, ...]:
        """Return the direct hypernyms (also of instances)."""
        place = int(np.searchsorted(self._synsets, synset))
        if place == len(self._synsets) or int(self._synsets[place]) != synset:
            return ()
        first, last = np.searchsorted(self._links[:, 0], [place, place + 1])
        return tuple(self._synsets[self._links[first:last, 1]].tolist())


def detach(word: str, rules: list[tuple[str, str]]) -> list[str]:
    """Apply rules of detachment to a word."""
    if len(word) <= 2 or word.endswith("ss"):
        return []
    return [word.removesuffix(old) + new for old, new in rules if word.endswith(old)]


@cache
def wordnet() -> WordNet:
    """Return the shipped WordNet 3.0, loaded once."""
    return WordNet()
