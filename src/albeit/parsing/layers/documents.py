"""Define the layers of whole documents.

They are the lines, the content words by segment and sentence (as stems, lemmas, or words), lexical
chains (Gong and Zhou 2015: content words that a document repeats), coreference, and the
possible antecedents of each third-person pronoun.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from albeit.data.evalset import Unit
from albeit.parsing.layers.segments import TOKENS, join_words
from albeit.parsing.needs import Analysis, Layer, Row

Lines = tuple[str, ...]
"""A document: its lines in order."""


class _Lines(Layer[Lines]):
    name = "lines"
    unit = Unit.DOCUMENT

    def render(self, value: Lines, analysis: Analysis) -> Iterator[str]:
        yield from value


LINES = _Lines()

Sentence = Sequence[str]


def positions(sentences: Iterable[Sentence]) -> dict[str, int]:
    """Return the sentences of each word: bit ``i`` is set if sentence ``i`` has it."""
    bits: dict[str, int] = {}
    bit = 1
    for sentence in sentences:
        for key in sentence:
            bits[key] = bits.get(key, 0) | bit
        bit <<= 1
    return bits


@dataclass(frozen=True)
class DocumentWords:
    """The content words of one text of a document: by segment, by sentence, in order."""

    segments: tuple[list[list[str]], ...] = ()

    @cached_property
    def single(self) -> bool:
        """Whether every segment is one sentence."""
        return all(len(sentences) == 1 for sentences in self.segments)

    @cached_property
    def places(self) -> dict[str, int]:
        """The positions of each word, with sentences counted through the document."""
        return positions(sentence for sentences in self.segments for sentence in sentences)

    def keys(self) -> Iterator[str]:
        """Yield all content words in order."""
        return (key for sentences in self.segments for sentence in sentences for key in sentence)

    @cached_property
    def whole_segments(self) -> DocumentWords:
        """The same words, with every segment as one sentence."""
        if self.single:
            return self
        merged = ([[key for one in sentences for key in one]] for sentences in self.segments)
        return DocumentWords(tuple(merged))


class _Words(Layer[DocumentWords]):
    unit = Unit.DOCUMENT
    rests_on = (LINES,)

    def render(self, value: DocumentWords, analysis: Analysis) -> Iterator[str]:
        for sentences in value.segments:
            yield " | ".join(" ".join(sentence) for sentence in sentences)


class _Stems(_Words):
    name = "stems"


class _Lemmas(_Words):
    name = "lemmas"


class _WordForms(_Words):
    name = "words"


STEMS, LEMMAS, WORDS = _Stems(), _Lemmas(), _WordForms()

Chains = dict[str, int]
"""The positions of each word: bit ``i`` is set if sentence ``i`` has it."""


def chains(places: Mapping[str, int]) -> dict[str, int]:
    """Return the words that are in two or more sentences."""
    return {key: bits for key, bits in places.items() if bits & (bits - 1)}


class _Chains(Layer[Chains]):
    """The chains of stems, with the positions of sentences in the document."""

    name = "chains"
    unit = Unit.DOCUMENT
    rests_on = (STEMS,)
    derived = True

    def derive(self, analysis: Analysis) -> Chains:
        return chains(analysis[STEMS].places)

    def render(self, value: Chains, analysis: Analysis) -> Iterator[str]:
        for key, bits in value.items():
            sentences = (n for n in range(1, bits.bit_length() + 1) if bits >> (n - 1) & 1)
            yield f"{key}  {' '.join(map(str, sentences))}"


CHAINS = _Chains()

Number = Literal["", "singular", "plural"]
Animacy = Literal["", "animate", "inanimate"]
Gender = Literal["", "masculine", "feminine", "neuter"]


class Traits(Row):
    """Number, animacy, and gender of an entity; empty if the text doesn't determine them."""

    __slots__ = ()
    number: Number
    animacy: Animacy
    gender: Gender

    @property
    def traits(self) -> tuple[str, ...]:
        """The traits that the text determines."""
        return tuple(trait for trait in (self.number, self.animacy, self.gender) if trait)


@dataclass(frozen=True, slots=True)
class Mention(Row):
    """Words ``start`` to ``stop`` of the document (half open), and their head word."""

    start: int
    stop: int
    head: int


@dataclass(frozen=True, slots=True)
class Cluster(Traits):
    """All mentions of one entity in order (often only one), and its traits.

    ``kind`` is one of GUM's entity types (person, place, abstract, …).
    """

    kind: str
    number: Number
    animacy: Animacy
    gender: Gender
    mentions: tuple[Mention, ...]


class _Coreference(Layer[tuple[Cluster, ...]]):
    """Clusters in the order of their first mentions."""

    name = "coreference"
    unit = Unit.DOCUMENT
    rests_on = (TOKENS,)

    def render(self, value: tuple[Cluster, ...], analysis: Analysis) -> Iterator[str]:
        for number, cluster in enumerate((c for c in value if len(c.mentions) > 1), 1):
            yield f"{number:>3}  {cluster.kind}  {' '.join(cluster.traits)}".rstrip()
            for mention in cluster.mentions:
                words = join_words(analysis, mention.start, mention.stop)
                yield f"     {mention.start:>5}  {words}"


COREFERENCE = _Coreference()


@dataclass(frozen=True, slots=True)
class Antecedent(Traits):
    """An earlier mention, its log odds against no antecedent, and the traits of its entity.

    The traits come from the mentions of the entity before the pronoun.
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
class Pronoun(Row):
    """A referring third-person pronoun: its word in the document, and possible antecedents."""

    word: int
    antecedents: tuple[Antecedent, ...]


class _Antecedents(Layer[tuple[Pronoun, ...]]):
    """Pronouns in order, each with its antecedents, the likeliest first."""

    name = "antecedents"
    unit = Unit.DOCUMENT
    rests_on = (TOKENS,)

    def render(self, value: tuple[Pronoun, ...], analysis: Analysis) -> Iterator[str]:
        for pronoun in value:
            yield f"{pronoun.word:>5}  {join_words(analysis, pronoun.word, pronoun.word + 1)}"
            for a in pronoun.antecedents:
                words = join_words(analysis, a.start, a.stop)
                yield f"       {a.score:+6.2f}  {words}  {' '.join((a.kind, *a.traits))}".rstrip()


ANTECEDENTS = _Antecedents()
