"""Do document metrics agree with people, alone and on top of others?

*Alone*: Pearson's r over all judged (system, document), and over the same with each document's
mean taken away (which system did better *on this document*). *On top*: base and form, both in
deviations over the set, are added with a weight that is best on the mean of the *other* sets;
what is shown is the gain in r, in r within documents, and in accuracy over pairs of translations
of one segment, where every segment has the score of its document added. Intervals are over
documents. *Beside*: the partial correlation of form and human score within documents, the base
and the number of words held fast; no weight is chosen for it. *Hybrids*: the metric `hybrid`, α
chosen like a weight. Controls know only lengths (`_beyond.CONTROLS`): what that of the reference's
lines gains in r is which documents are hard, and nothing about who translated them well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from _beyond import CONTROLS, EXPERTS, Floats, JudgedDocuments, weights

from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

__all__ = ["alone", "beside", "hybrids", "on_top"]

ALPHAS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
"""Shares of cohesion in a hybrid."""
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


Parts = Mapping[float, Floats]
"""Additive statistics by document of a base and a form together, by the form's weight."""


def hybrid_parts(one: JudgedDocuments, base: str, form: Floats) -> Parts:
    """Moments within documents of α · form + (1 − α) · base, as the metric `hybrid` has it."""
    scored = one.scores[base]
    x, human = scored.document / scored.metric.scale, within(one, one.human)
    return {a: moments(within(one, a * form + (1 - a) * x), human) for a in ALPHAS}


def hybrids(sets: Sequence[JudgedDocuments], bases: Sequence[str], form: str) -> Table:
    """What a form adds to each base in a hybrid, α being best on the other sets."""
    columns = [Heading("Metric", key="metric", align="left")]
    for one in sets:
        columns += [Heading(x, group=one.name, decimals=3) for x in ("α", "gain")]
    rows = []
    for base in bases:
        known = [(one, own) for one in sets if (own := one.of(form)) is not None]
        parts = {one.name: hybrid_parts(one, base, own) for one, own in known}
        cells = [c for one in sets for c in _gain(parts, one.name, pearson_of)]
        rows.append(Row((Cell(base), *cells)))
    title = f"Hybrids with {form}: gain in Pearson's r within documents"
    return Table(tuple(columns), tuple(rows), title)


def document_parts(one: JudgedDocuments, base: str, form: Floats) -> Parts:
    """Moments of the sum of both."""
    x, y = deviations(one, one.scores[base].document), deviations(one, form)
    return {w: moments(x + w * y, one.human) for w in WEIGHTS}


def within_parts(one: JudgedDocuments, base: str, form: Floats) -> Parts:
    """The same with each document's mean taken away."""
    x, y = (deviations(one, within(one, s)) for s in (one.scores[base].document, form))
    human = within(one, one.human)
    return {w: moments(x + w * y, human) for w in WEIGHTS}


def segment_parts(one: JudgedDocuments, base: str, form: Floats) -> Parts:
    """Ordered pairs, where each segment has its document's score by the form added."""
    segment = one.scores[base].segment
    assert segment is not None
    x = (segment - segment.mean()) / segment.std()
    y = deviations(one, form)[:, one.document_of]
    return {w: concordant(one, x + w * y) for w in WEIGHTS}


def on_top(sets: Sequence[JudgedDocuments], base: str, forms: Sequence[str]) -> list[Table]:
    """What each form adds to a base, by weights that are best elsewhere."""
    usable = [one for one in sets if base in one.scores]
    found = []
    for title, made, value in (
        ("gain in Pearson's r over documents", document_parts, pearson_of),
        ("gain in Pearson's r within documents", within_parts, pearson_of),
        ("gain in accuracy over pairs of segments", segment_parts, share),
    ):
        columns = [Heading("Form", key="form", align="left")]
        for one in usable:
            columns += [Heading(x, group=one.name, decimals=3) for x in ("weight", "gain")]
        rows = []
        for form in forms:
            known = [(one, own) for one in usable if (own := one.of(form)) is not None]
            parts = {one.name: made(one, base, own) for one, own in known}
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
    best = max(parts[name], key=lambda w: float(np.mean([gained(other, w) for other in others])))
    mine = parts[name]
    counts = weights(len(mine[best]))
    samples = value(counts @ mine[best]) - value(counts @ mine[0.0])
    gain = Cell(gained(name, best), interval=interval(samples) if best else None)
    return [Cell(best, decimals=2), gain]


def beside(sets: Sequence[JudgedDocuments], base: str, forms: Sequence[str]) -> Table:
    """What each form tells within documents that neither the base nor the length does."""
    columns = [Heading("Form", key="form", align="left")]
    columns += [Heading(one.name, decimals=3) for one in sets]
    rows = []
    for form in forms:
        cells = [Cell(form)]
        for one in sets:
            three = (base, "more words", form)
            known = [scores for name in three if (scores := one.of(name)) is not None]
            cells.append(_partial(one, known) if len(known) == len(three) else Cell())
        rows.append(Row(tuple(cells)))
    title = f"Beside {base} and the number of words: partial correlation within documents"
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
