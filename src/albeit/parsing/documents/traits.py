"""Number, animacy and gender of an entity, where the text says so: by its pronouns first, then by
its nouns, titles and names.

Each mention votes; what has most votes is the entity's, and a tie says nothing. *They* and
*you* may mean one or many: they say something of number only where nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from albeit.parsing.layers.coreference import Animacy, Gender, Number
from albeit.resources import genders

__all__ = ["Votes", "Words", "traits"]

T = TypeVar("T", bound=str)

_TOLD: tuple[tuple[str, tuple[Number, Animacy, Gender]], ...] = (
    ("he him his himself", ("singular", "animate", "masculine")),
    ("she her hers herself", ("singular", "animate", "feminine")),
    ("it its itself", ("singular", "inanimate", "neuter")),
    ("i me my mine myself", ("singular", "animate", "")),
    ("we us our ours ourselves", ("plural", "animate", "")),
    ("you your yours", ("", "animate", "")),
    ("yourself", ("singular", "animate", "")),
    ("yourselves", ("plural", "animate", "")),
    ("who whom whose", ("", "animate", "")),
    ("which", ("", "inanimate", "")),
    ("this that", ("singular", "", "")),
    ("these those", ("plural", "", "")),
)
_PRONOUNS = {form: told for forms, told in _TOLD for form in forms.split()}
_THEY = frozenset({"they", "them", "their", "theirs", "themselves"})
_NUMBERS: dict[str, Number] = {
    "NN": "singular",
    "NNP": "singular",
    "NNS": "plural",
    "NNPS": "plural",
}
_ANIMATE = frozenset({"person", "animal"})


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a document: lower-case forms, classes, and the word that each hangs on (-1: none)."""

    forms: Sequence[str]
    upos: Sequence[str]
    xpos: Sequence[str]
    parents: Sequence[int]


class Votes:
    """What the mentions of one entity say of it, one after the other."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._numbers: dict[Number, int] = {}
        self._animacies: dict[Animacy, int] = {}
        self._pronouns: dict[Gender, int] = {}
        self._nouns: dict[Gender, int] = {}
        self._they = False

    def add(self, start: int, stop: int, head: int) -> None:
        """Count a mention: first word, word after the last, head."""
        words = self._words
        form = words.forms[head]
        if _joined(start, stop, head, words):
            _count(self._numbers, "plural")
        elif words.upos[head] in ("PRON", "DET"):
            number, animacy, gender = _PRONOUNS.get(form, ("", "", ""))
            _count(self._numbers, number)
            _count(self._animacies, animacy)
            _count(self._pronouns, gender)
            self._they |= form in _THEY
        else:
            _count(self._numbers, _NUMBERS.get(words.xpos[head], ""))
            _count(self._nouns, _gender(start, head, words))

    def told(self, kind: str) -> tuple[Number, Animacy, Gender]:
        """Of an entity of this kind with the mentions so far."""
        found = _most(self._pronouns) or _most(self._nouns)
        alive: Animacy = _most(self._animacies) or ("animate" if kind in _ANIMATE else "inanimate")
        many: Number = _most(self._numbers) or ("plural" if self._they else "")
        return many, alive, found if alive == "animate" or found == "neuter" else ""


def traits(
    mentions: Iterable[tuple[int, int, int]], kind: str, words: Words
) -> tuple[Number, Animacy, Gender]:
    """Of an entity with these mentions (first word, word after the last, head)."""
    votes = Votes(words)
    for mention in mentions:
        votes.add(*mention)
    return votes.told(kind)


def _joined(start: int, stop: int, head: int, words: Words) -> bool:
    """Whether a mention is several, as in *Ann and Bob*."""
    for word in range(head + 1, stop):
        parent = words.parents[word]
        if words.forms[word] == "and" and start <= parent < stop and words.parents[parent] == head:
            return words.upos[word] == "CCONJ"
    return False


def _gender(start: int, head: int, words: Words) -> Gender:
    """What the head, a title or a given name before it says."""
    known = genders("en")
    if words.upos[head] != "PROPN":
        return known.get(words.forms[head], "")
    names = (word for word in range(start, head + 1) if words.upos[word] in ("PROPN", "NOUN"))
    forms = (words.forms[word].rstrip(".") for word in names)
    return next((known[form] for form in forms if form in known), "")


def _count(votes: dict[T, int], vote: T) -> None:
    """Nothing said is no vote."""
    if vote:
        votes[vote] = votes.get(vote, 0) + 1


def _most(votes: dict[T, int]) -> T:
    """What most say; a tie says nothing."""
    if len(votes) < 2:
        return next(iter(votes), cast("T", ""))
    (first, most), (_, others) = sorted(votes.items(), key=lambda vote: -vote[1])[:2]
    return first if most > others else cast("T", "")
