"""What discourse metrics add to `judge` within documents judged by experts.

    PYTHONPATH=src:research python research/experiments/discourse.py [--sets …] [-m METRIC …]

Scores of `judge` are from models trained without the set (``training.judge.unseen``). Only judged
translations count: each (system, document) is scored by the lines that this system translated and
experts judged. *Partial correlation*: of a
metric with experts within documents (the mean of each document is subtracted), given `judge` and
the number of words; intervals over 1,000 samples of documents.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from _common import Floats, Scores, arguments, flat_set, judged, publish, shared_folder, uncertain

from albeit.data import EvalSet
from albeit.data.judgments import Ratings
from albeit.metrics.registry import metric
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from training.judge.unseen import Scores as LineScores
from training.judge.unseen import kept

BASE = "judge"
COHESION, COREF = "cohesion(average=recall)", "coref(average=recall)"
FORMS = (COHESION, COREF, "terms", "dr", "chrf", "sim")
SETS = {
    "newstest20": "judgments/newstest20-mqm/zh-en",
    "bio de-en": "judgments/bio-mqm/de-en",
    "bio fr-en": "judgments/bio-mqm/fr-en",
    "bio es-en": "judgments/bio-mqm/es-en",
    "newstest21": "discourse/newstest21-mqm/zh-en",
    "wmt23": "discourse/wmt23-mqm/zh-en",
}
EDITED = "mtcarousel"
"""The references of the biomedical abstracts were made from this system: it isn't used."""
SAMPLES, SEED = 1000, 15


@dataclass
class JudgedCells:
    """A set, expert scores of its lines (systems, lines; NaN: not judged), and document scores."""

    name: str
    evalset: EvalSet
    lines: Floats
    scores: dict[str, Floats] = field(default_factory=dict)

    @cached_property
    def cells(self) -> list[tuple[int, int, int]]:
        """The (document, system, line) that were judged."""
        return [
            (number, system, line)
            for number, document in enumerate(self.evalset.documents)
            for system in range(len(self.lines))
            for line in range(document.start, document.stop)
            if not np.isnan(self.lines[system, line])
        ]

    @cached_property
    def flat(self) -> EvalSet:
        """One system whose documents are the judged lines of each (document, system)."""
        ids = [f"{document}/{system}" for document, system, _ in self.cells]
        pairs = [(system, line) for _, system, line in self.cells]
        return flat_set(self.evalset, pairs, ids, f"{self.name}-cells")

    @cached_property
    def human(self) -> Floats:
        """Human scores, weighted by the words of the reference: (systems, documents)."""
        reference = next(iter(self.evalset.references.values()))
        length = np.array([max(1, len(line.split())) for line in reference], float)
        return self.mean(self.lines, length)

    @cached_property
    def words(self) -> Floats:
        """Words of the translation per word of the reference: (systems, documents)."""
        own = next(iter(self.flat.systems.values()))
        texts = own, next(iter(self.flat.references.values()))
        counts = [[sum(map(_words, t[d.rows])) for d in self.flat.documents] for t in texts]
        return self.placed(np.divide(*counts))

    def mean(self, values: Floats, weight: Floats | float = 1.0) -> Floats:
        """Return the mean of judged lines by document: (systems, documents)."""
        judged = ~np.isnan(self.lines)
        starts = [d.start for d in self.evalset.documents]
        parts = (np.where(judged, values, 0) * weight, judged * weight)
        total, size = (np.add.reduceat(part, starts, axis=1) for part in parts)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(total / size)

    def placed(self, values: Floats) -> Floats:
        """Return values of the flat set's documents as (systems, documents)."""
        found = np.full((len(self.lines), len(self.evalset.documents)), np.nan)
        for value, one in zip(values, self.flat.documents, strict=True):
            document, system = map(int, one.id.split("/"))
            found[system, document] = value
        return found

    def add(self, names: Sequence[str], scores: Scores) -> None:
        """Score with these metrics. A document without a score gets the mean of the others."""
        table = scores.table(self.flat, names)
        if scores.gaps:
            sys.exit(f"{self.name}: {scores.gaps}")
        for name in names:
            chosen = metric(name)
            found = table[str(chosen)].at("document")[0]
            found = np.where(np.isnan(found), np.nanmean(found), found)
            self.scores[name] = self.placed(found if chosen.higher_is_better else -found)

    def supply(self, name: str, lines: LineScores) -> None:
        """Add scores by system and line. A document has the mean of its judged lines."""
        found = np.array([lines[s][: len(self.evalset)] for s in self.evalset.systems], float)
        if np.isnan(found[~np.isnan(self.lines)]).any():
            raise SystemExit(f"{self.name}: judged translations have no score by {name}")
        self.scores[name] = self.mean(found)

    def within(self, scores: Floats) -> Floats:
        """Return scores of judged points minus the mean of their document."""
        found = np.where(np.isnan(self.human), np.nan, scores)
        return np.asarray(found - np.nanmean(found, axis=0))


def _words(line: str) -> int:
    return len(line.split())


def load(name: str, data: Path) -> JudgedCells:
    """Read a set with its first reference."""
    folder = shared_folder(data, SETS[name])
    found = judged(folder, unescape=True)
    found = found.select([s for s in found.evalset.systems if s != EDITED], ("ref",))
    evalset, ratings = found.evalset, found.judgments
    assert isinstance(ratings, Ratings)
    lines = ratings.matrix(len(evalset))
    unsure = uncertain(folder)
    for k, (system, text) in enumerate(evalset.systems.items()):
        blank = [not line.strip() or (system, n) in unsure for n, line in enumerate(text)]
        lines[k, blank] = np.nan
    return JudgedCells(name, evalset, lines)


def weights(documents: int, seed: int = SEED) -> Floats:
    """Return how often each document occurs in each sample: (samples, documents)."""
    drawn = np.random.default_rng(seed).integers(documents, size=(SAMPLES, documents))
    found = np.zeros((SAMPLES, documents))
    np.add.at(found, (np.arange(SAMPLES)[:, None], drawn), 1.0)
    return found


def interval(samples: Floats) -> tuple[float, float]:
    """Return the middle 95%."""
    low, high = np.nanquantile(samples, [0.025, 0.975])
    return float(low), float(high)


def products(columns: Sequence[Floats]) -> Floats:
    """Return sums of products by document, of 1 and the columns, over judged systems."""
    judged = ~np.isnan(columns[-1])
    rows = np.stack([np.ones_like(columns[0]), *columns], axis=-1)
    rows = np.where(judged[..., None], rows, 0.0)
    return np.asarray(np.einsum("sdi,sdj->dij", rows, rows))


def partial(sums: Floats) -> Floats:
    """Return the correlation of the last two columns given those between the first and them."""
    count = sums[..., 0, 0][..., None, None]
    means = sums[..., :1, 1:] / count
    covariance = sums[..., 1:, 1:] / count - np.swapaxes(means, -1, -2) * means
    inverse = np.linalg.inv(covariance)
    spread = np.sqrt(inverse[..., -1, -1] * inverse[..., -2, -2])
    return np.asarray(-inverse[..., -2, -1] / spread)


def correlations(sets: Sequence[JudgedCells], names: Sequence[str], given: bool) -> Table:
    """Return Pearson's r within documents, or the partial one given `judge` and the words."""
    rows = []
    for name in names:
        cells = [Cell(name)]
        for one in sets:
            known = [one.scores[BASE], one.words] if given else []
            columns = [one.within(c) for c in (*known, one.scores[name], one.human)]
            sums = products([c / np.nanstd(c) for c in columns])
            samples = partial(np.einsum("nd,dij->nij", weights(len(sums)), sums))
            cells.append(Cell(float(partial(sums.sum(axis=0))), interval=interval(samples)))
        rows.append(Row(tuple(cells)))
    heads = [Heading("Metric", key="metric", align="left")]
    heads += [Heading(one.name, decimals=3) for one in sets]
    title = f"Given {BASE} and the number of words: partial correlation" if given else "Pearson's r"
    return Table(tuple(heads), tuple(rows), f"{title} within documents")


def main() -> None:
    """Score, correlate, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sets", nargs="+", choices=tuple(SETS), default=list(SETS), metavar="SET")
    parser.add_argument("-m", "--metrics", nargs="+", default=list(FORMS))
    args = parser.parse_args()
    found = kept()
    sets = [load(name, args.data) for name in args.sets]
    for one in sets:
        one.supply(BASE, found[SETS[one.name].split("/", 1)[1].replace("-mqm", "")])
        one.add(args.metrics, Scores(args.fresh, args.workers))
    tables = [correlations(sets, [BASE, *args.metrics], False)]
    tables.append(correlations(sets, args.metrics, True))
    publish(tables, args)


if __name__ == "__main__":
    main()
