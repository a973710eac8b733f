"""Does discourse add to contextual token similarity? Forms tried, chosen and tested.

    PYTHONPATH=src python research/experiments/discourse_on_top.py [--data DIR] [-f text|markdown|…]
        [--test wmt12 wmt21] [--page docs/results/discourse-on-top.md]

Every form is added to ``sim`` with the weight that is best on WMT13 (every sixth document),
then tested on WMT12 and WMT21 as it is. So are the parameters of ``dr-sem``. Segments that
nobody judged are left out. Values are means over language pairs of τ as WMT12 counts it
(WMT21: over pairs whose raw direct assessments differ by 25 or more). Intervals of gains
hold 95 % of 1,000 samples of whole documents; p is the share of samples without a gain. The
first run makes vectors for some 100,000 texts; what is kept of them is small.
"""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import PAIRS, arguments
from _edus import matches
from _forms import FORMS, Compared
from _page import add_option, publish
from _sampled import sampled_set

from albeit.annotate import annotate, version
from albeit.annotate.layers import CONNECTIVES, RST
from albeit.corpus import EvalSet
from albeit.corpus.judgments import Pairs
from albeit.metrics.rst.sem import DrSem, joined
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from albeit.stats.bootstrap import document_weights, interval
from albeit.stats.concordance import categories, count_by, tau_wmt12

Floats = npt.NDArray[np.float64]
SETS = {
    "wmt13": (PAIRS, 6),
    "wmt12": (PAIRS, 1),
    "wmt21": (("ru-en", "is-en", "ja-en"), 1),
}
WEIGHTS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
SATELLITES = (0.5, 0.7, 0.85, 1.0)
GRID = tuple(itertools.product((0.0, 0.1, 0.2, 0.3, 0.5, 0.7), SATELLITES))
STRUCTURE = ("partial kernel of labels", "relations kept", "roles kept", "connective senses")
"""Forms that see no words."""
SAMPLES, SEED, MARGIN = 1000, 12345, 25.0


@dataclass
class Judged:
    """One language pair: values by name, (systems, segments), beside human preferences."""

    values: dict[str, Floats]
    parts: dict[float, Floats]
    """What ``dr-sem`` is made of, by the weight of a satellite: (systems, segments, 4)."""
    pairs: Pairs
    document: npt.NDArray[np.int64]
    documents: int
    edus: npt.NDArray[np.int64]
    """How many EDUs each segment's reference has."""

    def of_size(self, low: int, high: int) -> Judged:
        """Only the pairs on segments whose reference has so many EDUs."""
        edus = self.edus[self.pairs.segment]
        return replace(self, pairs=self.pairs.take((low <= edus) & (edus <= high)))

    def counts(self, scores: Floats) -> Floats:
        """Pairs by how metric and people agree, for each document."""
        p = self.pairs
        difference = scores[p.left, p.segment] - scores[p.right, p.segment]
        unit = self.document[p.segment]
        return count_by(categories(difference, p.preference), unit, self.documents)


def judged(data: Path, work: Path, year: str, pair: str, share: int) -> Judged:
    """Values of all forms on one language pair, from disk if kept."""
    found = sampled_set(data, year, pair, share, judged=True)
    evalset, judgments = found.evalset, found.judgments
    pairs = judgments if isinstance(judgments, Pairs) else judgments.pairs(MARGIN)
    sizes = [len(d) for d in evalset.documents]
    document = np.repeat(np.arange(len(sizes)), sizes)
    edus = np.array([len(ref) for ref in matches(evalset, work / "edus").ref])
    return Judged(*values(evalset, work), pairs.decided(), document, len(sizes), edus)


def values(evalset: EvalSet, work: Path) -> tuple[dict[str, Floats], dict[float, Floats]]:
    """Every form's value of every translation, and the parts of ``dr-sem``."""
    made = matches(evalset, work / "edus")
    source = (Path(__file__).parent / "_forms.py").read_text("utf-8")
    key = f"{version()}{source}{SATELLITES}{list(evalset.systems.items())}"
    name = f"{evalset.name}.{evalset.source_lang}.{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    path = work / "forms" / f"{name}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        reference = next(iter(evalset.references.values()))
        lines = list(evalset.systems.values())
        texts = dict.fromkeys(x for part in (reference, *lines) for x in part)
        found = annotate(list(texts), frozenset({RST, CONNECTIVES}))
        forms = np.zeros((len(FORMS), len(lines), len(reference)))
        parts = np.zeros((len(SATELLITES), len(lines), len(reference), 4))
        for s, n in np.ndindex(len(lines), len(reference)):
            pair = made.pair(s, n)
            if len(pair.to_ref):
                compared = Compared.make(pair, found[lines[s][n]], found[reference[n]])
                forms[:, s, n] = [form(compared) for form in FORMS.values()]
                parts[:, s, n] = [compared.parts(weight) for weight in SATELLITES]
        np.savez(path, forms=forms, parts=parts)
    with np.load(path) as kept:
        by_name = dict(zip(FORMS, kept["forms"], strict=True))
        return by_name, dict(zip(SATELLITES, kept["parts"], strict=True))


Score = Callable[[Judged], Floats]


def tau(sets: list[Judged], score: Score) -> float:
    """The mean over language pairs."""
    return float(np.mean([tau_wmt12(j.counts(score(j)).sum(axis=0)) for j in sets]))


def gain(sets: list[Judged], score: Score, base: Score) -> tuple[Cell, Cell]:
    """τ over the base's, with its interval, and the share of samples without a gain."""
    drawn = []
    for j in sets:
        weights = document_weights(j.documents, SAMPLES, np.random.default_rng(SEED))
        ours, theirs = (tau_wmt12(weights @ j.counts(x(j))) for x in (score, base))
        drawn.append(ours - theirs)
    samples = np.mean(drawn, axis=0)
    value = tau(sets, score) - tau(sets, base)
    return Cell(value, interval=interval(samples)), Cell(float(np.mean(samples <= 0)), decimals=3)


def sim(j: Judged) -> Floats:
    """Token similarity as it is."""
    return joined(j.parts[1.0], 0.0)


def named(name: str) -> Score:
    """One column."""
    return lambda j: j.values[name]


def sem(inside: float, satellite: float) -> Score:
    """``dr-sem`` with these parameters."""
    return lambda j: joined(j.parts[satellite], inside)


def added(name: str, weight: float, scale: float) -> Score:
    """A form on top of ``sim``, both measured in deviations on WMT13."""
    return lambda j: sim(j) + weight * scale * j.values[name]


def best_weight(sets: list[Judged], name: str) -> tuple[float, Score]:
    """The weight that is best on the set for choosing."""
    scale = float(np.mean([sim(j).std() / max(j.values[name].std(), 1e-9) for j in sets]))
    return max(((w, added(name, w, scale)) for w in WEIGHTS), key=lambda pair: tau(sets, pair[1]))


def tests(sets: dict[str, list[Judged]]) -> list[str]:
    """The sets that nothing was chosen on."""
    return [year for year in sets if year != "wmt13"]


def forms_table(sets: dict[str, list[Judged]]) -> Table:
    """Every form alone and on top of sim."""
    columns = [Heading("Form", key="form", align="left")]
    columns += [Heading("alone", group="WMT13", decimals=3)]
    columns += [Heading(x, group="WMT13", decimals=3) for x in ("weight", "gain")]
    for year in tests(sets):
        columns += [Heading(x, group=year.upper(), decimals=3) for x in ("gain", "p")]
    cells = [Cell("sim alone (τ)"), Cell(tau(sets["wmt13"], sim)), Cell(), Cell()]
    cells += [cell for year in tests(sets) for cell in (Cell(tau(sets[year], sim)), Cell())]
    rows = [Row(tuple(cells))]
    for name in FORMS:
        weight, score = best_weight(sets["wmt13"], name)
        chosen = tau(sets["wmt13"], score) - tau(sets["wmt13"], sim)
        cells = [Cell(name), Cell(tau(sets["wmt13"], named(name))), Cell(weight, decimals=2)]
        cells.append(Cell(chosen))
        for year in tests(sets):
            cells += gain(sets[year], score, sim)
        rows.append(Row(tuple(cells)))
    return Table(tuple(columns), tuple(rows), "Forms on top of sim: gain in segment τ")


def sem_table(sets: dict[str, list[Judged]]) -> Table:
    """The best parameters of dr-sem on WMT13, those shipped, and each part taken away."""
    metric = DrSem()
    wanted = {
        "sim": (0.0, 1.0),
        "dr-sem, best on WMT13": max(GRID, key=lambda g: tau(sets["wmt13"], sem(*g))),
        "dr-sem, as shipped": (metric.inside, metric.satellite),
        "… without inside": (0.0, metric.satellite),
        "… without satellites": (metric.inside, 1.0),
    }
    columns = [Heading("Metric", key="metric", align="left")]
    columns += [Heading(x, decimals=2) for x in ("inside", "satellite")]
    columns.append(Heading("τ", group="WMT13", decimals=3))
    for year in tests(sets):
        columns += [Heading(x, group=year.upper(), decimals=3) for x in ("τ", "over sim", "p")]
    rows = []
    for title, chosen in wanted.items():
        cells = [Cell(title), *map(Cell, chosen), Cell(tau(sets["wmt13"], sem(*chosen)))]
        for year in tests(sets):
            cells += [Cell(tau(sets[year], sem(*chosen))), *gain(sets[year], sem(*chosen), sim)]
        rows.append(Row(tuple(cells)))
    return Table(tuple(columns), tuple(rows), "dr-sem: its parameters chosen on WMT13")


def apart_table(sets: dict[str, list[Judged]]) -> Table:
    """How often structure alone tells two translations apart, and whether rightly."""
    columns = [Heading("Form", key="form", align="left")]
    for year in tests(sets):
        heads = ("told apart", "right", "right where sim is right", "right where sim is wrong")
        columns += [Heading(x, group=year.upper(), decimals=3) for x in heads]
    rows = []
    for name in STRUCTURE:
        cells = [Cell(name)]
        for year in tests(sets):
            cells += [Cell(value) for value in told_apart(sets[year], name)]
        rows.append(Row(tuple(cells)))
    return Table(
        tuple(columns), tuple(rows), "What structure alone knows about pairs of translations"
    )


def told_apart(sets: list[Judged], name: str) -> list[float]:
    """Over all judged pairs: share that the form tells apart; of these, share it gets right."""
    said, base = [], []
    for j in sets:
        p = j.pairs
        for scores, found in ((j.values[name], said), (sim(j), base)):
            difference = scores[p.left, p.segment] - scores[p.right, p.segment]
            found.append(np.sign(np.round(difference, 9)) * p.preference)
    form, other = np.concatenate(said), np.concatenate(base)
    decided = form != 0
    parts = (decided, decided & (other > 0), decided & (other < 0))
    return [float(decided.mean()), *(float((form[part] > 0).mean()) for part in parts)]


def edus_table(sets: dict[str, list[Judged]]) -> Table:
    """sim and dr-sem by how many EDUs the reference has."""
    columns = [Heading("EDUs of the reference", key="edus", align="left")]
    for year in tests(sets):
        columns += [
            Heading(x, group=year.upper(), decimals=3) for x in ("pairs", "sim τ", "dr-sem gain")
        ]
    metric = DrSem()
    rows = []
    for title, low, high in (("1", 1, 1), ("2", 2, 2), ("3", 3, 3), ("4 and more", 4, 999)):
        cells = [Cell(title)]
        for year in tests(sets):
            some = [j.of_size(low, high) for j in sets[year]]
            base, ours = tau(some, sim), tau(some, sem(metric.inside, metric.satellite))
            cells += [Cell(sum(len(j.pairs) for j in some)), Cell(base), Cell(ours - base)]
        rows.append(Row(tuple(cells)))
    return Table(tuple(columns), tuple(rows), "By size of the reference's tree")


def main() -> None:
    """Make the values, choose, test, print."""
    options = arguments("What discourse adds to token similarity.")
    options.add_argument(
        "--test", nargs="+", choices=("wmt12", "wmt21"), default=["wmt12", "wmt21"]
    )
    add_option(options)
    args = options.parse_args()
    work = args.work
    sets: dict[str, list[Judged]] = {}
    for year in ("wmt13", *args.test):
        pairs, share = SETS[year]
        sets[year] = []
        for pair in pairs:
            print(f"{year} {pair}", file=sys.stderr)
            sets[year].append(judged(args.data, work, year, pair, share))
    tables = [forms_table(sets), sem_table(sets), apart_table(sets), edus_table(sets)]
    publish(tables, args.format, args.page)


if __name__ == "__main__":
    main()
