"""What discourse tells beside `judge`, within documents judged by experts; and is a mixture better?

    PYTHONPATH=src python research/experiments/beside_judge.py [--sets …] [-m METRIC …]

Judged cells only (`_cells.py`). *Beside*: the partial correlation of a metric with experts within
documents (each document's mean over systems taken away), `judge` and the number of words held fast,
with 95 % of 1,000 samples of documents. *judge-doc*: `judge` and discourse metrics added with weights
that are not negative and fit best, by least squares within documents, the mean of the *other* families
of sets (biomedical abstracts are one family), as are the scales; the gain in r within documents.

`judge` has learned from the judgments of newstest21 and wmt23, and knows them too well there: what
stands beside it on these two is less than beside a judge that had not seen them. newstest20 and the
abstracts are new to it. Nothing was chosen here: all metrics that were tried are in the tables.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from _beyond import Floats, weights
from _cells import FAMILIES, SETS, JudgedCells, load_cells
from _common import arguments
from _page import add_option, publish
from _ranking import alone, beside, interval, moments, pearson_of, within
from scipy.optimize import nnls

from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

BASE = "judge"
FORMS = (
    "cohesion(average=recall)",
    "coref(average=recall)",
    "terms",
    "dr",
    "pronouns",
    "pronouns-free",
    "lc",
)
SHARES = {"newstest20": 3, "newstest21": 2, "wmt23": 4}
"""Every n-th document of the large sets with ``--sampled``."""


def columns(one: JudgedCells, forms: Sequence[str]) -> Floats:
    """Within-document differences of judge, forms and people: (metrics, systems, documents)."""
    scores = [one.of(name) for name in (BASE, *forms)]
    known = [within(one, score) for score in scores if score is not None]
    return np.stack([*known, within(one, one.human)])


def flat(one: JudgedCells, given: Floats) -> Floats:
    """The judged points of these: (metrics, points)."""
    return np.asarray(given[:, ~np.isnan(one.human)])


def learnt(others: Sequence[tuple[str, Floats]]) -> Floats:
    """Weights of judge and forms, in their own units: each family of sets counts the same."""
    families = sorted({family for family, _ in others})
    spread = np.mean(
        [
            np.mean([points.std(axis=1) for own, points in others if own == family], axis=0)
            for family in families
        ],
        axis=0,
    )
    products = np.mean(
        [
            np.mean(
                [
                    np.cov(points / points.std(axis=1, keepdims=True), bias=True)
                    for own, points in others
                    if own == family
                ],
                axis=0,
            )
            for family in families
        ],
        axis=0,
    )
    root = np.linalg.cholesky(products[:-1, :-1] + 1e-9 * np.eye(len(products) - 1))
    found, _ = nnls(root.T, np.linalg.solve(root, products[:-1, -1]))
    return np.asarray(found / spread[:-1])


def gain(one: JudgedCells, given: Floats, by: Floats) -> Cell:
    """What the weighted sum has over judge alone in r within documents."""
    human = given[-1]
    sums = [
        moments(x, np.where(np.isnan(one.human), np.nan, human))
        for x in (given[0], _sum(given, by))
    ]
    counts = weights(len(one.evalset.documents))
    before, after = (pearson_of(counts @ part) for part in sums)
    point = pearson_of(sums[1].sum(axis=0)) - pearson_of(sums[0].sum(axis=0))
    return Cell(float(point), interval=interval(after - before))


def _sum(given: Floats, by: Floats) -> Floats:
    return np.asarray(np.einsum("m,msd->sd", by, given[:-1]))


def mixtures(sets: Sequence[JudgedCells], forms: Sequence[str]) -> Table:
    """Judge with each form, and with all of them."""
    heads = [Heading("Mixture", key="mixture", align="left")]
    heads += [Heading(one.name, decimals=3) for one in sets]
    rows = []
    notes = []
    for name, chosen in [
        *((f"judge + {form}", (form,)) for form in forms),
        ("judge-doc: all", tuple(forms)),
    ]:
        made = {one.name: columns(one, chosen) for one in sets}
        points = {one.name: flat(one, made[one.name]) for one in sets}
        cells = [Cell(name)]
        for one in sets:
            others = [
                (FAMILIES[other.name], points[other.name])
                for other in sets
                if FAMILIES[other.name] != FAMILIES[one.name]
            ]
            if not others:
                cells.append(Cell())
                continue
            by = learnt(others)
            cells.append(gain(one, made[one.name], by))
            if len(chosen) > 1:
                shares = by * points[one.name].std(axis=1)[:-1]
                told = zip((BASE, *chosen), shares / shares.sum(), strict=True)
                notes.append(f"{one.name}: " + ", ".join(f"{n} {s:.2f}" for n, s in told if s > 0))
        rows.append(Row(tuple(cells)))
    title = "Mixtures with weights from the other families: gain in Pearson's r within documents"
    return Table(
        tuple(heads), tuple(rows), title, notes=("judge-doc's shares: " + "; ".join(notes),)
    )


def main() -> None:
    """Score, correlate, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sets", nargs="+", choices=tuple(SETS), default=list(SETS), metavar="SET")
    parser.add_argument("-m", "--metrics", nargs="+", default=list(FORMS))
    parser.add_argument(
        "--sampled", action="store_true", help="every n-th document of large sets: quicker"
    )
    add_option(parser)
    args = parser.parse_args()
    sets = []
    for name in args.sets:
        one = load_cells(name, args.data, SHARES.get(name, 1) if args.sampled else 1)
        one.add([BASE, *args.metrics], fresh=args.fresh, workers=args.workers)
        cells, judged = len(one.flat), len(one.flat.documents)
        print(f"{name}: {cells} judged lines, {judged} (system, document)", file=sys.stderr)
        if one.gaps:
            sys.exit(f"{name}: {'; '.join(f'{n}: {why}' for n, why in one.gaps.items())}")
        sets.append(one)
    tables = [
        alone(sets, [BASE, *args.metrics]),
        beside(sets, BASE, args.metrics),
        mixtures(sets, args.metrics),
    ]
    publish(tables, args.format, args.page)


if __name__ == "__main__":
    main()
