"""Which metric ranks systems as people do, on the sets of today's systems; and is it chance?

    PYTHONPATH=src python research/experiments/recommendation.py [--sets wmt23-zh-en …] [-m chrf …]

On every judged set: Pearson's r between systems' scores and the human scores, on judged segments
only. Beside each metric its lead over chrF, with an interval over samples of documents (people's
scores are drawn with them), over samples of systems, and the smallest and largest lead when one
system is left out. A lead whose intervals hold zero is not shown to be one. Nothing is tuned here.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import Scores, arguments, shared_folder
from _page import add_option, publish

from albeit.arrays import FloatArray
from albeit.errors import AlbeitWarning
from albeit.judged import JudgedSet, Task, oriented, read_judged
from albeit.metaeval import Measure, agreement
from albeit.metaeval.significance import sampled_human_scores, sampled_system_scores
from albeit.report import Heading, Table
from albeit.stats.correlation import pearson
from albeit.stats.resample import document_weights, interval


@dataclass(frozen=True)
class Source:
    """Where a set lies, which references it has, and who judged."""

    folder: str
    raters: str
    references: tuple[str, ...] | None = None
    column: str | None = None
    margin: float = 0.0


EXPERTS, CROWD = "experts, MQM", "crowd, DA"
SETS = {
    "wmt23-zh-en": Source("discourse/wmt23-mqm/zh-en", EXPERTS, ("ref",), "mqm", 1.0),
    "newstest21-zh-en": Source("discourse/newstest21-mqm/zh-en", EXPERTS, ("ref",), margin=1.0),
    "ted-zh-en": Source("ted-mqm/zh-en", EXPERTS, margin=1.0),
    "wmt21-ru-en": Source("wmt21/ru-en", CROWD, ("refA",), "raw", 25.0),
    "wmt21-ja-en": Source("wmt21/ja-en", CROWD, None, "raw", 25.0),
    "wmt21-is-en": Source("wmt21/is-en", CROWD, None, "raw", 25.0),
    "wmt23-en-de": Source("discourse/wmt23-mqm/en-de", EXPERTS, ("ref",), "mqm", 1.0),
    "newstest21-en-de": Source("discourse/newstest21-mqm/en-de", EXPERTS, ("ref",), margin=1.0),
    "ted-en-de": Source("ted-mqm/en-de", EXPERTS, margin=1.0),
    "wmt24-en-zh": Source("discourse/wmt24-esa/en-zh", "experts, ESA", None, "esa", 5.0),
}
"""``margin``: ratings less far apart count as tied, for segment τ (WMT's own for raw DA)."""
METRICS = ("chrf", "bleu", "cohesion(average=recall)", "cohesion", "cohesion(average=f)")
ENGLISH = ("meteor",)
BASE = "chrf"
SAMPLES, SEED = 1000, 12345
TAU = Measure("segment", "tau-wmt14")
Indices = npt.NDArray[np.int64]


def judged(name: str, data: Path, sample: int = 1) -> JudgedSet:
    """A set, its judged segments only; if wanted of every n-th document alone."""
    source = SETS[name]
    folder = shared_folder(data, source.folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        found = read_judged(folder, column=source.column, references=source.references)
        found = found.judged_only()
    kept = [i for d in found.evalset.documents[::sample] for i in range(d.start, d.stop)]
    return found.take(kept)


@dataclass(frozen=True)
class Ranked:
    """Systems by a metric beside people, as they are and in samples: each (samples, systems)."""

    scores: FloatArray
    human: FloatArray
    scores_drawn: FloatArray
    human_drawn: FloatArray

    @classmethod
    def of(cls, task: Task, name: str, weights: FloatArray) -> Ranked:
        """Systems' scores, and the same in samples of documents."""
        column = task.table[name]
        drawn = sampled_system_scores(task, column, weights)
        if drawn is None:
            sys.exit(f"{name} has no statistics to sample from")
        scores, human = oriented(column, "system"), task.human("system")
        return cls(scores[None], human[None], drawn, sampled_human_scores(task, weights))

    def mixed(self, other: Ranked) -> Ranked:
        """The mean of two metrics, each brought to the same spread over the systems."""
        scores, drawn = (
            _spread(mine) + _spread(theirs)
            for mine, theirs in (
                (self.scores, other.scores),
                (self.scores_drawn, other.scores_drawn),
            )
        )
        return Ranked(scores, self.human, drawn, self.human_drawn)

    def r(self, systems: Indices | None = None) -> FloatArray:
        """Pearson's r, of all systems or of samples of them: (samples, systems drawn)."""
        if systems is None:
            return pearson(self.scores, self.human)
        return pearson(self.scores[0][systems], self.human[0][systems])

    def r_drawn(self) -> FloatArray:
        """Pearson's r in every sample of documents."""
        return pearson(self.scores_drawn, self.human_drawn)


def _spread(scores: FloatArray) -> FloatArray:
    centred = scores - scores.mean(axis=1, keepdims=True)
    return np.asarray(centred / scores.std(axis=1, keepdims=True))


def lead(one: Ranked, other: Ranked, systems: Indices) -> list[str | float]:
    """How much better one metric is, over samples of documents, of systems, without each system."""
    count = one.scores.shape[1]
    all_but_one = np.array([np.delete(np.arange(count), n) for n in range(count)])
    without = one.r(all_but_one) - other.r(all_but_one)
    return [
        float((one.r() - other.r())[0]),
        _range(interval(one.r_drawn() - other.r_drawn())),
        _range(interval(one.r(systems) - other.r(systems))),
        _range((float(without.min()), float(without.max()))),
    ]


def _range(ends: tuple[float, float]) -> str:
    return "{:+.3f} … {:+.3f}".format(*ends)


def summary(tasks: Mapping[str, Task]) -> Table:
    """Pearson's r of every metric on every set."""
    measure = Measure("system", "pearson")
    metrics = dict.fromkeys(name for task in tasks.values() for name in task.table.metrics)
    rows = [
        [
            metric,
            *(
                agreement(task, task.table[metric], measure)
                if metric in task.table.columns
                else None
                for task in tasks.values()
            ),
        ]
        for metric in metrics
    ]
    heads = [Heading("Metric", align="left"), *(Heading(name, decimals=3) for name in tasks)]
    return Table.of(heads, rows, caption="Systems as people rank them, Pearson's r")


def compared(name: str, task: Task) -> Table:
    """One set: every metric beside chrF."""
    rng = np.random.default_rng(SEED)
    weights = document_weights(len(task.table.documents), SAMPLES, rng)
    count = len(task.table.systems)
    systems = rng.integers(count, size=(SAMPLES, count))
    ranked = {metric: Ranked.of(task, metric, weights) for metric in task.table.metrics}
    base = ranked[BASE]
    rows: list[list[str | float | None]] = []
    for metric, own in sorted(ranked.items(), key=lambda each: -each[1].r()[0]):
        tau = None
        if task.table[metric].segment is not None:
            tau = agreement(task, task.table[metric], TAU)
        mixed = None if metric == BASE else float(base.mixed(own).r()[0])
        more = [None] * 4 if metric == BASE else lead(own, base, systems)
        rows.append([metric, tau, float(own.r()[0]), mixed, *more])
    heads = [
        Heading("Metric", align="left"),
        Heading("segment τ", decimals=3),
        Heading("system r", decimals=3),
        Heading(f"mixed with {BASE}", decimals=3),
        Heading(f"lead over {BASE}", decimals=3),
        "over documents",
        "over systems",
        "one system left out",
    ]
    note = (
        f"{SETS[name].raters}; {count} systems, {len(task.table.documents)} documents,"
        f" {len(task.table)} judged segments"
    )
    return Table.of(heads, rows, caption=name, notes=[note])


def main() -> None:
    """Score, sample, print."""
    parser = arguments(__doc__ or "")
    add_option(parser)
    parser.add_argument("--sets", nargs="+", choices=tuple(SETS), default=list(SETS))
    parser.add_argument("-m", "--metrics", nargs="+", default=list(METRICS))
    parser.add_argument(
        "--english",
        nargs="*",
        default=list(ENGLISH),
        help="metrics for sets into English alone (sim and albeit-party analyse every text)",
    )
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="every n-th document")
    args = parser.parse_args()
    scores = Scores(args.fresh, args.workers)
    tasks = {}
    for name in args.sets:
        found = judged(name, args.data, args.sample)
        metrics = [*args.metrics, *(args.english if name.endswith("-en") else [])]
        tasks[name] = found.task(scores.table(found.evalset, metrics), SETS[name].margin)
    tables = [summary(tasks), *(compared(name, task) for name, task in tasks.items())]
    publish(tables, args.format, args.page)


if __name__ == "__main__":
    main()
