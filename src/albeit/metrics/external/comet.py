"""``comet`` and ``comet-qe``: any checkpoint of COMET, through its own package.

The package ``unbabel-comet`` (extra ``albeit[comet]``) loads the checkpoint and computes the
scores; what to score, in which batches and where results go is as for every other metric.
Nothing is downloaded: a checkpoint is a file, a folder, or a name that COMET's or Hugging Face's
cache knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray, MeanMetric, mean_statistics
from albeit.metrics.external.checkpoints import Checkpoint, find_checkpoint, predicted
from albeit.metrics.view import Loss, Place, View, compare_lines
from albeit.parsing.layers import TEXT, Tokens
from albeit.parsing.needs import Need, Side

__all__ = ["Comet", "CometQe"]

_SEVERITY = {"minor": 1.0, "major": 5.0, "critical": 10.0}
"""What XCOMET takes off for a span, of at most 25."""
_MOST = 25.0


@dataclass(frozen=True)
class Comet(MeanMetric):
    """A COMET model beside source and reference; documents and systems have the mean.

    ``model`` is a checkpoint (``.ckpt``), a folder with one, or a name such as
    ``Unbabel/wmt22-comet-da`` that is in the cache. Several references: the best counts.
    """

    model: str = "Unbabel/wmt22-comet-da"
    batch_size: int = 16

    name: ClassVar[str] = "comet"
    summary: ClassVar[str] = "COMET: a learned score of the translation, its source and reference"
    needs: ClassVar[frozenset[Need]] = frozenset(Need(TEXT, side) for side in Side)
    """All three texts."""

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise MetricError(f"{self.name}: batch_size must be at least 1.")

    @property
    def files(self) -> tuple[str, ...]:
        """What the checkpoint says of itself."""
        return (str(self._checkpoint().about),)

    def check(self, evalset: EvalSet) -> None:
        """The package and the checkpoint must be here, and it must read what it is given."""
        super().check(evalset)
        found = self._checkpoint()
        if found.beside_reference is not None and found.beside_reference != self._refers():
            other, what = ("comet-qe", "no") if self._refers() else ("comet", "a")
            raise MetricError(f"{self}: this checkpoint takes {what} reference. Use {other}.")

    def versions(self, context: Context = None) -> dict[str, str]:
        """The checkpoint's digest, and the packages that compute with it."""
        from importlib.metadata import version

        found = {"checkpoint": self._checkpoint().digest()}
        return found | {name: version(name) for name in ("unbabel-comet", "torch")}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """(score, 1) per segment."""
        found = self._predicted(self._samples(batch))
        scores = np.array([each["score"] for each in found], dtype=np.float64)
        return mean_statistics(scores.reshape(-1, len(batch)).max(axis=0))

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """The spans that XCOMET marks as errors, each with what it took from the score.

        Other checkpoints mark none: what is missing then stands without a place.
        """
        samples = self._samples(batch)
        found = self._predicted(samples)
        best = max(range(len(found)), key=lambda at: float(found[at]["score"]))
        sample, lang = samples[best], batch.target_lang
        translation, _ = compare_lines(Side.HYPOTHESIS, [sample["mt"]], lang)
        source, _ = compare_lines(Side.SOURCE, [sample["src"]], batch.source_lang or lang)
        texts = [translation, source]
        if self._refers():
            texts.insert(1, compare_lines(Side.REFERENCE, [sample["ref"]], lang, best)[0])
        score = float(self.segment_score(row))
        spans, weight = found[best].get("spans"), float(found[best].get("weight", 0.0))
        losses = _losses(spans or (), weight, translation.tokens)
        rest = self.scale - score - sum(loss.amount for loss in losses)
        notes = () if spans is not None else ("this checkpoint marks no spans",)
        return self.view(row, texts, losses=[*losses, Loss("no marked span", rest)], notes=notes)

    def _refers(self) -> bool:
        return self.reads(Side.REFERENCE)

    def _checkpoint(self) -> Checkpoint:
        return find_checkpoint(self.model, str(self))

    def _samples(self, batch: Batch) -> list[dict[str, str]]:
        """Every segment beside every reference, references one after the other."""
        if not self._refers():
            pairs = zip(batch.sources or (), batch.hypotheses, strict=True)
            return [{"src": source, "mt": line} for source, line in pairs]
        return [
            {"src": source, "mt": line, "ref": reference}
            for lines in batch.references
            for source, line, reference in zip(
                batch.sources or (), batch.hypotheses, lines, strict=True
            )
        ]

    def _predicted(self, samples: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
        return predicted(self._checkpoint(), samples, self.batch_size)


@dataclass(frozen=True)
class CometQe(Comet):
    """A COMET model beside the source alone; documents and systems have the mean.

    ``model`` is a checkpoint (``.ckpt``), a folder with one, or a name such as
    ``Unbabel/wmt22-cometkiwi-da`` that is in the cache.
    """

    model: str = "Unbabel/wmt22-cometkiwi-da"

    name: ClassVar[str] = "comet-qe"
    summary: ClassVar[str] = "COMET without references: a learned score of translation and source"
    needs: ClassVar[frozenset[Need]] = Comet.needs - {Need(TEXT, Side.REFERENCE)}
    """Source and translation."""


def _losses(spans: Sequence[Mapping[str, Any]], weight: float, tokens: Tokens) -> list[Loss]:
    """What each span took: its share of the part of the score that XCOMET makes of spans."""
    points = [_SEVERITY.get(str(span["severity"]), 0.0) for span in spans]
    total = sum(points)
    scale = weight * min(1.0, _MOST / total) / _MOST if total else 0.0
    found = []
    for span, worth in zip(spans, points, strict=True):
        inside = tuple(
            k
            for k, (start, stop) in enumerate(tokens.offsets)
            if start < int(span["end"]) and stop > int(span["start"])
        )
        label = f"{span['severity']}: {str(span['text']).strip()}"
        details: dict[str, str | float] = {
            "confidence": float(span["confidence"]),
            "severity": str(span["severity"]),
        }
        places = (Place(0, inside),) if inside else ()
        found.append(Loss(label, worth * scale, places, details))
    return sorted(found, key=lambda loss: -loss.amount)
