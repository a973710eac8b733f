"""Test sets for `beyond_sentence.py`: documents as people judged them, scored by any metric.

Only judged lines count, as the raters saw them. A document's human score is the mean of its
lines' scores, weighted by the length of the reference; that of a system the same over all
documents. TED talks, of a hundred lines each, are cut into parts of twenty, so that there are
documents enough to resample.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import shared_folder

from albeit.data import EvalSet
from albeit.data.evalset import Document
from albeit.data.judgments import Ratings
from albeit.data.levels import Unit
from albeit.errors import AlbeitError, AlbeitWarning
from albeit.evaluation import check, open_store, score
from albeit.metaeval import JudgedSet, read_judged
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric
from albeit.metrics.table import Column

__all__ = [
    "CONTROLS",
    "EXPERTS",
    "SETS",
    "SHARES",
    "Floats",
    "JudgedDocuments",
    "Scored",
    "columns_of",
    "load",
    "weights",
]

Floats = npt.NDArray[np.float64]
TED_LINES = 20
SAMPLES = 1000
SEED = 15
SETS = {
    "wmt23": ("discourse/wmt23-mqm/zh-en", "ref"),
    "newstest21": ("discourse/newstest21-mqm/zh-en", "ref"),
    "ted": ("ted-mqm/zh-en", "ref"),
    "ru-en": ("wmt21/ru-en", "refA"),
    "ja-en": ("wmt21/ja-en", "refA"),
    "is-en": ("wmt21/is-en", "refA"),
}
"""Name to folder and the reference used. The first three were judged by experts
(MQM), the others by the crowd or by students (direct assessment, z)."""
SHARES = {"wmt23": 3, "newstest21": 2, "ted": 2, "ru-en": 8, "ja-en": 8, "is-en": 8}
"""Every n-th document of a sample, for what analyses whole documents."""
EXPERTS = ("wmt23", "newstest21", "ted")
CONTROLS = ("shorter lines", "more words")
"""What anybody could say without reading. Words a line of the reference, fewer being better: it
knows no translation, but experts count errors by line, and a long line has more of them, whoever
translated it. Words of the translation, more being better, by those of the reference."""


@dataclass
class Scored:
    """One metric's scores of a set: documents (systems, documents), segments where it has any, and
    its statistics by document, of which any set of documents is scored. A document without a score
    (no pronoun in it, say) has the mean of the others."""

    metric: Metric
    document: Floats
    segment: Floats | None
    rows: Floats

    def systems(self, counts: Floats) -> Floats:
        """The scores of all systems where documents count so often: (…, documents) → (…, systems)."""
        sums = np.einsum("...d,sdk->...sk", counts, self.rows)
        found = self.metric.score(sums)
        return np.asarray(found if self.metric.higher_is_better else -found)


@dataclass
class JudgedDocuments:
    """A set, what people said of its lines (systems, lines; NaN: nobody did), and scores."""

    name: str
    evalset: EvalSet
    lines: Floats
    kept: Sequence[int]
    """The lines of the whole set that these are."""
    scores: dict[str, Scored] = field(default_factory=dict)
    gaps: dict[str, str] = field(default_factory=dict)

    @cached_property
    def document_of(self) -> npt.NDArray[np.int64]:
        """The document of each line."""
        return np.repeat(
            np.arange(len(self.evalset.documents)), list(map(len, self.evalset.documents))
        )

    @cached_property
    def human_sums(self) -> Floats:
        """By document: weighted sums of human scores, and of weights: (systems, documents, 2)."""
        reference = next(iter(self.evalset.references.values()))
        length = np.array([max(1, len(line.split())) for line in reference], float)
        judged = ~np.isnan(self.lines)
        parts = [np.where(judged, self.lines, 0) * length, judged * length]
        starts = [d.start for d in self.evalset.documents]
        return np.stack([np.add.reduceat(p, starts, axis=1) for p in parts], axis=-1)

    @cached_property
    def human(self) -> Floats:
        """Human scores of documents: (systems, documents)."""
        sums = self.human_sums
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums[..., 0] / sums[..., 1])

    def of(self, name: str) -> Floats | None:
        """A metric's scores of documents, or a control's: (systems, documents)."""
        if name not in CONTROLS:
            return self.scores[name].document if name in self.scores else None
        texts = [*self.evalset.systems.values(), next(iter(self.evalset.references.values()))]
        lines = np.array([[len(line.split()) for line in text] for text in texts], float)
        starts = [d.start for d in self.evalset.documents]
        *words, reference = np.add.reduceat(lines, starts, axis=1)
        if name == "more words":
            return np.array(words) / reference
        return np.tile(-reference / [len(d) for d in self.evalset.documents], (len(words), 1))

    def add(self, names: Sequence[str], *, fresh: bool = False, workers: int = 1) -> None:
        """Score by these metrics where it was not done; those that cannot are gaps, with the reason."""
        lacking = [name for name in names if name not in self.scores]
        columns, self.gaps = columns_of(self.evalset, lacking, fresh=fresh, workers=workers)
        self.scores |= {name: self._scored(metric(name), one) for name, one in columns.items()}

    def _scored(self, chosen: Metric, column: Column) -> Scored:
        sign = 1.0 if chosen.higher_is_better else -1.0
        rows = column.statistics
        assert rows is not None
        if chosen.unit is Unit.SEGMENT:
            rows = np.add.reduceat(rows, [d.start for d in self.evalset.documents], axis=1)
        segment = None if column.segment is None else sign * column.segment
        document = column.at("document")
        document = np.where(np.isnan(document), np.nanmean(document), document)
        return Scored(chosen, sign * document, segment, rows)


def columns_of(
    evalset: EvalSet, names: Sequence[str], *, fresh: bool = False, workers: int = 1
) -> tuple[dict[str, Column], dict[str, str]]:
    """Scores by metric, all in one pass over the texts; and which cannot score, and why."""
    chosen: dict[str, Metric] = {}
    gaps: dict[str, str] = {}
    for name in names:
        try:
            one = metric(name)
            check(evalset, [one])
            chosen[name] = one
        except (AlbeitError, ImportError) as error:
            gaps[name] = str(error).split(". ")[0]
    if not chosen:
        return {}, gaps
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        store = None if fresh else open_store()
        table = score(evalset, list(chosen.values()), workers=workers, store=store)
    return {name: table[one] for name, one in chosen.items()}, gaps


def load(name: str, data: Path, share: int = 1, references: Sequence[str] = ()) -> JudgedDocuments:
    """A set, or every ``share``-th of its documents."""
    folder, reference = SETS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        column = "z" if folder.startswith("wmt21") else None
        judged = read_judged(shared_folder(data, folder), column=column, unescape=True)
    whole = judged.select(references=references or (reference,))
    seen = whole.judgments.judged(len(whole.evalset))
    counted = np.ones(len(whole.evalset), bool)
    if folder.startswith(
        "discourse"
    ):  # a line that a system lacks and nobody judged is left out for all
        texts = whole.evalset.systems.values()
        empty = np.array([[not line.strip() for line in lines] for lines in texts])
        counted = seen.any(axis=0) & ~(empty & ~seen).any(axis=0)
    documents = whole.evalset.documents
    if name == "ted":
        documents = _parts(documents)
    some = [d for d in documents if counted[d.rows].any()][::share]
    kept = [n for d in some for n in range(d.start, d.stop) if counted[n]]
    evalset = replace(whole.evalset, documents=documents, name=name)
    chosen = JudgedSet(evalset, whole.judgments).take(kept)
    assert isinstance(chosen.judgments, Ratings)
    lines = chosen.judgments.matrix(len(kept))
    return JudgedDocuments(name, chosen.evalset, lines, kept)


def _parts(documents: Sequence[Document]) -> tuple[Document, ...]:
    return tuple(
        Document(f"{d.id}.{start}", start, min(start + TED_LINES, d.stop))
        for d in documents
        for start in range(d.start, d.stop, TED_LINES)
    )


def weights(documents: int, samples: int = SAMPLES, seed: int = SEED) -> Floats:
    """How often each document stands in each sample: (samples, documents)."""
    random = np.random.default_rng(seed)
    drawn = random.integers(documents, size=(samples, documents))
    found = np.zeros((samples, documents))
    np.add.at(found, (np.arange(samples)[:, None], drawn), 1.0)
    return found
