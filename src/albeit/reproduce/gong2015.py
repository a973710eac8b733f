"""Table 3 of "Document-Level MT Evaluation Metrics Enhanced with Simplified Lexical Chain" (2015).

The paper's data (MTC2, MTC4) is sold by the LDC, so its protocol runs on other sets. A document's
human score is the mean of its segments' scores, weighted by the length of the reference: z-scores
for WMT21, MQM for TED, shares of comparisons won for WMT13. On WMT13, raters compared the systems
of one segment, so the mean of each document is subtracted there. The weight of cohesion is tuned
for maximum correlation on other sets than the one tested: the pairs of WMT13 share their documents
and count as one, and TED, with five talks, is never used for tuning. Without other sets, each half
of a set's documents is tuned on the other half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from albeit.arrays import FloatArray
from albeit.data.evalset import Unit
from albeit.metaeval.statistics import kendall
from albeit.metrics.registry import metric
from albeit.report import Cell, Heading, Row, Table
from albeit.reproduce.sets import Work, decimals, published
from albeit.stats import interval, pearson

SETS = {"ru-en": "wmt21", "ja-en": "wmt21", "is-en": "wmt21", "zh-en": "ted-mqm"}
SETS |= dict.fromkeys(("cs-en", "de-en", "es-en", "fr-en"), "wmt13")
PAIRS, TABLES = tuple(SETS), ("3", "gain")
BASES = {"bleu": "BLEU", "meteor": "METEOR", "chrf": "chrF", "sim": "token similarity"}
FORMS = {"cohesion": "cohesion", "cohesion(average=recall)": "cohesion by recall"}
HYBRIDS = [(b, f, f"{title} + {label}") for f, label in FORMS.items() for b, title in BASES.items()]
MEASURES = ("r", "τ")
Values = Sequence[tuple[float, float]]
SAMPLES, SEED = 1000, 12345


@dataclass(frozen=True)
class DocumentSet:
    """Human scores (systems, documents; NaN: not judged) and metric scores of a set."""

    pair: str
    human: FloatArray
    metrics: dict[str, FloatArray]

    @property
    def year(self) -> str:
        """The sets of one campaign; those of WMT13 share documents."""
        return SETS[self.pair]

    def shown(self, scores: FloatArray) -> FloatArray:
        """Return scores of judged points (NaN elsewhere), on WMT13 minus the document's mean."""
        found = np.where(np.isnan(self.human), np.nan, scores)
        return found - np.nanmean(found, axis=0, keepdims=True) if self.year == "wmt13" else found

    def points(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return metric and human scores of all judged (system, document)."""
        judged = ~np.isnan(self.human)
        return self.shown(scores)[judged], self.shown(self.human)[judged]

    def agreement(self, scores: FloatArray) -> tuple[float, float]:
        """Return Pearson's r and Kendall's tau over all points."""
        points = self.points(scores)
        return float(pearson(*points)), kendall(*points)

    def half(self, start: int) -> DocumentSet:
        """Return every second document."""
        metrics = {name: scores[:, start::2] for name, scores in self.metrics.items()}
        return replace(self, human=self.human[:, start::2], metrics=metrics)


def _load(work: Work, pair: str) -> DocumentSet:
    """Read a set, and score its documents."""
    judged = work.judged(f"{SETS[pair]}/{pair}", "z" if SETS[pair] == "wmt21" else None)
    judged = judged.select(references=("refA",) if pair == "ru-en" else None)
    table, found = work.score(judged.evalset, [*BASES, *FORMS]), {}
    for name in (*BASES, *FORMS):
        chosen = metric(name)
        scale = chosen.scale if chosen.unit is Unit.SEGMENT else 1.0
        found[name] = table[str(chosen)].at("document") / scale
    return DocumentSet(pair, judged.task(table).human("document"), found)


def _weight(sets: Sequence[DocumentSet], inner: str, cohesion: str) -> float:
    """Return the weight of cohesion with the best sum of Pearson's r over sets."""
    tasks = [[one.points(one.metrics[name]) for name in (cohesion, inner)] for one in sets]

    def loss(weight: float) -> float:
        mixed = [(weight * x[0] + (1 - weight) * y[0], x[1]) for x, y in tasks]
        return -sum(float(pearson(*each)) for each in mixed)

    return float(minimize_scalar(loss, bounds=(0, 1), method="bounded").x)


def _hybrid(sets: Sequence[DocumentSet], one: DocumentSet, inner: str, form: str) -> FloatArray:
    """Mix a metric and cohesion with a weight that is tuned on other documents."""
    others = [each for each in sets if each.year != "ted-mqm" and each.year != one.year]
    others += [each for each in sets if each.year == one.year == "wmt21" and each is not one]
    if others:
        weight = np.full(one.human.shape[1], _weight(others, inner, form))
    else:
        weight = np.empty(one.human.shape[1])
        for start in (0, 1):
            weight[start::2] = _weight([one.half(1 - start)], inner, form)
    return np.asarray(weight * one.metrics[form] + (1 - weight) * one.metrics[inner])


def _line(title: str, found: Values, base: Sequence[float] = ()) -> tuple[Row, list[float]]:
    """Return one row of r and τ per set, bold where it is better than ``base``; and its values."""
    values = [*map(float, np.mean(found, axis=0)), *(v for each in found for v in each)]
    better = [bool(base) and value > base[n] for n, value in enumerate(values)]
    printed = [*published("gong2015")["table3"].get(title, [None] * 4)]
    counts = [sum(better[2 + m :: 2]) if base else None for m in range(2)]
    cells = [Cell(v, bold=b) for v, b in zip(values, better, strict=True)]
    shown = [*cells[:2], *map(Cell, counts), *map(Cell, printed), *cells[2:]]
    return Row((Cell(title), *shown)), values


def _main_table(sets: Sequence[DocumentSet]) -> Table:
    """Return metrics, cohesion, and hybrids that are tuned on other documents."""
    columns = [Heading("Metric", align="left"), *decimals(*MEASURES, group="mean of our sets")]
    columns += [Heading(m, group="sets better") for m in MEASURES]
    for name in ("paper MTC2", "paper MTC4"):
        columns += decimals(*MEASURES, group=name, digits=4)
    for one in sets:
        columns += decimals(*MEASURES, group=f"{one.pair} {one.year.removesuffix('-mqm')}")
    alone = {**BASES, **FORMS}
    made = {n: _line(t, [s.agreement(s.metrics[n]) for s in sets]) for n, t in alone.items()}
    rows = [row for row, _ in made.values()]
    for inner, form, title in HYBRIDS:
        own = [one.agreement(_hybrid(sets, one, inner, form)) for one in sets]
        rows.append(_line(title, own, made[inner][1])[0])
    text = published("gong2015")
    return Table.of(columns, rows, text["captions"]["3"], text["notes"]["3"])


def _gains_table(sets: Sequence[DocumentSet]) -> Table:
    """Return what cohesion adds to Pearson's r, with intervals over documents."""
    rows = []
    for inner, form, title in HYBRIDS:
        cells = [Cell(title)]
        for one in sets:
            ours, theirs = _hybrid(sets, one, inner, form), one.metrics[inner]
            gain = one.agreement(ours)[0] - one.agreement(theirs)[0]
            ends = None if one.year == "ted-mqm" else _resampled(one, ours, theirs)
            cells.append(Cell(gain, interval=ends, bold=gain > 0))
        rows.append(cells)
    columns = [Heading("Metric", align="left"), *decimals(*(one.pair for one in sets))]
    text = published("gong2015")
    return Table.of(columns, rows, text["captions"]["gain"], text["notes"]["gain"])


def _resampled(one: DocumentSet, ours: FloatArray, theirs: FloatArray) -> tuple[float, float]:
    """Return the 95% interval of the difference of r over samples of documents."""
    rng, size = np.random.default_rng(SEED), ours.shape[1]

    def gain() -> float:
        at = rng.integers(size, size=size)
        part = replace(one, human=one.human[:, at])
        first, second = (pearson(*part.points(scores[:, at])) for scores in (ours, theirs))
        return float(first - second)

    return interval([gain() for _ in range(SAMPLES)])


def make(work: Work, wanted: Sequence[str]) -> list[Table]:
    """Score documents, tune, and return the wanted tables."""
    work.require([f"{SETS[pair]}/{pair}" for pair in work.pairs])
    sets = [_load(work, pair) for pair in work.pairs]
    makers = {"3": _main_table, "gain": _gains_table}
    return [makers[name](sets) for name in wanted]
