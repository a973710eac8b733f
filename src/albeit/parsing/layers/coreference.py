"""Coreference: who or what a document speaks of, and every place where it does; and antecedents: what
each third-person pronoun of a document may take up, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from albeit.data.levels import Unit
from albeit.errors import InputError
from albeit.parsing.layer import Analysis, Layer
from albeit.parsing.layers.spans import words
from albeit.parsing.layers.text import TOKENS

__all__ = [
    "ANTECEDENTS",
    "COREFERENCE",
    "PRONOUN_FORMS",
    "Animacy",
    "Antecedent",
    "Cluster",
    "Described",
    "Gender",
    "Mention",
    "Number",
    "Pronoun",
    "PronounKind",
    "checked_traits",
]


Number = Literal["", "singular", "plural"]
Animacy = Literal["", "animate", "inanimate"]
Gender = Literal["", "masculine", "feminine", "neuter"]
_KNOWN = get_args(Number), get_args(Animacy), get_args(Gender)


class Described:
    """What the text may tell number, animacy and gender of; what it does not tell is empty."""

    __slots__ = ()
    number: Number
    animacy: Animacy
    gender: Gender

    @property
    def traits(self) -> tuple[str, ...]:
        """What the text says."""
        return tuple(trait for trait in (self.number, self.animacy, self.gender) if trait)


@dataclass(frozen=True, slots=True)
class Mention:
    """Words ``start`` to ``stop`` of the document (half open), and the word that heads them."""

    start: int
    stop: int
    head: int


@dataclass(frozen=True, slots=True)
class Cluster(Described):
    """All mentions of one entity in order (often only one), and what the text says of it.

    ``kind`` is one of GUM's types of entities (person, place, abstract, …).
    """

    kind: str
    mentions: tuple[Mention, ...]
    number: Number = ""
    animacy: Animacy = ""
    gender: Gender = ""


class _Coreference(Layer[tuple[Cluster, ...]]):
    """In the order of first mentions; in JSON: [kind, number, animacy, gender, [[start, stop, head], …]]."""

    name = "coreference"
    unit = Unit.DOCUMENT
    rests_on = (TOKENS,)

    def empty(self) -> tuple[Cluster, ...]:
        return ()

    def to_json(self, value: tuple[Cluster, ...]) -> Any:
        return [
            [c.kind, c.number, c.animacy, c.gender, [[m.start, m.stop, m.head] for m in c.mentions]]
            for c in value
        ]

    def from_json(self, data: Any) -> tuple[Cluster, ...]:
        return tuple([_cluster(*each) for each in data])

    def draw(self, value: tuple[Cluster, ...], analysis: Analysis) -> Iterator[str]:
        for number, cluster in enumerate((c for c in value if len(c.mentions) > 1), 1):
            yield f"{number:>3}  {cluster.kind}  {' '.join(cluster.traits)}".rstrip()
            for mention in cluster.mentions:
                yield f"     {mention.start:>5}  {words(analysis, mention.start, mention.stop)}"


def checked_traits(number: str, animacy: str, gender: str) -> tuple[Number, Animacy, Gender]:
    """The same, if that is what they are."""
    for trait, known in zip((number, animacy, gender), _KNOWN, strict=True):
        if trait not in known:
            raise InputError(f"{trait!r} is none of {', '.join(filter(None, known))}.")
    return cast("Number", number), cast("Animacy", animacy), cast("Gender", gender)


def _cluster(kind: str, number: str, animacy: str, gender: str, mentions: Any) -> Cluster:
    places = tuple([Mention(int(start), int(stop), int(head)) for start, stop, head in mentions])
    return Cluster(str(kind), places, *checked_traits(number, animacy, gender))


COREFERENCE = _Coreference()

PronounKind = str
"""``he``, ``she``, ``it`` or ``they``."""
PRONOUN_FORMS: dict[PronounKind, tuple[str, ...]] = {
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "hers", "herself"),
    "it": ("it", "its", "itself"),
    "they": ("they", "them", "their", "theirs", "themselves", "themself"),
}


@dataclass(frozen=True, slots=True)
class Antecedent(Described):
    """An earlier mention, how likely it is meant (log odds against none), and what is known of it.

    ``kind`` is one of GUM's types of entities. Number, animacy and gender are taken from the mentions of that entity before the pronoun.
    """

    start: int
    stop: int
    head: int
    score: float
    kind: str = ""
    number: Number = ""
    animacy: Animacy = ""
    gender: Gender = ""


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A third-person pronoun that means something: its word in the document, what it may mean."""

    word: int
    antecedents: tuple[Antecedent, ...]


class _Antecedents(Layer[tuple[Pronoun, ...]]):
    """In JSON: [word, [[start, stop, head, score, kind, number, animacy, gender], …]] a pronoun."""

    name = "antecedents"
    unit = Unit.DOCUMENT
    rests_on = (TOKENS,)

    def empty(self) -> tuple[Pronoun, ...]:
        return ()

    def to_json(self, value: tuple[Pronoun, ...]) -> Any:
        return [[p.word, [_written(a) for a in p.antecedents]] for p in value]

    def from_json(self, data: Any) -> tuple[Pronoun, ...]:
        return tuple(
            [Pronoun(int(word), tuple([_antecedent(*a) for a in each])) for word, each in data]
        )

    def draw(self, value: tuple[Pronoun, ...], analysis: Analysis) -> Iterator[str]:
        for pronoun in value:
            yield f"{pronoun.word:>5}  {words(analysis, pronoun.word, pronoun.word + 1)}"
            for a in pronoun.antecedents:
                traits = " ".join((a.kind, *a.traits))
                yield f"       {a.score:+6.2f}  {words(analysis, a.start, a.stop)}  {traits}".rstrip()


def _written(a: Antecedent) -> list[Any]:
    score = round(a.score, 3)
    return [a.start, a.stop, a.head, score, a.kind, a.number, a.animacy, a.gender]


def _antecedent(
    start: int, stop: int, head: int, score: float, kind: str, *told: str
) -> Antecedent:
    traits = checked_traits(*told)
    return Antecedent(int(start), int(stop), int(head), float(score), str(kind), *traits)


ANTECEDENTS = _Antecedents()
