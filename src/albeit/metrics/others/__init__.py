"""Metrics of other people's making, as metrics of ours: any program, any function, COMET.

Here: which texts another's metric reads, and the rows of them that it is given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from albeit.annotate.layers import TEXT
from albeit.annotate.needs import Need, Side
from albeit.errors import MetricError
from albeit.metrics.base import Batch

__all__ = ["TEXTS", "checked_score", "needs_of", "ordered", "rows_of"]

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


def needs_of(texts: Iterable[str]) -> frozenset[Need]:
    """What that is as needs."""
    return frozenset(Need(TEXT, TEXTS[name]) for name in texts)


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
