"""``judge-facts`` and ``judge-src``: facts about a translation, weighed as people's preferences say.

A judge for fifteen languages with a weight a fact, and nothing else: the preferences there are
out of English are too few for a network, which learns the systems instead of the errors. The raw
score of a translation is the logit with which people would prefer it to a typical one of those
they judged, so that 50 is a typical translation; what each fact costs or wins, beside what it
typically is, explains a score.
"""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from albeit.annotate.annotators.multilingual import LANGUAGES, MULTILINGUAL
from albeit.annotate.layers import TEXT
from albeit.annotate.needs import Need, Side, read
from albeit.corpus.evalset import EvalSet
from albeit.errors import LanguageError
from albeit.metrics.base import (
    Batch,
    Context,
    FloatArray,
    Metric,
    mean_score,
    mean_statistics,
)
from albeit.metrics.view import Compared, Loss, View

if TYPE_CHECKING:
    from albeit.annotate.multilingual.states import Text

__all__ = ["JudgeFacts", "JudgeSrc", "Weighed"]

FITTED = Path(__file__).parent / "facts.json"
PORTION = 128
"""Pairs whose texts are in memory at the same time."""


@dataclass(frozen=True)
class Weighed(Metric):
    """What both have in common; each says what stands beside a translation."""

    scale: ClassVar[float] = 100.0
    beside: ClassVar[Side]

    @property
    def languages(self) -> frozenset[str]:
        """Those of the encoder."""
        return LANGUAGES

    @property
    def exact(self) -> bool:
        """The encoder is a network."""
        return False

    def check(self, evalset: EvalSet) -> None:
        """The encoder must be there before work begins."""
        super().check(evalset)
        MULTILINGUAL.ensure()

    def versions(self, context: Context = None) -> dict[str, str]:
        """The encoder's, and a checksum of the weights."""
        digest = hashlib.sha256(FITTED.read_bytes()).hexdigest()[:8]
        return {"encoder": MULTILINGUAL.version, "weights": digest}

    def score(self, sums: FloatArray) -> FloatArray:
        """The mean."""
        return mean_score(sums)

    @abstractmethod
    def others(self, batch: Batch) -> Sequence[Sequence[str]]:
        """What stands beside the translations: one text or several, line by line."""

    @abstractmethod
    def facts(self, pairs: Sequence[tuple[str, str]], known: dict[str, Text]) -> list[list[float]]:
        """The facts of each pair of a translation and what stands beside it."""

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """(score, 1) a segment."""
        return mean_statistics(self._scores(batch).max(axis=0))

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """What each fact cost, or won back, beside what it is in a typical translation."""
        from albeit.annotate.multilingual.states import read_texts

        best = int(self._scores(batch)[:, 0].argmax())
        texts = batch.hypotheses[0], self.others(batch)[best][0]
        known = dict(zip(texts, read_texts(texts), strict=True))
        compared = tuple(
            Compared(side, text, known[text].tokens, number)
            for side, text, number in zip(
                (Side.HYPOTHESIS, self.beside), texts, (0, best), strict=True
            )
        )
        score = float(self.segment_score(row))
        if all(len(known[text].ids) for text in texts):
            (facts,) = self.facts([texts], known)
            losses = _losses(_fitted(self.name), facts, score, self.scale)
        else:
            missing = self.scale - score
            losses = (Loss("one of the texts is empty", missing),) if missing else ()
        return View(str(self), score, self.scale, compared, losses=losses)

    def _scores(self, batch: Batch) -> FloatArray:
        """Beside each text: (texts, segments)."""
        others = self.others(batch)
        pairs = [pair for lines in others for pair in zip(batch.hypotheses, lines, strict=True)]
        return self.scores(pairs).reshape(len(others), len(batch))

    def scores(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """From 0 to 100. An empty text beside one that is not scores 0; two empty ones, 100."""
        from albeit.annotate.multilingual.states import read_texts

        found: dict[tuple[str, str], float] = {}
        todo = list(dict.fromkeys(pairs))
        fitted = _fitted(self.name)
        for at in range(0, len(todo), PORTION):
            some = todo[at : at + PORTION]
            texts = list(dict.fromkeys(text for pair in some for text in pair))
            known = dict(zip(texts, read_texts(texts), strict=True))
            full = [pair for pair in some if all(len(known[text].ids) for text in pair)]
            found |= {pair: _without(pair, known) for pair in some}
            facts_of = self.facts(full, known) if full else []
            for pair, facts in zip(full, facts_of, strict=True):
                found[pair] = self.scale / (1 + float(np.exp(-fitted.raw(facts))))
        return np.array([found[pair] for pair in pairs])


def _without(pair: Iterable[str], known: dict[str, Text]) -> float:
    """The score of a pair of which a text has no words."""
    return 0.0 if any(len(known[text].ids) for text in pair) else 100.0


class _Fitted(NamedTuple):
    """What was learned: the facts by name, what each weighs, and what each is typically."""

    names: tuple[str, ...]
    weights: FloatArray
    typical: FloatArray

    def raw(self, facts: Sequence[float]) -> float:
        """The logit of a translation with these facts against a typical one."""
        return float(np.dot(self.weights, facts) - np.dot(self.weights, self.typical))


@cache
def _fitted(name: str) -> _Fitted:
    found = json.loads(FITTED.read_text(encoding="utf-8"))[name]
    weights, typical = (np.array(list(found[part].values())) for part in ("weights", "typical"))
    return _Fitted(tuple(found["weights"]), weights, typical)


def _losses(
    fitted: _Fitted, facts: Sequence[float], score: float, scale: float
) -> tuple[Loss, ...]:
    """What a typical translation lacks, and each fact's share of the way from there, most first.

    Along the curve all shares are cut alike, so that they add up.
    """
    raw = fitted.raw(facts)
    slope = (score - scale / 2) / raw if raw else scale / 4
    amounts = -slope * fitted.weights * (np.array(facts) - fitted.typical)
    found = [
        Loss(
            f"{name}: {fact:.3f}, typically {typical:.3f}",
            amount,
            (),
            {"fact": fact, "typical": typical, "weight": weight},
        )
        for name, fact, typical, weight, amount in zip(
            fitted.names,
            facts,
            fitted.typical.tolist(),
            fitted.weights.tolist(),
            amounts.tolist(),
            strict=True,
        )
    ]
    found.sort(key=lambda loss: -loss.amount)
    return (Loss("a typical translation", scale / 2), *found)


@dataclass(frozen=True)
class JudgeFacts(Weighed):
    """Facts beside the reference, chrF among them; several references: the best counts."""

    name: ClassVar[str] = "judge-facts"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = "chrF, similarities and lengths, weighed by people's preferences"

    beside: ClassVar[Side] = Side.REFERENCE

    def others(self, batch: Batch) -> Sequence[Sequence[str]]:
        """The references."""
        return batch.references

    def facts(self, pairs: Sequence[tuple[str, str]], known: dict[str, Text]) -> list[list[float]]:
        """Beside the reference."""
        from albeit.metrics.judge.facts import beside_reference, chrf_scores

        return [
            beside_reference(known[ours], known[theirs], score)
            for (ours, theirs), score in zip(pairs, chrf_scores(pairs), strict=True)
        ]


@dataclass(frozen=True)
class JudgeSrc(Weighed):
    """Facts beside the source alone: no reference is read."""

    name: ClassVar[str] = "judge-src"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = (
        "facts beside the source, weighed by people's preferences; no reference"
    )
    beside: ClassVar[Side] = Side.SOURCE

    @property
    def needs(self) -> frozenset[Need]:
        """Translation and source."""
        return read(TEXT, side=Side.HYPOTHESIS) | read(TEXT, side=Side.SOURCE)

    def check(self, evalset: EvalSet) -> None:
        """The source, too, must be in a language of the encoder."""
        super().check(evalset)
        if evalset.source_lang not in LANGUAGES:
            known = ", ".join(sorted(LANGUAGES))
            said = (
                repr(evalset.source_lang) if evalset.source_lang else "a language that is not given"
            )
            raise LanguageError(
                f"{self} cannot read a source in {said}; it knows {known}. Give --source-lang CODE."
            )

    def others(self, batch: Batch) -> Sequence[Sequence[str]]:
        """The source."""
        return (batch.sources or (),)

    def facts(self, pairs: Sequence[tuple[str, str]], known: dict[str, Text]) -> list[list[float]]:
        """Beside the source."""
        from albeit.metrics.judge.facts import beside_source

        return [beside_source(known[ours], known[source]) for ours, source in pairs]
