"""Several people who judged the same translations: their strictness, agreement, and marked errors.

A rater who is stricter than others shifts the mean of whatever she saw; :func:`standardised`
takes that out. :func:`agreement` sets each rater beside the mean of the others, which is what a
metric could reach at best that knew one person's mind. MQM as Google publishes it (one marked
error a row) is read with its spans by :func:`read_mqm`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from albeit.arrays import FloatArray, IntArray
from albeit.data.judgments.shapes import Ratings
from albeit.data.tables import Table, segment
from albeit.errors import InputError
from albeit.stats.concordance import categories, count_by, tau_wmt14
from albeit.stats.correlation import pearson

__all__ = [
    "Agreement",
    "MarkedError",
    "agreement",
    "holds_errors",
    "penalty",
    "read_errors",
    "read_mqm",
    "standardised",
]

_NUMBERS = ("globalSegId", "seg_id", "segment")
_OPEN, _CLOSE = "<v>", "</v>"
_NO_ERROR = ("no-error", "no error")


@dataclass(frozen=True, slots=True)
class MarkedError:
    """An error that a rater marked: where, of which kind, and how grave.

    ``segment`` counts from 0. ``span`` is the text that was marked, in the translation or (for
    what was left out) in the source; ``start`` is where it begins there, in characters, if the
    file says so.
    """

    system: str
    segment: int
    rater: str
    category: str
    severity: str
    span: str = ""
    start: int | None = None
    side: Literal["translation", "source"] = "translation"


def penalty(category: str, severity: str) -> float | None:
    """What an error costs: Google's weights of MQM; ``None`` for a severity that has none.

    A major error is 5, a minor one 1 (a tenth for punctuation), no translation at all 25.
    """
    kind, grave = category.strip().lower(), severity.strip().lower()
    if grave in ("neutral", *_NO_ERROR) or kind in _NO_ERROR:
        return 0.0
    if kind.startswith("non-translation"):
        return 25.0
    if grave == "minor":
        return 0.1 if kind == "fluency/punctuation" else 1.0
    return {"major": 5.0, "critical": 25.0}.get(grave)


def holds_errors(names: Sequence[str]) -> bool:
    """Whether a header is that of marked errors, as Google publishes them."""
    return {"category", "severity", "target", "rater"} <= set(names)


def read_mqm(path: str | Path) -> tuple[Ratings, tuple[MarkedError, ...]]:
    """Ratings, one a rater, translation and segment, and the errors that they follow from.

    Reads Google's MQM files: ``system``, ``seg_id`` or ``globalSegId`` (from 1), ``rater``,
    ``source``, ``target`` with the error in ``<v>…</v>``, ``category`` and ``severity``, a row an
    error, and a row without one where a rater saw none.
    """
    table = Table(path)
    marks = [table.need("target"), table.find("source")]
    index: dict[str, int] = {}
    raters: dict[str, int] = {}
    scores: dict[tuple[int, int, int], float] = {}
    lines: dict[tuple[int, int, int], int] = {}
    errors: list[MarkedError] = []
    for line, fields, error, cost in _errors(table):
        key = (
            index.setdefault(error.system, len(index)),
            error.segment,
            raters.setdefault(error.rater, len(raters)),
        )
        scores[key] = scores.get(key, 0.0) - cost
        lines.setdefault(key, line)
        if error.severity.lower() not in _NO_ERROR and error.category.lower() not in _NO_ERROR:
            errors.append(_with_span(error, [fields[at] for at in marks if at is not None]))
    rows = np.array(list(scores), dtype=np.int64)
    ratings = Ratings(
        tuple(index),
        rows[:, 0],
        rows[:, 1],
        np.array(list(scores.values())),
        "mqm",
        str(path),
        np.array(list(lines.values()), dtype=np.int64),
        tuple(raters),
        rows[:, 2],
    )
    return ratings, tuple(errors)


def read_errors(path: str | Path) -> tuple[MarkedError, ...]:
    """Marked errors by themselves: ``system``, ``segment``, ``rater``, ``category``, ``severity``, ``span``."""
    table = Table(path)
    if table.find("span") is None:
        return read_mqm(path)[1]
    at = table.need("span")
    return tuple(replace(error, span=fields[at]) for _, fields, error, _ in _errors(table))


def _errors(table: Table) -> list[tuple[int, Sequence[str], MarkedError, float]]:
    """Line, cells, error and its penalty, of every row."""
    place = table.need(*_NUMBERS)
    columns = [table.need(name) for name in ("system", "rater", "category", "severity")]
    found = []
    for line, fields in table.rows():
        system, rater, category, severity = (fields[at].strip() for at in columns)
        cost = penalty(category, severity)
        if cost is None:
            raise InputError(
                f"there is no severity {severity!r}.",
                path=table.path,
                line=line,
                hint="Known: major, minor, neutral, critical, no-error.",
            )
        number = segment(fields[place], 1, table.path, line)
        found.append((line, fields, MarkedError(system, number, rater, category, severity), cost))
    if not found:
        raise InputError("has a header but no marked errors.", path=table.path)
    return found


def _with_span(error: MarkedError, texts: Sequence[str]) -> MarkedError:
    """The error with the text that is marked, in the translation or else in the source."""
    sides: tuple[Literal["translation", "source"], ...] = ("translation", "source")
    for side, text in zip(sides, texts, strict=False):
        start = text.find(_OPEN)
        end = -1 if start < 0 else text.find(_CLOSE, start)
        if end >= 0:
            return replace(error, span=text[start + len(_OPEN) : end], start=start, side=side)
    return error


def standardised(ratings: Ratings) -> Ratings:
    """The same ratings as z by rater: a rater's own mean is 0, her own deviation 1."""
    rater = _raters_of(ratings)
    score = np.zeros_like(ratings.score)
    for number in range(len(ratings.raters)):
        own = rater == number
        deviation = ratings.score[own].std() if own.any() else 0.0
        if deviation > 0:
            score[own] = (ratings.score[own] - ratings.score[own].mean()) / deviation
    return replace(ratings, score=score, kind="z")


@dataclass(frozen=True)
class Agreement:
    """Each rater beside the mean of the others: τ (WMT14) of preferences, r of ratings.

    ``pairs`` are those of two translations of a segment that the others tell apart by the
    margin at least.
    """

    raters: tuple[str, ...]
    by_rater: tuple[float, ...]
    tau: float
    r: float
    pairs: int

    def __str__(self) -> str:
        return (
            f"{len(self.raters)} raters; one against the mean of the others:"
            f" τ {self.tau:.3f} over {self.pairs:,} pairs, r {self.r:.3f}."
        )


def agreement(ratings: Ratings, margin: float = 0.0) -> Agreement | None:
    """How well each rater agrees with the others; ``None`` where no translation has two ratings."""
    rater = _raters_of(ratings)
    segments = int(ratings.segment.max()) + 1
    counts: list[FloatArray] = []
    own_scores: list[FloatArray] = []
    other_scores: list[FloatArray] = []
    for number in range(len(ratings.raters)):
        own = ratings.take(rater == number).matrix(segments)
        others = ratings.take(rater != number).matrix(segments)
        both = ~np.isnan(own) & ~np.isnan(others)
        own_scores.append(own[both])
        other_scores.append(others[both])
        counts.append(_counts(np.where(both, own, np.nan), others, margin))
    total = np.sum(counts, axis=0)
    if not sum(map(len, own_scores)):
        return None
    return Agreement(
        ratings.raters,
        tuple(float(tau_wmt14(each)) for each in counts),
        float(tau_wmt14(total)),
        float(pearson(np.concatenate(own_scores), np.concatenate(other_scores))),
        int(total[:3].sum()),
    )


def _counts(own: FloatArray, others: FloatArray, margin: float) -> FloatArray:
    """Concordant and other pairs of systems, over all segments."""
    first, second = np.triu_indices(len(own), k=1)
    mine, theirs = own[first] - own[second], others[first] - others[second]
    known = ~np.isnan(mine) & ~np.isnan(theirs)
    preference = np.where(np.abs(theirs[known]) < margin, 0, np.sign(theirs[known]))
    found = categories(mine[known], preference.astype(np.int64))
    return np.asarray(count_by(found, np.zeros(len(found), dtype=np.int64), 1)[0])


def _raters_of(ratings: Ratings) -> IntArray:
    if ratings.rater is None:
        raise InputError(
            "says nothing of who rated.", path=ratings.path, hint="It needs a column 'rater'."
        )
    return ratings.rater
