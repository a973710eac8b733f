"""Number, animacy and gender of an entity, where the text tells: by its pronouns first, then by
its nouns, titles and names.

Each mention votes; what has most votes is the entity's, and a tie tells nothing. *They* and
*you* may mean one or many: they say something of number only where nothing else does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from albeit.annotate.layers.coreference import Animacy, Gender, Number
from albeit.resources import genders

__all__ = ["Words", "traits"]

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


def traits(
    mentions: Iterable[tuple[int, int, int]], kind: str, words: Words
) -> tuple[Number, Animacy, Gender]:
    """Of an entity with these mentions (first word, word after the last, head)."""
    numbers: list[Number] = []
    animacies: list[Animacy] = []
    pronouns: list[Gender] = []
    nouns: list[Gender] = []
    they = False
    for start, stop, head in mentions:
        form = words.forms[head]
        if _joined(start, stop, head, words):
            numbers.append("plural")
            continue
        if words.upos[head] in ("PRON", "DET"):
            number, animacy, gender = _PRONOUNS.get(form, ("", "", ""))
            numbers.append(number)
            animacies.append(animacy)
            pronouns.append(gender)
            they |= form in _THEY
            continue
        numbers.append(_NUMBERS.get(words.xpos[head], ""))
        nouns.append(_gender(start, head, words))
    found = _most(pronouns) or _most(nouns)
    alive: Animacy = _most(animacies) or ("animate" if kind in _ANIMATE else "inanimate")
    many: Number = _most(numbers) or ("plural" if they else "")
    return many, alive, found if alive == "animate" or found == "neuter" else ""


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


def _most(votes: Iterable[T]) -> T:
    """What most say, of those that say anything."""
    counts = Counter(vote for vote in votes if vote).most_common(2)
    if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        return cast("T", "")
    return counts[0][0]
