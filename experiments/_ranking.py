"""Do document metrics agree with people, alone and on top of others?

*Alone*: Pearson's r over all judged (system, document), and over the same with each document's
mean taken away (which system did better *on this document*). *On top*: base and form, both in
deviations over the set, are added with a weight that is best on the mean of the *other* sets;
what is shown is the gain in r, and in accuracy over pairs of translations of one segment, where
every segment has the score of its document added. Intervals are over documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from _beyond import EXPERTS, Floats, JudgedDocuments, weights

from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

__all__ = ["alone", "on_top"]

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
MARGINS = {True: 1e-9, False: 0.5}
"""How far two human scores of a segment must be apart to count: any MQM, half a deviation of z."""


def interval(samples: Floats) -> tuple[float, float]:
    """The middle 95 %."""
    low, high = np.nanquantile(samples, [0.025, 0.975])
    return float(low), float(high)


def moments(x: Floats, y: Floats) -> Floats:
    """By document, over judged systems: count and sums of x, y, xx, yy, xy."""
    judged = ~np.isnan(y)
    x, y = np.where(judged, x, 0), np.where(judged, y, 0)
    return np.stack([judged, x, y, x * x, y * y, x * y], axis=-1).sum(axis=0)


def pearson_of(sums: Floats) -> Floats:
    """Pearson's r from sums of moments."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(np.maximum((n * xx - x * x) * (n * yy - y * y), 0))
        return np.asarray((n * xy - x * y) / spread)


def within(one: JudgedDocuments, scores: Floats) -> Floats:
    """Scores of judged points from the mean of their document."""
    found = np.where(np.isnan(one.human), np.nan, scores)
    return np.asarray(scores - np.nanmean(found, axis=0))


def deviations(one: JudgedDocuments, scores: Floats) -> Floats:
    """Document scores in deviations over judged points."""
    judged = scores[~np.isnan(one.human)]
    return np.asarray((scores - judged.mean()) / max(judged.std(), 1e-9))


def concordant(one: JudgedDocuments, scores: Floats) -> Floats:
    """By document: pairs of translations that a segment score orders as people did, and all pairs."""
    margin = MARGINS[one.name in EXPERTS]
    right, total = np.zeros(len(one.evalset)), np.zeros(len(one.evalset))
    for a, b in combinations(range(len(scores)), 2):
        said = one.lines[a] - one.lines[b]
        told = np.abs(np.nan_to_num(said)) >= margin
        same = np.sign(np.round(scores[a] - scores[b], 9)) * np.sign(np.nan_to_num(said))
        right += told * (1 + same) / 2
        total += told
    starts = [d.start for d in one.evalset.documents]
    return np.stack([np.add.reduceat(part, starts) for part in (right, total)], axis=-1)


def share(sums: Floats) -> Floats:
    """Accuracy."""
    return np.asarray(sums[..., 0] / sums[..., 1])


def alone(sets: Sequence[JudgedDocuments], names: Sequence[str]) -> Table:
    """Every metric by itself."""
    columns = [Heading("Metric", key="metric", align="left")]
    for one in sets:
        columns += [Heading(x, group=one.name, decimals=3) for x in ("r", "within", "segments")]
    rows = []
    for name in names:
        cells = [Cell(name)]
        for one in sets:
            cells += _alone(one, name)
        rows.append(Row(tuple(cells)))
    return Table(tuple(columns), tuple(rows), "Alone: Pearson's r over documents, within documents;"
                 " accuracy over pairs of segments")  # fmt: skip


def _alone(one: JudgedDocuments, name: str) -> list[Cell]:
    found = one.scores.get(name)
    if found is None:
        return [Cell(), Cell(), Cell()]
    counts = weights(len(one.evalset.documents))
    sums = moments(found.document, one.human)
    inside = moments(within(one, found.document), within(one, one.human))
    cells = [
        Cell(float(pearson_of(part.sum(axis=0))), interval=interval(pearson_of(counts @ part)))
        for part in (sums, inside)
    ]
    if found.segment is None:
        return [*cells, Cell()]
    return [*cells, Cell(float(share(concordant(one, found.segment).sum(axis=0))))]


Parts = Mapping[float, Floats]
"""Additive statistics by document of a base and a form together, by the form's weight."""


def document_parts(one: JudgedDocuments, base: str, form: str) -> Parts:
    """Moments of the sum of both."""
    x, y = (deviations(one, one.scores[name].document) for name in (base, form))
    return {w: moments(x + w * y, one.human) for w in WEIGHTS}


def segment_parts(one: JudgedDocuments, base: str, form: str) -> Parts:
    """Ordered pairs, where each segment has its document's score by the form added."""
    segment = one.scores[base].segment
    assert segment is not None
    x = (segment - segment.mean()) / segment.std()
    y = deviations(one, one.scores[form].document)[:, one.document_of]
    return {w: concordant(one, x + w * y) for w in WEIGHTS}


def on_top(sets: Sequence[JudgedDocuments], base: str, forms: Sequence[str]) -> list[Table]:
    """What each form adds to a base, by weights that are best elsewhere."""
    usable = [one for one in sets if base in one.scores]
    found = []
    for title, made, value in (
        ("gain in Pearson's r over documents", document_parts, pearson_of),
        ("gain in accuracy over pairs of segments", segment_parts, share),
    ):
        columns = [Heading("Form", key="form", align="left")]
        for one in usable:
            columns += [Heading(x, group=one.name, decimals=3) for x in ("weight", "gain")]
        rows = []
        for form in forms:
            parts = {one.name: made(one, base, form) for one in usable if form in one.scores}
            cells = [Cell(form)]
            for one in usable:
                cells += _gain(parts, one.name, value) if one.name in parts else [Cell(), Cell()]
            rows.append(Row(tuple(cells)))
        found.append(Table(tuple(columns), tuple(rows), f"On top of {base}: {title}"))
    return found


def _gain(parts: Mapping[str, Parts], name: str, value) -> list[Cell]:  # type: ignore[no-untyped-def]
    """The weight that is best on the other sets, and its gain here with an interval."""

    def gained(other: str, w: float) -> float:
        made = parts[other]
        return float(value(made[w].sum(axis=0)) - value(made[0.0].sum(axis=0)))

    others = [other for other in parts if other != name]
    if not others:
        return [Cell(), Cell()]
    best = max(WEIGHTS, key=lambda w: float(np.mean([gained(other, w) for other in others])))
    mine = parts[name]
    counts = weights(len(mine[best]))
    samples = value(counts @ mine[best]) - value(counts @ mine[0.0])
    gain = Cell(gained(name, best), interval=interval(samples) if best else None)
    return [Cell(best, decimals=2), gain]
