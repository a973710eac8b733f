"""Table 3 of "Document-Level Machine Translation Evaluation Metrics Enhanced with Simplified
Lexical Chain" on open data: correlation of document metrics with and without cohesion.

    PYTHONPATH=src python research/experiments/gong2015.py [--data DIR] [-f text|markdown|json|…]

The paper's data (MTC2, MTC4) is licensed; its figures are in a table of their own. A document's
human score is the mean of its segments' scores, weighted by the length of the reference (z-scores
for WMT21, MQM for TED), or the share of comparisons won (WMT13). On WMT13, raters compared the
systems of one document, so the mean of each document is subtracted there. Weights are tuned for
maximum correlation (Liu and Gildea 2007) on other sets than the one tested: the four pairs of WMT13
share their documents and count as one, and TED, with five talks, is never used for tuning.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from _common import Floats, Scores, arguments, judged_set, publish
from scipy.optimize import minimize_scalar

from albeit.data import EvalSet
from albeit.data.evalset import Unit
from albeit.data.judgments import Pairs, Ratings
from albeit.metaeval.statistics import kendall
from albeit.metrics.registry import metric
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from albeit.stats import document_weights, interval, pearson

SETS: dict[str, tuple[str, str, tuple[str, ...] | None]] = {
    "ru-en 21": ("wmt21", "ru-en", ("refA",)),
    "ja-en 21": ("wmt21", "ja-en", None),
    "is-en 21": ("wmt21", "is-en", None),
    "zh-en TED": ("ted-mqm", "zh-en", None),
    "cs-en 13": ("wmt13", "cs-en", None),
    "de-en 13": ("wmt13", "de-en", None),
    "es-en 13": ("wmt13", "es-en", None),
    "fr-en 13": ("wmt13", "fr-en", None),
}
"""Name to folder and references (None: all)."""
UNTUNED = "zh-en TED"
SAMPLES, SEED = 1000, 12345
BASES = {"bleu": "BLEU", "meteor": "METEOR", "chrf": "chrF", "sim": "token similarity"}
FORMS = {"cohesion": "cohesion", "cohesion(average=recall)": "cohesion by recall"}
ALONE = {**FORMS, "lc": "LC", "rc": "RC"}
PAPER = {
    "BLEU": (0.0994, 0.0449, 0.5862, 0.4256),
    "METEOR": (0.3069, 0.2037, 0.7390, 0.5180),
    "cohesion": (0.1284, 0.0609, 0.6891, 0.4601),
    "HBLEU": (0.1240, 0.0698, 0.6551, 0.4800),
    "HMETEOR": (0.3107, 0.2103, 0.7467, 0.5244),
}


@dataclass
class DocumentSet:
    """Human scores (systems, documents; NaN: not judged) and metric scores of a set."""

    name: str
    evalset: EvalSet
    human: Floats
    metrics: dict[str, Floats] = field(default_factory=dict)

    @property
    def family(self) -> str:
        """Sets of a family share documents: none is tested with weights from another."""
        return "13" if self.name.endswith("13") else self.name

    def shown(self, scores: Floats) -> Floats:
        """Scores of judged points (NaN elsewhere), on WMT13 minus the document's mean."""
        found = np.where(np.isnan(self.human), np.nan, scores)
        return found - np.nanmean(found, axis=0, keepdims=True) if self.family == "13" else found

    def points(self, scores: Floats) -> tuple[Floats, Floats]:
        """Metric and human scores of all judged (system, document)."""
        judged = ~np.isnan(self.human)
        return self.shown(scores)[judged], self.shown(self.human)[judged]

    def pearson(self, scores: Floats) -> float:
        """Pearson's r over all points."""
        return float(pearson(*self.points(scores)))

    def kendall(self, scores: Floats) -> float:
        """Kendall's tau over all points."""
        return kendall(*self.points(scores))


Measure = Callable[[DocumentSet, Floats], float]
MEASURES: dict[str, Measure] = {"r": DocumentSet.pearson, "τ": DocumentSet.kendall}


def load(data: Path, name: str) -> DocumentSet:
    """Read a set with its human document scores."""
    folder, pair, references = SETS[name]
    judged = judged_set(data, folder, pair, "z" if folder == "wmt21" else None)
    evalset = judged.select(references=references).evalset
    return DocumentSet(name, evalset, document_scores(evalset, judged.judgments))


def document_scores(evalset: EvalSet, judgments: Pairs | Ratings) -> Floats:
    """Return human scores of documents: (systems, documents)."""
    documents = evalset.documents
    if isinstance(judgments, Ratings):
        reference = next(iter(evalset.references.values()))
        return judgments.document_scores(documents, [max(1, len(r.split())) for r in reference])
    of_segment = np.repeat(np.arange(len(documents)), [len(d) for d in documents])
    by_document = replace(judgments, segment=of_segment[judgments.segment])
    return by_document.ratings(len(documents)).matrix(len(documents))


def add_metrics(sets: Sequence[DocumentSet], names: Sequence[str], scores: Scores) -> None:
    """Score every set with every metric that can score it."""
    for one in sets:
        table = scores.table(one.evalset, names)
        for name in names:
            chosen = metric(name)
            if str(chosen) in table.columns:
                scale = chosen.scale if chosen.unit is Unit.SEGMENT else 1.0
                one.metrics[name] = table[str(chosen)].at("document") / scale


def hybrid(sets: Sequence[DocumentSet], one: DocumentSet, inner: str, cohesion: str) -> Floats:
    """Mix a metric and cohesion with the weight that is best on the sets of other families."""
    tasks = []
    for other in sets:
        if other.family != one.family and other.name != UNTUNED:
            columns = [other.points(other.metrics[m]) for m in (cohesion, inner)]
            tasks.append((np.stack([c[0] for c in columns], axis=-1), columns[0][1]))

    def loss(weight: float) -> float:
        return -sum(float(pearson(x @ [weight, 1 - weight], y)) for x, y in tasks)

    weight = float(minimize_scalar(loss, bounds=(0, 1), method="bounded").x)
    return weight * one.metrics[cohesion] + (1 - weight) * one.metrics[inner]


def line(
    title: str,
    sets: Sequence[DocumentSet],
    scores: Sequence[Floats],
    base: Sequence[float] | None = None,
) -> tuple[Row, list[float]]:
    """Return one row, bold where it is better than ``base``, and its values."""
    by_set = [[f(one, s) for f in MEASURES.values()] for one, s in zip(sets, scores, strict=True)]
    values = [*(v for found in by_set for v in found), *map(float, np.mean(by_set, axis=0))]
    cells = [Cell(v, bold=base is not None and v > base[i]) for i, v in enumerate(values)]
    for m in range(len(MEASURES)):
        places = range(m, len(MEASURES) * len(sets), len(MEASURES))
        cells.append(Cell(None if base is None else sum(values[i] > base[i] for i in places)))
    return Row((Cell(title), *cells)), values


def main_table(sets: Sequence[DocumentSet], known: Mapping[str, str]) -> Table:
    """Return metrics, cohesion, and hybrids tuned on other sets."""
    columns = [Heading("Metric", align="left")]
    names = (*(one.name for one in sets), "mean")
    columns += [Heading(m, group=name, decimals=3) for name in names for m in MEASURES]
    columns += [Heading(m, group="sets better") for m in MEASURES]
    rows: list[Row] = []
    values: dict[str, list[float]] = {}
    for name, title in known.items():
        row, values[name] = line(title, sets, [one.metrics[name] for one in sets])
        rows.append(row)
    for cohesion, label in FORMS.items():
        for inner in (name for name in BASES if name in known):
            own = [hybrid(sets, one, inner, cohesion) for one in sets]
            rows.append(line(f"{BASES[inner]} + {label}", sets, own, values[inner])[0])
    return Table(tuple(columns), tuple(rows), "Correlation over all (system, document)")


def gains_table(sets: Sequence[DocumentSet], known: Mapping[str, str]) -> Table:
    """Return what a hybrid adds to r, with intervals over documents."""
    columns = [Heading("Difference of r", align="left")]
    columns += [Heading(one.name, decimals=3) for one in sets]
    rows = []
    for inner in (name for name in BASES if name in known):
        for cohesion, label in FORMS.items():
            cells = [Cell(f"{BASES[inner]} + {label} − {BASES[inner]}")]
            for one in sets:
                ours, theirs = hybrid(sets, one, inner, cohesion), one.metrics[inner]
                gain = one.pearson(ours) - one.pearson(theirs)
                ends = None if one.name == UNTUNED else resampled(one, ours, theirs)
                cells.append(Cell(gain, interval=ends, bold=gain > 0))
            rows.append(Row(tuple(cells)))
    note = f"95% bootstrap intervals over documents, {SAMPLES} samples; TED has too few documents"
    return Table(tuple(columns), tuple(rows), "Gain by cohesion", (note,))


def resampled(one: DocumentSet, ours: Floats, theirs: Floats) -> tuple[float, float]:
    """Return the 95% interval of the difference of r over samples of documents."""
    weights = document_weights(ours.shape[1], SAMPLES, np.random.default_rng(SEED))
    found = [weighted_pearson(one, scores, weights) for scores in (ours, theirs)]
    return interval(found[0] - found[1])


def weighted_pearson(one: DocumentSet, scores: Floats, weights: Floats) -> Floats:
    """Return Pearson's r over all points for every row of document weights."""
    judged = ~np.isnan(one.human)
    human, x = (np.where(judged, one.shown(values), 0.0) for values in (one.human, scores))

    def total(values: Floats) -> Floats:
        return np.asarray(weights @ values.sum(axis=0))

    n, sx, sy = total(judged.astype(float)), total(x), total(human)
    covariance = total(x * human) - sx * sy / n
    spread = (total(x * x) - sx**2 / n) * (total(human * human) - sy**2 / n)
    return np.asarray(covariance / np.sqrt(spread))


def paper_table() -> Table:
    """Return Table 3 of the paper."""
    columns = [Heading("Metric", align="left")]
    columns += [Heading(m, group=g) for g in ("MTC2", "MTC4") for m in ("r", "τ")]
    rows = [Row((Cell(name), *map(Cell, values))) for name, values in PAPER.items()]
    return Table(tuple(columns), tuple(rows), "The paper's Table 3 (data not open)")


def main() -> None:
    """Score, tune, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    args = parser.parse_args()
    scores = Scores(args.fresh, args.workers)
    sets = [load(args.data, name) for name in args.sets]
    every = {**BASES, **ALONE}
    add_metrics(sets, list(every), scores)
    known = {k: v for k, v in every.items() if all(k in one.metrics for one in sets)}
    for name, reason in scores.gaps.items():
        print(f"without {name}: {reason}", file=sys.stderr)
    publish([main_table(sets, known), gains_table(sets, known), paper_table()], args)


if __name__ == "__main__":
    main()
