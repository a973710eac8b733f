"""Antecedents: what each third-person pronoun of a document may take up, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from albeit.annotate.layer import Analysis, Layer
from albeit.annotate.layers.coreference import Animacy, Described, Gender, Number, checked_traits
from albeit.annotate.layers.spans import words
from albeit.annotate.layers.tokens import TOKENS
from albeit.corpus.levels import Unit

__all__ = ["ANTECEDENTS", "PRONOUN_FORMS", "Antecedent", "Pronoun", "PronounKind"]

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
