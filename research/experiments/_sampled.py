"""A part of a test set, with the judgments that belong to it: some documents, or what was judged."""

from __future__ import annotations

from pathlib import Path

from _common import judged_set

from albeit.judged import JudgedSet

__all__ = ["sampled_set"]


def sampled_set(
    data: Path, year: str, pair: str, share: int = 1, *, judged: bool = False
) -> JudgedSet:
    """A judged set cut down to every ``share``-th document, if wanted to judged segments only."""
    found = judged_set(data, year, pair)
    documents = found.evalset.documents[::share]
    cut = found.take([n for d in documents for n in range(d.start, d.stop)])
    return cut.judged_only() if judged else cut
