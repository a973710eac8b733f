"""The chains of one document, side by side: references, systems, and where they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from albeit.annotate.chains import DocumentWords, Sentence, chains, positions
from albeit.annotate.content import content_words
from albeit.annotate.realign import common_units
from albeit.annotate.relations import groups
from albeit.corpus.evalset import Document, EvalSet
from albeit.metrics.base import Batch
from albeit.metrics.cohesion.cohesion import Cohesion

__all__ = ["ChainRow", "ChainView", "Kind", "chain_view"]

Kind = Literal["matching", "missed", "false"]
Text = tuple[str, str]
"""``("reference", name)`` or ``("system", name)``."""


@dataclass(frozen=True)
class ChainRow:
    """One chain: the word, and its positions (from 1) in every text that has the chain.

    ``matching`` chains stand in a reference and a system, ``missed`` ones in references
    only, ``false`` ones in systems only.
    """

    word: str
    kind: Kind
    places: Mapping[Text, tuple[int, ...]]

    def score(self, system: Text, references: tuple[Text, ...]) -> float | None:
        """m'/m against the reference that fits best; ``None`` without the chain."""
        if system not in self.places:
            return None
        ours = set(self.places[system])
        found = [self.places[r] for r in references if r in self.places]
        return max((len(ours & set(theirs)) / len(theirs) for theirs in found), default=0.0)


@dataclass(frozen=True)
class ChainView:
    """All chains of a document. ``sentences`` positions stand in ``segments`` segments."""

    document: str
    segments: int
    sentences: int
    references: tuple[Text, ...]
    systems: tuple[Text, ...]
    rows: tuple[ChainRow, ...]
    scores: Mapping[Text, float]
    metric: str

    @property
    def texts(self) -> tuple[Text, ...]:
        """References, then systems."""
        return self.references + self.systems


def chain_view(evalset: EvalSet, document: Document, metric: Cohesion) -> ChainView:
    """Read one document of a set and lay out its chains.

    With several sentences in a segment, all texts are numbered by the first one's.
    """
    references = tuple(("reference", name) for name in evalset.references)
    systems = tuple(("system", name) for name in evalset.systems)
    lines = {
        text: tuple(found[text[1]][document.rows])
        for found, texts in ((evalset.references, references), (evalset.systems, systems))
        for text in texts
    }
    batch = _batch(lines, references, document, evalset.target_lang, metric)
    words = dict(zip(lines, metric.read(list(lines.values()), batch), strict=True))
    places, count = _positions(words)
    if metric.wordnet != "no":
        places = _joined(places, metric)
    found = {text: chains(bits) for text, bits in places.items()}
    surface = _surface(lines, evalset.target_lang, metric)
    scores = {}
    if references:
        for text in systems:
            one = Batch(
                lines[text], batch.references, None, batch.documents, batch.target_lang,
                analyses=batch.analyses,
            )  # fmt: skip
            scores[text] = float(metric.score(metric.statistics(one, None)[0]))
    rows = [
        _row(key, surface.get(key, key), found, references, systems)
        for key in dict.fromkeys(key for bits in found.values() for key in bits)
    ]
    order: tuple[Kind, ...] = ("matching", "missed", "false")
    rows.sort(key=lambda row: (order.index(row.kind), -len(row.places), row.word))
    return ChainView(
        document.id, len(document), count, references, systems, tuple(rows), scores, str(metric)
    )


def _batch(
    lines: Mapping[Text, tuple[str, ...]],
    references: tuple[Text, ...],
    document: Document,
    lang: str,
    metric: Cohesion,
) -> Batch:
    """The references of the document, and analyses of all texts where the metric asks."""
    batch = Batch(
        (), [lines[text] for text in references], None,
        [Document(document.id, 0, len(document))], lang,
    )  # fmt: skip
    if not metric.requires:
        return batch
    from albeit.annotate import annotate

    texts = list(dict.fromkeys(line for found in lines.values() for line in found))
    analyses = annotate(texts, metric.requires, lang)
    return Batch((), batch.references, None, batch.documents, lang, analyses=analyses)


def _positions(words: Mapping[Text, DocumentWords]) -> tuple[dict[Text, dict[str, int]], int]:
    """Each word's positions in each text, in one numbering; and how many there are."""
    sentences: dict[Text, list[Sentence]] = {text: [] for text in words}
    count = 0
    for segment in zip(*(found.segments for found in words.values()), strict=True):
        numbered = common_units(segment)
        size = 1 + max(unit for units in numbered for unit in units)
        for text, own, units in zip(words, segment, numbered, strict=True):
            merged: list[list[str]] = [[] for _ in range(size)]
            for sentence, unit in zip(own, units, strict=True):
                merged[unit] += sentence
            sentences[text] += merged
        count += size
    return {text: positions(found) for text, found in sentences.items()}, count


def _joined(
    places: Mapping[Text, Mapping[str, int]], metric: Cohesion
) -> dict[Text, dict[str, int]]:
    """Related words as one, the same groups in all texts."""
    frequency: Counter[str] = Counter()
    for bits in places.values():
        frequency.update({key: bits[key].bit_count() for key in bits})
    leader = groups(frequency, "synonyms" if metric.wordnet == "synonyms" else "hypernyms")
    joined: dict[Text, dict[str, int]] = {}
    for text, bits in places.items():
        mine = joined[text] = {}
        for key, found in bits.items():
            mine[leader[key]] = mine.get(leader[key], 0) | found
    return joined


def _surface(lines: Mapping[Text, tuple[str, ...]], lang: str, metric: Cohesion) -> dict[str, str]:
    """For each key the form that the texts have most often."""
    reader = content_words(lang, metric.words if metric.wordnet == "no" else "lemma")
    forms: dict[str, Counter[str]] = {}
    for found in lines.values():
        for line in found:
            for word, key in reader.words(line):
                forms.setdefault(key, Counter())[word] += 1
    return {key: min(seen, key=lambda w: (-seen[w], w)) for key, seen in forms.items()}


def _row(
    key: str,
    word: str,
    found: Mapping[Text, Mapping[str, int]],
    references: tuple[Text, ...],
    systems: tuple[Text, ...],
) -> ChainRow:
    places = {
        text: tuple(i + 1 for i in range(bits[key].bit_length()) if bits[key] >> i & 1)
        for text, bits in found.items()
        if key in bits
    }
    in_references = any(text in places for text in references)
    in_systems = any(text in places for text in systems)
    kind: Kind = "false" if not in_references else "missed" if not in_systems else "matching"
    if in_references and not systems:
        kind = "matching" if all(text in places for text in references) else "missed"
    return ChainRow(word, kind, places)
