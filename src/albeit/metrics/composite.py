"""Metrics made of metrics: a composite says what its parts are and how their rows combine.

The engine computes each distinct metric of a run once, so a composite costs next to nothing
where its parts are asked for as well, or are shared with another composite.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.errors import LanguageError, MetricError, MissingExtraError
from albeit.metrics.base import Batch, Context, Metric
from albeit.metrics.signature import Signature
from albeit.parsing.needs import Need

__all__ = ["Composite"]


@dataclass(frozen=True)
class Composite(Metric):
    """A metric whose rows are made of its parts' rows; its context is the parts' contexts."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Metric, ...]:
        """The metrics it is made of."""

    @abstractmethod
    def combine(self, rows: Sequence[FloatArray], batch: Batch) -> FloatArray:
        """Its rows over a batch, from the rows of its parts over that batch."""

    @property
    def needs(self) -> frozenset[Need]:
        """What any part needs."""
        return frozenset[Need]().union(*(part.needs for part in self.parts))

    @property
    def languages(self) -> frozenset[str] | None:
        """Languages that all parts know."""
        known = [part.languages for part in self.parts if part.languages is not None]
        return frozenset.intersection(*known) if known else None

    @property
    def exact(self) -> bool:
        """Whether no part has a network behind it."""
        return all(part.exact for part in self.parts)

    @property
    def whole_set(self) -> bool:
        """Whether any part looks at all texts."""
        return any(part.whole_set for part in self.parts)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that its parts read."""
        return tuple(dict.fromkeys(path for part in self.parts for path in part.files))

    def check(self, evalset: EvalSet) -> None:
        """Every part must be able to score the set; an error names the whole, if not."""
        super().check(evalset)
        for part in self.parts:
            try:
                part.check(evalset)
            except (LanguageError, MetricError, MissingExtraError) as error:
                raise type(error)(f"{self}: of its parts, {error}") from None

    def prepare(self, evalset: EvalSet) -> Context:
        """The parts' contexts."""
        return tuple(part.prepare(evalset) for part in self.parts)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Its rows where no engine shares the work."""
        return self.combine(
            [
                part.statistics(batch.seen_by(part), own)
                for part, own in zip(self.parts, context, strict=True)
            ],
            batch,
        )

    def part_signatures(self, context: Context = None) -> tuple[Signature, ...]:
        """The signatures of its parts."""
        contexts = context if context is not None else (None,) * len(self.parts)
        return tuple(part.signature(own) for part, own in zip(self.parts, contexts, strict=True))
