"""Pairs of translations of which one is wrong in its context, beside the context of another pair."""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

__all__ = ["Contrast", "elsewhere", "read_contrasts"]

SEED = 15


@dataclass(frozen=True)
class Contrast:
    """A right and a wrong translation of a sentence, and the English text before it."""

    id: str
    kind: str
    """The change, as the data call it: ``animacy:it>them``."""
    language: str
    context: str
    good: str
    bad: str
    fields: dict[str, str]
    """Everything else in the table."""

    @property
    def texts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Both as documents: the context, and the sentence."""
        return (self.context, self.good), (self.context, self.bad)


def read_contrasts(path: Path) -> list[Contrast]:
    """The pairs of a ``contrastive.tsv``."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Contrast(
            row["id"],
            row["phenomenon"],
            row["src_lang"],
            row["context"],
            row["good"],
            row["bad"],
            row,
        )
        for row in rows
    ]


def elsewhere(pairs: Sequence[Contrast]) -> list[Contrast]:
    """Each pair with the context of another one of its language, drawn with a fixed seed."""
    found: dict[str, Contrast] = {}
    for language in sorted({pair.language for pair in pairs}):
        mine = [pair for pair in pairs if pair.language == language]
        random.Random(SEED).shuffle(mine)
        for one, other in zip(mine, [*mine[1:], mine[0]], strict=True):
            found[one.id] = replace(one, context=other.context)
    return [found[pair.id] for pair in pairs]
