"""Document cohesion by simplified lexical chains (Gong and Zhou 2015)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import ClassVar, Literal

from albeit.data.evalset import EvalSet
from albeit.data.levels import Unit
from albeit.data.textio import warn
from albeit.metrics.base import Batch, Context, FloatArray, MeanMetric, mean_statistics
from albeit.metrics.cohesion.layout import DocumentText, lay_out
from albeit.metrics.view import Chain, Loss, Place, View
from albeit.parsing.content import ALPHABETIC, LANGUAGES, aligned_positions, content_words
from albeit.parsing.layers import STEMS, WORDS, DocumentWords, Layer, chains
from albeit.parsing.layers import Chains as Positions
from albeit.parsing.needs import Need, Side, compared
from albeit.parsing.sentences import splitter

__all__ = [
    "NOTHING_KEPT",
    "NOTHING_TO_KEEP",
    "Average",
    "Cohesion",
    "agreement",
    "chain_losses",
]

Average = Literal["precision", "recall", "f"]
LAYERS: dict[str, Layer[DocumentWords]] = {"stem": STEMS, "word": WORDS}

NOTHING_TO_KEEP = 1.0
"""The score if neither text has a chain (one sentence, say): they agree in that."""
NOTHING_KEPT = 0.0
"""The score if only one of the two texts has chains."""


def agreement(hypothesis: Positions, reference: Positions, average: Average) -> float:
    """Return the score of one document against one reference.

    ``precision`` is the paper's: each chain scores m'/m, the share of the reference's positions
    that it has; the mean over the translation's chains, where false ones score 0. ``recall`` is
    the mean of the same scores over the reference's chains, where missed ones score 0. ``f`` is
    the F-measure over the positions of all chains.
    """
    if not hypothesis or not reference:
        return NOTHING_KEPT if hypothesis or reference else NOTHING_TO_KEEP
    shared = {
        key: (bits & reference[key]).bit_count()
        for key, bits in hypothesis.items()
        if key in reference
    }
    if average == "f":
        positions = [bits.bit_count() for side in (hypothesis, reference) for bits in side.values()]
        return 2 * sum(shared.values()) / sum(positions)
    scores = (count / reference[key].bit_count() for key, count in shared.items())
    return sum(scores) / len(hypothesis if average == "precision" else reference)


def chain_losses(hypothesis: Positions, reference: Positions, average: Average) -> dict[str, float]:
    """Return the loss of each chain (in all 1 - score); none unless both texts have chains."""
    if not hypothesis or not reference:
        return {}
    lost: dict[str, float] = {}
    whole = 0.0
    for key in dict.fromkeys([*hypothesis, *reference]):
        held, wanted = hypothesis.get(key, 0), reference.get(key, 0)
        shared = (held & wanted).bit_count()
        if average == "f":
            part = held.bit_count() + wanted.bit_count()
            lost[key] = part - 2 * shared
        else:
            part = int(key in (hypothesis if average == "precision" else reference))
            lost[key] = part * (1 - shared / max(1, wanted.bit_count()))
        whole += part
    return {key: amount / whole for key, amount in lost.items()}


@dataclass(frozen=True)
class Cohesion(MeanMetric):
    """The share of a translation's lexical chains that are at the reference's positions.

    ``average`` is over the translation's chains (precision), over the reference's (recall), or
    over the positions of both (f). ``words`` is how words are compared. With ``realign``, the
    sentences inside segments are separated and matched; without, a segment is a sentence. A
    system's score is the mean over its documents.
    """

    name: ClassVar[str] = "cohesion"
    summary: ClassVar[str] = "lexical chains that stand where the reference has them (document)"
    unit: ClassVar[Unit] = Unit.DOCUMENT
    whole_set: ClassVar[bool] = False
    """The warning of :meth:`prepare` doesn't change a score."""
    width: ClassVar[int] = 2
    """How many numbers a row of statistics has."""

    words: Literal["stem", "word"] = "stem"
    average: Average = "precision"
    realign: bool = True

    @property
    def needs(self) -> frozenset[Need]:
        """Content words of documents."""
        return compared(LAYERS[self.words])

    @property
    def languages(self) -> frozenset[str]:
        """Languages with a stop list."""
        return LANGUAGES if self.words == "stem" else ALPHABETIC

    def prepare(self, evalset: EvalSet) -> Context:
        """Warn of segments with several sentences, which are matched."""
        if self.realign:
            _warn_of_sentences(evalset)
        return None

    def versions(self, context: Context = None) -> dict[str, str]:
        """Add the stemmer."""
        return {"snowball": version("snowballstemmer")} if self.words == "stem" else {}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return (score, 1) per document, by the best reference."""
        scores = []
        for document in batch.documents:
            texts = [tuple(lines[document.rows]) for lines in (batch.hypotheses, *batch.references)]
            hypothesis, *references = self._read(texts, batch)
            pairs = (_chains(hypothesis, reference) for reference in references)
            scores.append(max(agreement(*pair, self.average) for pair in pairs))
        return mean_statistics(scores)

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show the chains of a document and the loss of each, by the best reference."""
        lines = [tuple(batch.hypotheses), *map(tuple, batch.references)]
        hypothesis, *references = self._read(lines, batch)
        pairs = [_chains(hypothesis, reference) for reference in references]
        scores = [agreement(*pair, self.average) for pair in pairs]
        best = scores.index(max(scores))
        texts = [
            DocumentText(Side.HYPOTHESIS, lines[0], hypothesis),
            DocumentText(Side.REFERENCE, lines[best + 1], references[best], best),
        ]
        shown, found = lay_out(texts, content_words(batch.target_lang, self.words))
        rows = {chain.key: chain for chain in found.rows}
        losses = [
            _loss(rows[key], amount) if key in rows else Loss(key, amount)
            for key, amount in chain_losses(*pairs[best], self.average).items()
        ]
        missing = 1 - float(self.segment_score(row))
        if not losses and missing > 0:
            losses.append(Loss("only one of the texts has chains", missing))
        return self.view(row, shown, losses=losses, chains=found)

    def side_by_side(
        self, batch: Batch, systems: Mapping[str, Sequence[str]], references: Sequence[str]
    ) -> View:
        """Show the chains of one document in all its references and systems, without a score."""
        lines = [*map(tuple, batch.references), *map(tuple, systems.values())]
        sides = [Side.REFERENCE] * len(references) + [Side.HYPOTHESIS] * len(systems)
        read = zip(sides, lines, self._read(lines, batch), [*references, *systems], strict=True)
        texts = [
            DocumentText(side, text, words, number, name)
            for number, (side, text, words, name) in enumerate(read)
        ]
        shown, found = lay_out(texts, content_words(batch.target_lang, self.words))
        return View(str(self), math.nan, 1.0, shown, chains=found)

    def _read(self, texts: Sequence[tuple[str, ...]], batch: Batch) -> list[DocumentWords]:
        """Return the content words of each text of a document."""
        found = [batch.document_analyses[text][LAYERS[self.words]] for text in texts]
        return found if self.realign else [words.whole_segments for words in found]


def _chains(hypothesis: DocumentWords, reference: DocumentWords) -> tuple[Positions, Positions]:
    """Return the chains of a translation and of a reference, in positions that can be compared."""
    left, right = aligned_positions(hypothesis, reference)
    return chains(left), chains(right)


def _loss(chain: Chain, amount: float) -> Loss:
    places = (Place(text, tokens) for text, tokens in enumerate(chain.tokens) if tokens)
    return Loss(f"{chain.word}: {chain.kind}", amount, tuple(places))


def _warn_of_sentences(evalset: EvalSet) -> None:
    """Warn of segments that have several sentences in some text."""
    split = splitter(evalset.target_lang)
    several: set[int] = set()
    for lines in (*evalset.references.values(), *evalset.systems.values()):
        several.update(i for i, line in enumerate(lines) if len(split(line)) > 1)
    if several:
        warn(
            f"{len(several)} of {len(evalset)} segments hold several sentences in some text;"
            " for cohesion they are matched in order with those of the reference"
            " (realign=no takes each segment as one sentence).",
            count=len(several),
        )
