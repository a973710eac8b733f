"""A part of a test set, with the judgments that belong to it: some documents, or what was judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from _common import judged_set

from albeit.corpus import EvalSet
from albeit.corpus.evalset import Document
from albeit.corpus.judgments import Pairs, Ratings

__all__ = ["sampled_set"]


def sampled_set(
    data: Path, year: str, pair: str, share: int = 1, *, judged: bool = False
) -> tuple[EvalSet, Pairs | Ratings]:
    """A judged set cut down to every ``share``-th document, if wanted to judged segments only."""
    evalset, judgments = judged_set(data, year, pair)
    if share == 1 and not judged:
        return evalset, judgments
    seen = np.full(len(evalset), not judged)
    seen[judgments.segment] = True
    kept = [
        (d.id, [n for n in range(d.start, d.stop) if seen[n]]) for d in evalset.documents[::share]
    ]
    segments = [n for _, rows in kept for n in rows]
    place = np.full(len(evalset), -1)
    place[segments] = np.arange(len(segments))
    cut = EvalSet(
        {k: tuple(v[n] for n in segments) for k, v in evalset.references.items()},
        {k: tuple(v[n] for n in segments) for k, v in evalset.systems.items()},
        documents=tuple(
            Document(name, int(place[rows[0]]), int(place[rows[-1]]) + 1)
            for name, rows in kept if rows
        ),
        source_lang=evalset.source_lang, target_lang=evalset.target_lang, name=evalset.name,
    )  # fmt: skip
    return cut, _moved(judgments, place)


def _moved(judgments: Pairs | Ratings, place: np.ndarray) -> Pairs | Ratings:
    """The judgments of the segments that have a place."""
    rows = place[judgments.segment] >= 0
    if isinstance(judgments, Pairs):
        some = judgments.take(rows)
        return replace(some, segment=place[some.segment])
    return replace(
        judgments, system=judgments.system[rows], segment=place[judgments.segment[rows]],
        score=judgments.score[rows], line=None,
    )  # fmt: skip
