"""A part of a test set: every so many documents, with the judgments that belong to them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from _common import judged_set

from albeit.corpus import EvalSet
from albeit.corpus.judgments import Pairs, Ratings
from albeit.corpus.model import Document

__all__ = ["sampled_set"]


def sampled_set(
    data: Path, year: str, pair: str, share: int = 1
) -> tuple[EvalSet, Pairs | Ratings]:
    """A judged set cut down to every ``share``-th document."""
    evalset, judgments = judged_set(data, year, pair)
    if share == 1:
        return evalset, judgments
    documents = evalset.documents[::share]
    segments = [n for d in documents for n in range(d.start, d.stop)]
    place = np.full(len(evalset), -1)
    place[segments] = np.arange(len(segments))
    stops = np.cumsum([len(d) for d in documents]).tolist()
    cut = EvalSet(
        {k: tuple(v[n] for n in segments) for k, v in evalset.references.items()},
        {k: tuple(v[n] for n in segments) for k, v in evalset.systems.items()},
        documents=tuple(
            Document(d.id, stop - len(d), stop) for d, stop in zip(documents, stops, strict=True)
        ),
        source_lang=evalset.source_lang, target_lang=evalset.target_lang, name=evalset.name,
    )  # fmt: skip
    kept = place[judgments.segment] >= 0
    if isinstance(judgments, Pairs):
        some: Pairs | Ratings = judgments.take(kept)
    else:
        some = replace(
            judgments, system=judgments.system[kept], segment=judgments.segment[kept],
            score=judgments.score[kept], line=None,
        )  # fmt: skip
    return cut, replace(some, segment=place[some.segment])
