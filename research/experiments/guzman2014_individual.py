"""DR and DR-LEX alone, as in Tables 2 and 3 of the ACL 2014 paper, and what each choice does.

    PYTHONPATH=src python research/experiments/guzman2014_individual.py [--data DIR] [-f text|markdown|…]
        [--page docs/results/dr-individual.md]

The paper leaves open the decay λ, the normalisation, single-EDU sentences, and how words
hang under NGRAM. Each open choice is varied alone around our defaults. Defaults were chosen
on WMT13 (every ``--share``-th document), never on WMT12. Values are means over cs-en, de-en,
es-en and fr-en: segment-level τ as WMT12 counts it (a metric's tie is an error) and
system-level Spearman. Intervals hold 95 % of samples of whole documents; the four pairs of
WMT12 share their documents, so they are drawn together.
"""

from __future__ import annotations

import hashlib
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import PAIRS, Scores, arguments
from _page import add_option, publish
from _sampled import sampled_set

from albeit.annotate import annotate, version
from albeit.annotate.layers import EDUS, RST
from albeit.combine import uniform
from albeit.corpus import EvalSet
from albeit.judged import JudgedSet, Task
from albeit.metaeval import Measure, agreement
from albeit.metaeval.confidence import resampled_agreement
from albeit.metrics.rst.dr import Dr, DrLex, TreeKernelMetric
from albeit.metrics.rst.kernel import log_kernels
from albeit.metrics.rst.trees import Representation
from albeit.metrics.signature import Signature
from albeit.metrics.table import Column, ScoreTable
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from albeit.stats.bootstrap import interval

Floats = npt.NDArray[np.float64]
TAU = Measure("segment", "tau-wmt12")
UNTIED = Measure("segment", "tau-wmt13")
RHO = Measure("system", "spearman")
SAMPLES, SEED = 1000, 12345


@dataclass(frozen=True)
class Variant:
    """One way to score: a tree form, λ, a normalisation, what to do with single EDUs."""

    metric: str
    title: str
    form: Representation
    decay: float
    norm: str = "geometric"
    single: str = "production"


def default(metric: TreeKernelMetric, title: str) -> Variant:
    """A metric's own parameters."""
    return Variant(metric.name, title, metric.representations[0], metric.lambda_)


def variants() -> list[Variant]:
    """Each choice alone, around the defaults; then the paper's words with the usual λ."""
    dr, lex = default(Dr(), "as shipped"), default(DrLex(), "as shipped")
    found = [dr]
    found += [replace(dr, title=f"λ = {x}", decay=x) for x in (0.1, 0.4, 0.7, 1.0)]
    found += [
        replace(dr, title=f"labels: {x}", form=replace(dr.form, labels=x))
        for x in ("nuclearity", "relation", "none")
    ]
    found.append(replace(dr, title="labels as properties", form=replace(dr.form, layout="split")))
    found += _scales(dr)
    found.append(lex)
    found += [replace(lex, title=f"λ = {x}", decay=x) for x in (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)]
    found += [
        replace(lex, title=f"labels: {x}", form=replace(lex.form, labels=x))
        for x in ("nuclearity", "relation", "none")
    ]
    found.append(replace(lex, title="labels in the nodes", form=replace(lex.form, layout="joint")))
    found += [
        replace(lex, title=title, form=replace(lex.form, words=x))
        for x, title in {"lower": "words in lower case", "stem": "stems"}.items()
    ]
    together = replace(lex.form, grouping="edu")
    found.append(replace(lex, title="one NGRAM an EDU", form=together))
    usual = replace(together, words="lower")
    found.append(replace(lex, title="one NGRAM an EDU, lower case, λ = 0.4", form=usual, decay=0.4))
    return found + _scales(lex)


def _scales(base: Variant) -> list[Variant]:
    """Other normalisations and treatments of sentences of one EDU."""
    return [
        replace(base, title="normalised by the mean self-kernel", norm="arithmetic"),
        replace(base, title="normalised by the larger self-kernel", norm="larger"),
        replace(base, title="normalised by the reference's self-kernel", norm="reference"),
        replace(base, title="logarithms of kernels, normalised", norm="logarithm"),
        replace(base, title="a single EDU scores 0 (a parse that failed)", single="zero"),
        replace(base, title="single-EDU references left out", single="left out"),
    ]


def normalised(both: Floats, own: Floats, reference: Floats, how: str) -> Floats:
    """Scores from log-kernels of the pair, the translation alone and the reference alone."""
    shared = np.isfinite(both)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        if how == "logarithm":
            a, b, c = (np.logaddexp(0.0, x) for x in (both, own, reference))
            return np.where(shared, a / np.sqrt(b * c), 0.0)
        below = {
            "geometric": 0.5 * (own + reference),
            "arithmetic": np.logaddexp(own, reference) - np.log(2.0),
            "larger": np.maximum(own, reference),
            "reference": reference,
        }[how]
        return np.where(shared, np.exp(both - below), 0.0)


class Corpus:
    """A test set with its discourse trees, scored by many variants."""

    def __init__(self, evalset: EvalSet) -> None:
        reference = next(iter(evalset.references.values()))
        lines = list(evalset.systems.values())
        texts = list(dict.fromkeys(text for part in (reference, *lines) for text in part))
        place = {text: n for n, text in enumerate(texts)}
        found = annotate(texts, frozenset({RST}), evalset.target_lang)
        self._analyses = [found[text] for text in texts]
        self._hyp = np.array([[place[text] for text in part] for part in lines])
        self._ref = np.tile([place[text] for text in reference], (len(lines), 1))
        self._single = np.array([len(a[EDUS]) < 2 for a in self._analyses])

    def scores(self, chosen: Sequence[Variant]) -> dict[Variant, Floats]:
        """(systems, segments) by variant; trees are encoded once a form."""
        found: dict[Variant, Floats] = {}
        for form in dict.fromkeys(v.form for v in chosen):
            trees = [form.encode(a) for a in self._analyses]
            for decay in dict.fromkeys(v.decay for v in chosen if v.form == form):
                own = log_kernels(trees, trees, decay)
                both = log_kernels(
                    [trees[i] for i in self._hyp.ravel()],
                    [trees[i] for i in self._ref.ravel()],
                    decay,
                ).reshape(self._hyp.shape)
                for v in chosen:
                    if (v.form, v.decay) == (form, decay):
                        found[v] = self._scaled(v, both, own)
        return found

    def _scaled(self, variant: Variant, both: Floats, own: Floats) -> Floats:
        scores = normalised(both, own[self._hyp], own[self._ref], variant.norm)
        if variant.single == "zero":
            scores[self._single[self._hyp] | self._single[self._ref]] = 0.0
        elif variant.single == "left out":
            scores[self._single[self._ref]] = 0.0
        return scores


@dataclass
class Campaign:
    """A year's four test sets, scored by all variants."""

    tasks: list[Task]
    names: dict[Variant, str]

    def values(self, name: str, measure: Measure) -> list[float]:
        """Agreement on each language pair."""
        return [agreement(task, task.table[name], measure) for task in self.tasks]

    def samples(self, name: str, measure: Measure) -> Floats:
        """Agreement in samples of documents: (pairs, samples)."""
        return np.array(
            [
                resampled_agreement(
                    task,
                    task.table[name],
                    measure,
                    samples=SAMPLES,
                    rng=np.random.default_rng(SEED),
                )
                for task in self.tasks
            ]
        )

    def cell(self, name: str, measure: Measure, *, sure: bool = False) -> Cell:
        """The mean over language pairs, with its interval if wanted."""
        drawn = interval(self.samples(name, measure).mean(axis=0)) if sure else None
        return Cell(float(np.mean(self.values(name, measure))), interval=drawn)


def kept_scores(evalset: EvalSet, chosen: Sequence[Variant], work: Path) -> dict[Variant, Floats]:
    """Scores of a set by all variants, from disk if kept."""
    texts = [*evalset.references.values(), *evalset.systems.values()]
    key = hashlib.sha256(f"{version()}\n{chosen}\n{texts}".encode()).hexdigest()[:16]
    path = work / "kernels" / f"{evalset.name}.{evalset.source_lang}.{key}.npy"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        found = Corpus(evalset).scores(chosen)
        np.save(path, np.array([found[v] for v in chosen], dtype=np.float32))
    return dict(zip(chosen, np.load(path).astype(np.float64), strict=True))


def campaign(
    sets: Sequence[JudgedSet],
    chosen: Sequence[Variant],
    work: Path,
    scores: Scores | None,
) -> Campaign:
    """Score a year; with ``scores``, BLEU and its combinations too."""
    tasks = []
    names = {v: f"{n}: {v.metric}, {v.title}" for n, v in enumerate(chosen)}
    for judged in sets:
        evalset = judged.evalset
        print(f"{evalset.name} {evalset.source_lang}: {len(evalset)} segments", file=sys.stderr)
        found = kept_scores(evalset, chosen, work)
        columns = [_column(names[v], found[v]) for v in chosen]
        table = ScoreTable.build(evalset, columns)
        if scores is not None:
            shipped = [_column(v.metric, found[v]) for v in chosen if v.title == "as shipped"]
            table = table.with_columns([scores.table(evalset, ["bleu"])["bleu"], *shipped])
            table = table.with_columns(
                [uniform(table, ["bleu", c.name], name=f"bleu+{c.name}") for c in shipped]
            )
        tasks.append(judged.task(table))
    return Campaign(tasks, names)


def _column(name: str, segment: Floats) -> Column:
    return Column(name, Signature(name), True, segment.mean(axis=1), None, segment)


def choices(chosen: Sequence[Variant], wmt13: Campaign, wmt12: Campaign, note: str) -> Table:
    """What each choice does, on the set for choosing and on the set for testing."""
    columns = [Heading("Choice", key="choice", align="left")]
    for year in ("WMT13", "WMT12"):
        columns += [Heading(x, group=year, decimals=3) for x in ("τ", "τ, ties dropped", "ρ")]
    rows = []
    for v in chosen:
        cells = [Cell(v.title)]
        for year, sure in ((wmt13, False), (wmt12, True)):
            name = year.names[v]
            cells += [year.cell(name, TAU, sure=sure), year.cell(name, UNTIED)]
            cells.append(year.cell(name, RHO, sure=sure))
        rows.append(Row(tuple(cells), v.metric))
    return Table(tuple(columns), tuple(rows), "What each choice does", (note,))


def per_pair(wmt12: Campaign, paper: dict[str, dict[str, list[float]]]) -> Table:
    """The shipped metrics, BLEU and their uniform combinations, pair by pair."""
    columns = [Heading("Metric", key="metric", align="left")]
    for group in ("segment τ", "system ρ"):
        columns += [Heading(x, group=group, decimals=3) for x in (*PAIRS, "mean", "paper")]
    rows = []
    for name, (key, place) in {
        "dr": ("dr", 0),
        "dr-lex": ("dr-lex", 0),
        "bleu": ("bleu", 0),
        "bleu+dr": ("bleu", 1),
        "bleu+dr-lex": ("bleu", 2),
    }.items():
        cells = [Cell(name)]
        for measure, table in ((TAU, "table3"), (RHO, "table2")):
            drawn = "+" not in name or measure.level == "segment"
            cells += [Cell(value) for value in wmt12.values(name, measure)]
            cells.append(wmt12.cell(name, measure, sure=drawn))
            cells.append(Cell(paper[table][key][place]))
        rows.append(Row(tuple(cells)))
    return Table(tuple(columns), tuple(rows), "WMT12, ours beside the paper's")


def gains(wmt12: Campaign) -> Table:
    """What a uniform combination adds to BLEU, with intervals of the difference."""
    columns = (
        Heading("Combination", key="metric", align="left"),
        Heading("segment τ over BLEU", key="tau", decimals=3),
        Heading("system ρ over BLEU", key="rho", decimals=3),
    )
    rows = []
    for name in ("bleu+dr", "bleu+dr-lex"):
        drawn = wmt12.samples(name, TAU).mean(axis=0) - wmt12.samples("bleu", TAU).mean(axis=0)
        tau, rho = (
            float(np.mean(wmt12.values(name, m)) - np.mean(wmt12.values("bleu", m)))
            for m in (TAU, RHO)
        )
        rows.append(Row((Cell(name), Cell(tau, interval=interval(drawn)), Cell(rho))))
    return Table(columns, tuple(rows), "WMT12, gain of uniform combinations")


def main() -> None:
    """Score both years, print the tables."""
    options = arguments("DR and DR-LEX alone on WMT12, and what each choice does.")
    options.add_argument(
        "--share",
        type=int,
        default=6,
        metavar="N",
        help="choose on every N-th document of WMT13 (default: %(default)s)",
    )
    options.add_argument(
        "--judged",
        action="store_true",
        help="a quick run: only those segments of WMT12 that people judged",
    )
    add_option(options)
    args = options.parse_args()
    paper = tomllib.loads(Path(__file__).with_name("guzman2014.toml").read_text(encoding="utf-8"))
    chosen = variants()
    sets = [sampled_set(args.data, "wmt13", pair, args.share) for pair in PAIRS]
    wmt13 = campaign(sets, chosen, args.work, None)
    sets = [sampled_set(args.data, "wmt12", pair, judged=args.judged) for pair in PAIRS]
    scores = Scores(args.fresh, args.workers)
    wmt12 = campaign(sets, chosen, args.work, scores)
    note = (
        f"WMT13: every {args.share}th document. Intervals: 95 % of {SAMPLES} samples of documents."
    )
    if args.judged:
        note += " WMT12: judged segments only, so system scores are those of a third of the set."
    tables = [per_pair(wmt12, paper), gains(wmt12), choices(chosen, wmt13, wmt12, note)]
    publish(tables, args.format, args.page)


if __name__ == "__main__":
    main()
