"""What all cohesion metrics share: they score documents."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

from albeit.annotate.content import LANGUAGES
from albeit.annotate.sentences import splitter
from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Unit
from albeit.errors import AlbeitWarning
from albeit.metrics.base import Metric

__all__ = ["CohesionMetric", "tell_of_sentences"]


@dataclass(frozen=True)
class CohesionMetric(Metric):
    """A document-level score from 0 to 1, with two statistics a document."""

    unit: ClassVar[Unit] = Unit.DOCUMENT
    width: ClassVar[int] = 2
    """How many numbers a row of statistics holds."""

    @property
    def languages(self) -> frozenset[str] | None:
        """Languages with a stop list."""
        return LANGUAGES


def tell_of_sentences(evalset: EvalSet) -> None:
    """Warn of segments in which some text holds several sentences."""
    split = splitter(evalset.target_lang)
    several: set[int] = set()
    for lines in (*evalset.references.values(), *evalset.systems.values()):
        several.update(i for i, line in enumerate(lines) if len(split(line)) > 1)
    if several:
        warnings.warn(
            AlbeitWarning(
                f"{len(several)} of {len(evalset)} segments hold several sentences in some text;"
                " for cohesion they are matched in order with those of the reference"
                " (realign=no takes each segment as one sentence).",
                count=len(several),
            ),
            stacklevel=2,
        )
