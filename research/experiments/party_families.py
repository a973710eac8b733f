"""What each family of metrics adds to a tuned combination.

    PYTHONPATH=src python research/experiments/party_families.py [--data DIR] [-f text|markdown|…]
        [--page docs/results/party-families.md]

The parts of ``albeit-party`` in six families. Each family is left out of the whole, and added
to token similarity alone; everything is tuned anew each time, by logistic regression on human
preferences: WMT12 in ten folds of whole documents, WMT13 and WMT21 on the other two years.
Values are segment τ as WMT12 counts it, means over language pairs. Intervals of differences
hold 95 % of 1,000 samples of whole documents (language pairs of a year that share documents
are drawn together); p is the share of samples in which the difference is not above zero.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from _common import Scores, arguments, load_task
from _page import add_option, publish
from party import YEARS, candidates

from albeit.combine import cross_validate, fit
from albeit.combine.features import features
from albeit.combine.learners import Logistic
from albeit.judged import Task
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from albeit.stats.concordance import categories, count_by, tau_wmt12
from albeit.stats.resample import document_weights, interval

FAMILIES = {
    "words": ("bleu", "chrf", "ter", "rouge", "meteor"),
    "syntax": ("cp-", "dp-"),
    "roles": ("sr-",),
    "boxes (DRS)": ("drs-",),
    "rhetorical structure": ("dr", "discotk"),
    "token similarity": ("sim", "dr-sem"),
}
"""Family to the beginnings of its metrics' names; the longest that fits counts."""
SIMILARITY = "token similarity"
SAMPLES = 1000
SEED = 12345
L2 = 1e-3


def family(name: str) -> str:
    """The family of a metric."""
    fits = [(len(b), f) for f, begins in FAMILIES.items() for b in begins if name.startswith(b)]
    return max(fits)[1]


class Agreement:
    """Counts of right and wrong preferences a document, for one year and one set of scores."""

    def __init__(self, tasks: Sequence[Task], scores: Sequence[np.ndarray]) -> None:
        ids = sorted({d.id for task in tasks for d in task.table.documents})
        place = {name: k for k, name in enumerate(ids)}
        self.counts = []
        for task, values in zip(tasks, scores, strict=True):
            pairs = task.decided
            gap = values[pairs.left, pairs.segment] - values[pairs.right, pairs.segment]
            own = np.array([place[d.id] for d in task.table.documents])
            document = own[task.document_of_segment][pairs.segment]
            self.counts.append(count_by(categories(gap, pairs.preference), document, len(ids)))

    def tau(self, weights: np.ndarray | None = None) -> np.ndarray:
        """The mean τ over language pairs, for each row of document weights."""
        rows = np.ones((1, len(self.counts[0]))) if weights is None else weights
        return np.mean([tau_wmt12(rows @ counts) for counts in self.counts], axis=0)


def difference(ours: Agreement, theirs: Agreement) -> tuple[Cell, Cell]:
    """How much higher the first τ is, with its interval, and p."""
    weights = document_weights(len(ours.counts[0]), SAMPLES, np.random.default_rng(SEED))
    samples = ours.tau(weights) - theirs.tau(weights)
    gain = float((ours.tau() - theirs.tau())[0])
    return Cell(gain, interval=interval(samples)), Cell(float(np.mean(samples <= 0)))


def agreements(years: dict[str, list[Task]], parts: Sequence[str]) -> dict[str, Agreement]:
    """A combination of these parts on every year, never on what it was tuned on."""
    found = {}
    for year, tasks in years.items():
        print(f"{year}: {len(parts)} parts", file=sys.stderr)
        if year == "wmt12":
            scores = cross_validate(tasks, parts, Logistic(), l2=L2, seed=0)
        else:
            train = [t for y, ts in years.items() if y != year for t in ts]
            model = fit(train, parts, Logistic(), l2=L2, balance=True)
            scores = [model(features(t.table, model.metrics)) for t in tasks]
        found[year] = Agreement(tasks, scores)
    return found


def row(
    name: str, ours: dict[str, Agreement], base: dict[str, Agreement] | None, section: str
) -> Row:
    """τ a year, and the difference to the base if there is one."""
    cells: list[Cell] = [Cell(name)]
    for year, own in ours.items():
        cells.append(Cell(float(own.tau()[0])))
        cells += (Cell(None), Cell(None)) if base is None else difference(own, base[year])
    return Row(tuple(cells), section)


def main() -> None:
    """Leave each family out, and add each to token similarity."""
    options = arguments("What each family of metrics adds to a tuned combination.")
    add_option(options)
    args = options.parse_args()
    scores = Scores(args.fresh, args.workers)
    wanted = candidates()
    years = {
        year: [load_task(args.data, year, pair, wanted, scores, judged=True) for pair in pairs]
        for year, pairs in YEARS.items()
    }
    parts = list(years["wmt12"][0].table.metrics)
    whole = agreements(years, parts)
    alone = agreements(years, [p for p in parts if family(p) == SIMILARITY])
    rows = [row("all families", whole, None, "all")]
    for name in FAMILIES:
        rest = agreements(years, [p for p in parts if family(p) != name])
        rows.append(row(f"without {name}", rest, whole, "one family left out"))
    rows.append(row("token similarity alone", alone, None, "one family added"))
    for name in FAMILIES:
        if name != SIMILARITY:
            chosen = [p for p in parts if family(p) in (name, SIMILARITY)]
            rows.append(row(f"with {name}", agreements(years, chosen), alone, "one family added"))
    headings = [Heading("Combination", key="combination", align="left")]
    for year in years:
        headings += [
            Heading(f"{year} τ", decimals=4),
            Heading(f"{year} difference", decimals=4),
            Heading(f"{year} p", decimals=3),
        ]
    notes = [f"{name}: {', '.join(p for p in parts if family(p) == name)}" for name in FAMILIES]
    table = Table(tuple(headings), tuple(rows), "What each family adds", tuple(notes))
    publish([table], args.format, args.page)


if __name__ == "__main__":
    main()
