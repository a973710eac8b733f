"""Document cohesion by simplified lexical chains (Gong and Zhou 2015)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from albeit.data.evalset import EvalSet
from albeit.data.levels import Unit
from albeit.data.textio import warn
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray, MeanMetric, mean_statistics
from albeit.metrics.cohesion.compare import Average, agreement, chain_losses, consensus
from albeit.metrics.cohesion.layout import DocumentText, joined, lay_out, leaders
from albeit.metrics.view import Chain, Chains, Compared, Loss, Place, View
from albeit.parsing.chains import AnalysedReader, aligned_positions, read_document
from albeit.parsing.content import ALPHABETIC, LANGUAGES, Relation, WordForm, content_words
from albeit.parsing.layers import (
    DEPENDENCIES,
    ENTITIES,
    LEMMAS,
    SENTENCES,
    STEMS,
    TOKENS,
    WORDS,
    DocumentWords,
    Layer,
    chains,
)
from albeit.parsing.layers import Chains as Positions
from albeit.parsing.needs import Need, Side, compared
from albeit.parsing.sentences import splitter
from albeit.resources import wordnet

__all__ = ["Cohesion"]

LAYERS: dict[WordForm, Layer[DocumentWords]] = {"stem": STEMS, "lemma": LEMMAS, "word": WORDS}


@dataclass(frozen=True)
class Cohesion(MeanMetric):
    """The share of a translation's lexical chains that stand where the reference has them.

    ``words`` is how words are compared. ``wordnet`` also joins English words that are
    synonyms, or synonyms and direct superordinates. ``content`` finds content words by a
    stop list, or by part of speech; ``entities`` makes a named entity one word (both ask
    for the model). ``average``, ``tolerance`` and ``consensus`` are how chains are
    compared. With ``realign`` the sentences inside segments are separated and matched;
    without, a segment is a sentence. A system's score is the mean over its documents.
    """

    name: ClassVar[str] = "cohesion"
    summary: ClassVar[str] = "lexical chains that stand where the reference has them (document)"
    unit: ClassVar[Unit] = Unit.DOCUMENT
    whole_set: ClassVar[bool] = False
    """What it warns of beforehand does not change a score."""
    width: ClassVar[int] = 2
    """How many numbers a row of statistics holds."""

    words: WordForm = "stem"
    wordnet: Literal["no", "synonyms", "hypernyms"] = "no"
    content: Literal["stoplist", "pos"] = "stoplist"
    entities: bool = False
    average: Average = "precision"
    tolerance: int = 0
    consensus: Literal["best", "weighted"] = "best"
    realign: bool = True

    def __post_init__(self) -> None:
        if self.tolerance not in (0, 1):
            raise MetricError(f"{self.name}: tolerance is 0 or 1 sentences, not {self.tolerance}.")
        if self.wordnet != "no" and self.words == "word":
            raise MetricError(f"{self.name}: WordNet knows lemmas; leave words=word out.")

    @property
    def needs(self) -> frozenset[Need]:
        """Content words of documents; analyses of lines for parts of speech and entities."""
        tagged = [DEPENDENCIES] if self.content == "pos" else []
        named = [ENTITIES] if self.entities else []
        if not tagged and not named:
            return compared(LAYERS[self._form])
        return compared(TOKENS, SENTENCES, *tagged, *named)

    @property
    def languages(self) -> frozenset[str]:
        """Languages with a stop list; English only where WordNet is asked."""
        if self.wordnet != "no" or self.words == "lemma":
            return frozenset({"en"})
        return LANGUAGES if self.words == "stem" else ALPHABETIC

    def prepare(self, evalset: EvalSet) -> Context:
        """Tell how many segments hold several sentences, which will be matched."""
        if self.realign:
            _tell_of_sentences(evalset)
        return None

    def versions(self, context: Context = None) -> dict[str, str]:
        """Stemmer, WordNet and model, where they are used."""
        from importlib.metadata import version

        found = super().versions(context)
        if self.words == "stem":
            found["snowball"] = version("snowballstemmer")
        if self.wordnet != "no" or self.words == "lemma":
            found["wordnet"] = wordnet().version
        return found

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """The score of each document, and a one."""
        scores = []
        for document in batch.documents:
            texts = [tuple(lines[document.rows]) for lines in (batch.hypotheses, *batch.references)]
            ours, *theirs = self.read(texts, batch)
            pairs = [self.pair(ours, reference) for reference in theirs]
            if self.consensus == "weighted":
                scores.append(consensus(pairs, self.average, self.tolerance))
            else:
                scores.append(max(agreement(p, self.average, self.tolerance) for p in pairs))
        return mean_statistics(scores)

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """The chains of a document and what each took from the score, by the references that count."""
        lines = [tuple(batch.hypotheses), *map(tuple, batch.references)]
        ours, *theirs = self.read(lines, batch)
        pairs = dict(enumerate(self.pair(ours, reference) for reference in theirs))
        if self.consensus == "best":
            best = max(pairs, key=lambda r: agreement(pairs[r], self.average, self.tolerance))
            pairs = {best: pairs[best]}
        texts = [DocumentText(Side.HYPOTHESIS, lines[0], ours)]
        texts += [DocumentText(Side.REFERENCE, lines[r + 1], theirs[r], r) for r in pairs]
        compared, found = self.lay_out(texts, batch)
        lost = chain_losses(list(pairs.values()), self.average, self.tolerance)
        rows = {chain.key: chain for chain in found.rows}
        losses = [
            _loss(rows[key], amount) if key in rows else Loss(key, amount)
            for key, amount in lost.items()
        ]
        missing = 1 - float(self.segment_score(row))
        if not lost and missing > 0:
            losses.append(Loss("only one of the texts has chains", missing))
        return self.view(row, compared, losses=losses, chains=found)

    def side_by_side(
        self, batch: Batch, systems: Mapping[str, Sequence[str]], references: Sequence[str]
    ) -> View:
        """The chains of one document in all its references and systems, without a score."""
        lines = [*map(tuple, batch.references), *map(tuple, systems.values())]
        names = [*references, *systems]
        texts = [
            DocumentText(
                Side.REFERENCE if n < len(references) else Side.HYPOTHESIS, text, words, n, name
            )
            for n, (text, words, name) in enumerate(
                zip(lines, self.read(lines, batch), names, strict=True)
            )
        ]
        compared, found = self.lay_out(texts, batch)
        return View(str(self), math.nan, 1.0, compared, chains=found)

    def lay_out(
        self, texts: Sequence[DocumentText], batch: Batch
    ) -> tuple[tuple[Compared, ...], Chains]:
        """The chains of any texts of a document, side by side."""
        analyses = batch.analyses if self.annotated else None
        return lay_out(
            texts, content_words(batch.target_lang, self._form), self._relation, analyses
        )

    @property
    def _form(self) -> WordForm:
        return self.words if self.wordnet == "no" else "lemma"

    @property
    def _relation(self) -> Relation | None:
        return None if self.wordnet == "no" else self.wordnet

    def read(self, texts: Sequence[tuple[str, ...]], batch: Batch) -> list[DocumentWords]:
        """The content words of each text of a document."""
        if not self.annotated:
            found = [batch.document_analyses[text][LAYERS[self._form]] for text in texts]
            return found if self.realign else [words.whole_segments for words in found]
        analysed = AnalysedReader(
            batch.analyses,
            content_words(batch.target_lang, self._form),
            self.content == "pos",
            self.entities,
            self.realign,
        )
        return [read_document(text, analysed) for text in texts]

    def pair(self, ours: DocumentWords, theirs: DocumentWords) -> tuple[Positions, Positions]:
        """The chains of a translation and of a reference, ready to be compared."""
        left, right = aligned_positions(ours, theirs)
        if self._relation is not None:
            leader = leaders((left, right), self._relation)
            left, right = joined(left, leader), joined(right, leader)
        return chains(left), chains(right)


def _loss(chain: Chain, amount: float) -> Loss:
    places = (Place(text, tokens) for text, tokens in enumerate(chain.tokens) if tokens)
    return Loss(f"{chain.word}: {chain.kind}", amount, tuple(places))


def _tell_of_sentences(evalset: EvalSet) -> None:
    """Warn of segments in which some text holds several sentences."""
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
