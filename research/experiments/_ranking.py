"""Correlate document metrics with human judgments.

*Alone*: Pearson's r over all judged (system, document), and the same after the mean of each
document is subtracted. *Beside*: the partial correlation of a metric and the human score within
documents, given another metric and the number of words. Intervals are over documents. Controls
(`_beyond.CONTROLS`) use only lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from _beyond import CONTROLS, EXPERTS, Floats, JudgedDocuments, weights

from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

__all__ = ["alone", "beside"]

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
    return Table(
        tuple(columns),
        tuple(rows),
        "Alone: Pearson's r over documents, within documents; accuracy over pairs of segments",
    )


def _alone(one: JudgedDocuments, name: str) -> list[Cell]:
    scores = one.of(name)
    if scores is None:
        return [Cell(), Cell(), Cell()]
    counts = weights(len(one.evalset.documents))
    sums = moments(scores, one.human)
    inside = moments(within(one, scores), within(one, one.human))
    cells = [
        Cell(float(pearson_of(part.sum(axis=0))), interval=interval(pearson_of(counts @ part)))
        for part in ([sums, inside] if np.ptp(scores, axis=0).any() else [sums])
    ]
    segment = None if name in CONTROLS else one.scores[name].segment
    if segment is not None:
        cells.append(Cell(float(share(concordant(one, segment).sum(axis=0)))))
    return [*cells, *[Cell()] * (3 - len(cells))]


def beside(sets: Sequence[JudgedDocuments], base: str, forms: Sequence[str]) -> Table:
    """What each form tells within documents that neither the base nor the length does."""
    columns = [Heading("Metric", key="form", align="left")]
    columns += [Heading(one.name, decimals=3) for one in sets]
    rows = []
    for form in forms:
        cells = [Cell(form)]
        for one in sets:
            three = (base, "more words", form)
            known = [scores for name in three if (scores := one.of(name)) is not None]
            cells.append(_partial(one, known) if len(known) == len(three) else Cell())
        rows.append(Row(tuple(cells)))
    title = f"Given {base} and the number of words: partial correlation within documents"
    return Table(tuple(columns), tuple(rows), title)


def _partial(one: JudgedDocuments, scores: Sequence[Floats]) -> Cell:
    """The correlation of the last score with people's, the others held fast."""
    judged = ~np.isnan(one.human)
    columns = [deviations(one, within(one, s)) for s in (*scores, one.human)]
    rows = np.stack([np.ones_like(columns[0]), *columns], axis=-1)
    rows = np.where(judged[..., None], rows, 0.0)
    sums = np.einsum("sdi,sdj->dij", rows, rows)
    counts = weights(len(one.evalset.documents))
    samples = partial_of(np.einsum("nd,dij->nij", counts, sums))
    return Cell(float(partial_of(sums.sum(axis=0))), interval=interval(samples))


def partial_of(sums: Floats) -> Floats:
    """The partial correlation of the last two columns from sums of products, the first being 1."""
    count = sums[..., 0, 0][..., None, None]
    means = sums[..., :1, 1:] / count
    covariance = sums[..., 1:, 1:] / count - np.swapaxes(means, -1, -2) * means
    inverse = np.linalg.inv(covariance)
    spread = np.sqrt(inverse[..., -1, -1] * inverse[..., -2, -2])
    return np.asarray(-inverse[..., -2, -1] / spread)
