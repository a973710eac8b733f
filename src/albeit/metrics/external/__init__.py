"""Metrics of other people's making, as metrics of ours: any program, any function, COMET.

Here: which texts another's metric reads, and the rows of them that it is given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from albeit.errors import MetricError
from albeit.metrics.base import Batch, MeanMetric
from albeit.parsing.layers import TEXT
from albeit.parsing.needs import Need, Side

__all__ = ["TEXTS", "AsTold", "checked_score", "ordered", "rows_of"]

TEXTS = {"source": Side.SOURCE, "reference": Side.REFERENCE, "translation": Side.HYPOTHESIS}
"""What a user calls the texts, in the order in which a metric gets them."""


def ordered(metric: str, texts: Iterable[str]) -> tuple[str, ...]:
    """The texts in their one order; an error where one is unknown or the translation is missing."""
    given = set(texts)
    if not given <= set(TEXTS) or "translation" not in given:
        raise MetricError(
            f"{metric}: texts are those of {'+'.join(TEXTS)} that it reads, the translation among"
            f" them, not {'+'.join(texts)!r}."
        )
    return tuple(name for name in TEXTS if name in given)


class AsTold(MeanMetric):
    """A metric of which its user says what it reads and which way is better."""

    texts: tuple[str, ...]
    better: Literal["higher", "lower"]

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        """As its user says."""
        return self.better == "higher"

    @property
    def needs(self) -> frozenset[Need]:
        """The texts that it reads."""
        return frozenset(Need(TEXT, TEXTS[name]) for name in self.texts)


def rows_of(texts: Sequence[str], batch: Batch) -> list[str]:
    """One line per segment: source, every reference, translation between tabs, if they are read."""
    columns: list[Sequence[str]] = []
    if "source" in texts and batch.sources is not None:
        columns.append(batch.sources)
    if "reference" in texts:
        columns += batch.references
    return ["\t".join(row) for row in zip(*columns, batch.hypotheses, strict=True)]


def checked_score(value: object) -> float | None:
    """A number that can be a score; ``None`` for anything else."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
