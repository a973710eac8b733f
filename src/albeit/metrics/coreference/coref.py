"""Coreference chains of a translation against those of its reference.

A view shows what each chain of mentions takes from a document's score. Every mention weighs the same: 1 over the mentions of the translation for precision, of the
reference for recall, of both for F. A mention that meets none loses that, one that meets
another word loses what ``other`` leaves of it, and all of it adds up to 1 less the score.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from albeit.data.evalset import Document
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, DocumentMetric, FloatArray, document_needs
from albeit.metrics.cohesion.cohesion import NOTHING_KEPT, NOTHING_TO_KEEP, Average
from albeit.metrics.coreference.mentions import Matched, Mention, Mentions, match, read_mentions
from albeit.metrics.view import Chain, ChainKind, Chains, Link, Loss, Place, View, compare_pair
from albeit.parsing.layers import COREFERENCE, LINES, SENTENCES, TOKENS, Analysis
from albeit.parsing.needs import Need

__all__ = ["Coref"]

Text = tuple[Analysis, Mentions]
_ORDER: tuple[ChainKind, ...] = ("matching", "missed", "false")
COLUMNS = ("credit", "held", "wanted", "met", "same kind", "pronoun for name", "name for pronoun")
"""The statistics of a document; *name* here is a name or a noun."""


@dataclass(frozen=True)
class Coref(DocumentMetric):
    """The share of mentions that stand where the reference has one, of the same entity.

    ``average`` is over the translation's mentions (precision), the reference's (recall) or
    both (f). ``other`` is what a mention is worth where the reference says it with another
    word, or with a pronoun for a name. Statistics are counts of mentions, so the score of
    several documents is that of their mentions together.
    """

    average: Average = "f"
    other: float = 0.5

    name: ClassVar[str] = "coref"
    summary: ClassVar[str] = "who is meant where: coreference chains by reference (document)"
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("mentions of the reference", ("wanted",))
    width: ClassVar[int] = len(COLUMNS)
    """How many numbers a row of statistics holds."""

    def __post_init__(self) -> None:
        if not 0 <= self.other <= 1:
            raise MetricError(f"{self.name}: other is between 0 and 1, not {self.other:g}.")

    @property
    def needs(self) -> frozenset[Need]:
        """Coreference, and words by line and sentence."""
        return document_needs(LINES, TOKENS, SENTENCES, COREFERENCE)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Counts of mentions a document, against its best reference."""
        rows = np.zeros((len(batch.references), len(batch.documents), len(COLUMNS)))
        for d, document in enumerate(batch.documents):
            hypothesis, references = texts_of(batch, document)
            ours = hypothesis.memoize(Mentions, read_mentions)
            for r, reference in enumerate(references):
                theirs = reference.memoize(Mentions, read_mentions)
                rows[r, d] = self._counts(ours, theirs, match(ours, theirs, self.other))
        best = self.score(rows).argmax(axis=0)
        return np.asarray(rows[best, np.arange(len(batch.documents))])

    def _worth(self, same: bool) -> float:
        """What a mention that meets another counts, by whether their heads are the same."""
        return 1.0 if same else self.other

    def _counts(self, ours: Mentions, theirs: Mentions, matched: Matched) -> list[float]:
        credit = sum(self._worth(same) for _, _, same in matched.met)
        kinds = Counter((ours.mentions[a].kind, theirs.mentions[b].kind) for a, b, _ in matched.met)
        return [
            credit,
            len(ours.mentions),
            len(theirs.mentions),
            len(matched.met),
            sum(n for (mine, yours), n in kinds.items() if mine == yours),
            sum(n for (mine, yours), n in kinds.items() if mine == "pronoun" != yours),
            sum(n for (mine, yours), n in kinds.items() if yours == "pronoun" != mine),
        ]

    def score(self, sums: FloatArray) -> FloatArray:
        """Precision, recall or F of mentions."""
        credit, held, wanted = (sums[..., n] for n in range(3))
        whole = {"precision": held, "recall": wanted, "f": (held + wanted) / 2}[self.average]
        found = np.where(whole > 0, credit / np.maximum(whole, 1e-9), NOTHING_KEPT)
        return np.asarray(np.where(held + wanted > 0, found, NOTHING_TO_KEEP))

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """The counts: how many mentions, how many met, and what stood for what."""
        return {name: float(value) for name, value in zip(COLUMNS, sums, strict=True)}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """The chains of a document beside the reference's, and what each took from the score."""
        hypothesis, references = texts_of(batch, batch.documents[0])
        ours = hypothesis.memoize(Mentions, read_mentions)
        read = [reference.memoize(Mentions, read_mentions) for reference in references]
        matched = [match(ours, theirs, self.other) for theirs in read]
        rows = [self._counts(ours, *pair) for pair in zip(read, matched, strict=True)]
        best = int(self.score(np.array(rows)).argmax())
        return self._view(
            row, ((hypothesis, ours), (references[best], read[best])), matched[best], best
        )

    def _view(
        self, row: FloatArray, texts: tuple[Text, Text], matched: Matched, reference: int
    ) -> View:
        """The view of a document against one reference."""
        score = float(self.segment_score(row))
        numbers = [_by_chain(mentions) for _, mentions in texts]
        partners = {theirs: ours for ours, theirs in matched.chains.items()}
        pairs: list[tuple[int | None, int | None]] = [
            (partners.get(theirs), theirs) for theirs in numbers[1]
        ]
        pairs += [(ours, None) for ours in numbers[0] if ours not in matched.chains]
        credit = [{pair[side]: self._worth(pair[2]) for pair in matched.met} for side in (0, 1)]
        weights = _weights(len(texts[0][1].mentions), len(texts[1][1].mentions), self.average)
        chains, losses = [], []
        for pair in pairs:
            own = [[] if one is None else numbers[side][one] for side, one in enumerate(pair)]
            chain = _chain(pair, own, texts, matched)
            chains.append(chain)
            lost = sum(
                weights[side] * (1 - credit[side].get(n, 0.0)) for side in (0, 1) for n in own[side]
            )
            places = tuple(
                _place(side, texts[side][1].mentions[n])
                for side in (0, 1)
                for n in own[side]
                if credit[side].get(n, 0.0) < 1
            )
            if lost:
                losses.append(Loss(f"{chain.word}: {chain.kind}", lost, places))
        if not losses and score < 1:
            losses.append(Loss("only one of the texts has chains", 1 - score))
        chains.sort(
            key=lambda one: (_ORDER.index(one.kind), -len(one.tokens[0]) - len(one.tokens[1]))
        )
        ours, theirs = ((analysis.text, analysis[TOKENS]) for analysis, _ in texts)
        both = compare_pair(ours, theirs, reference)
        links = [_link(texts, a, b, self._worth(same)) for a, b, same in matched.met]
        shown = Chains(len(texts[0][1].lines), matched.length, tuple(chains))
        return self.view(row, both, links, losses, chains=shown)


def _weights(held: int, wanted: int, average: Average) -> tuple[float, float]:
    """What a mention of each text weighs; nothing where only one of the texts has any."""
    if not held or not wanted:
        return 0.0, 0.0
    if average == "f":
        return 1 / (held + wanted), 1 / (held + wanted)
    return (1 / held, 0.0) if average == "precision" else (0.0, 1 / wanted)


def _by_chain(mentions: Mentions) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for number, mention in enumerate(mentions.mentions):
        found[mention.chain].append(number)
    return found


def _place(side: int, mention: Mention) -> Place:
    return Place(side, tuple(range(mention.start, mention.stop)))


def _words(text: Text, mention: Mention) -> str:
    return " ".join(text[0][TOKENS].forms[mention.start : mention.stop])


def _chain(
    pair: tuple[int | None, int | None],
    own: list[list[int]],
    texts: tuple[Text, Text],
    matched: Matched,
) -> Chain:
    """A chain in both texts, named by its first mention that is no pronoun."""
    kind: ChainKind = "missed" if pair[0] is None else "false" if pair[1] is None else "matching"
    side = 0 if pair[1] is None else 1
    mentions = [texts[side][1].mentions[n] for n in own[side]]
    named = next((m for m in mentions if m.kind != "pronoun"), mentions[0])
    places, heads = [], []
    for n, numbers in enumerate(own):
        places.append(tuple(sorted({matched.positions[n][k] + 1 for k in numbers})))
        spans = (texts[n][1].mentions[k] for k in numbers)
        heads.append(tuple(sorted({word for m in spans for word in range(m.start, m.stop)})))
    key = f"{side}.{pair[side]}"
    return Chain(key, _words(texts[side], named), kind, tuple(places), tuple(heads))


def _link(texts: tuple[Text, Text], a: int, b: int, strength: float) -> Link:
    mine, yours = texts[0][1].mentions[a], texts[1][1].mentions[b]
    kind = mine.kind if mine.kind == yours.kind else f"{mine.kind} for {yours.kind}"
    return Link(_place(0, mine), _place(1, yours), strength, kind)


def texts_of(batch: Batch, document: Document) -> tuple[Analysis, list[Analysis]]:
    """Return the annotations of a document's translation and of its references."""
    hypothesis, *references = (
        batch.document_analyses[tuple(lines[document.rows])]
        for lines in (batch.hypotheses, *batch.references)
    )
    return hypothesis, references
