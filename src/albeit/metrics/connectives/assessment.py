"""A whole test set assessed: every verdict of every system, and how it was reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from albeit.corpus.evalset import EvalSet
from albeit.metrics.connectives.act import Act, ActContext
from albeit.metrics.connectives.assess import Verdict
from albeit.metrics.signature import Signature

__all__ = ["Assessment"]


@dataclass(frozen=True)
class Assessment:
    """The verdicts on each system, in the order of the source's connectives."""

    evalset: EvalSet
    metric: Act
    context: ActContext
    verdicts: Mapping[str, tuple[Verdict, ...]]
    signature: Signature
