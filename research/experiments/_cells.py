"""Judged sets whose systems did not all translate, or whose people did not all judge, every line.

Only judged cells count: each (system, document) is scored by the lines of it that this system
translated and somebody judged, each beside its own reference, as a document of one made-up system.
So no blank line is taken for a bad translation, and no system is judged by what another one lacks.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _beyond import Floats, JudgedDocuments, Scored, columns_of
from _common import shared_folder

from albeit.data import EvalSet, documents_from_ids
from albeit.data.judgments import Ratings
from albeit.data.levels import Unit
from albeit.errors import AlbeitWarning
from albeit.metaeval import read_judged
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric
from albeit.metrics.table import Column

__all__ = ["FAMILIES", "SETS", "JudgedCells", "load_cells"]

SETS = {
    "newstest20": "judgments/newstest20-mqm/zh-en",
    "bio de-en": "judgments/bio-mqm/de-en",
    "bio fr-en": "judgments/bio-mqm/fr-en",
    "bio es-en": "judgments/bio-mqm/es-en",
    "newstest21": "discourse/newstest21-mqm/zh-en",
    "wmt23": "discourse/wmt23-mqm/zh-en",
}
"""All judged by experts (MQM), the first reference of each."""
FAMILIES = {name: name.split(" ")[0] for name in SETS}
"""Sets of a family share a domain and systems: none is tested with weights from another of it."""
EDITED = ("mtcarousel",)
"""The system that the references of biomedical abstracts were made from: it is left out."""


@dataclass
class JudgedCells(JudgedDocuments):
    """The same, with scores of judged cells alone."""

    flat: EvalSet = field(kw_only=True)
    """One made-up system whose documents are the judged lines of each (document, system)."""
    places: Sequence[tuple[int, int]] = field(kw_only=True)
    """The system and document of each document of it."""

    @cached_property
    def cells(self) -> Floats:
        """Words of the judged lines: translation, reference and lines, (3, systems, documents)."""
        found = np.full((3, *self.human.shape), np.nan)
        texts = (self.flat.systems["judged"], next(iter(self.flat.references.values())))
        for (system, document), one in zip(self.places, self.flat.documents, strict=True):
            counts = [sum(len(line.split()) for line in text[one.rows]) for text in texts]
            found[:, system, document] = [*counts, len(one)]
        return found

    def of(self, name: str) -> Floats | None:
        """A metric's scores of documents, or a control's."""
        words, reference, lines = self.cells
        if name == "more words":
            return np.asarray(words / reference)
        if name == "shorter lines":
            return np.asarray(-reference / lines)
        return self.scores[name].document if name in self.scores else None

    def add(self, names: Sequence[str], *, fresh: bool = False, workers: int = 1) -> None:
        """Score by these metrics where it was not done; those that cannot are gaps, with the reason."""
        lacking = [name for name in names if name not in self.scores]
        columns, self.gaps = columns_of(self.flat, lacking, fresh=fresh, workers=workers)
        self.scores |= {name: self._placed(metric(name), one) for name, one in columns.items()}

    def supply(self, name: str, lines: Mapping[str, npt.NDArray[np.floating]]) -> None:
        """Scores of a metric by system and line, from elsewhere: a document's is the mean of its
        judged lines'."""
        scores = np.array([lines[s][: len(self.evalset)] for s in self.evalset.systems], float)
        judged = ~np.isnan(self.lines)
        if lacking := int(np.isnan(scores[judged]).sum()):
            raise SystemExit(f"{self.name}: {lacking} judged translations have no score by {name}")
        starts = [d.start for d in self.evalset.documents]
        parts = np.where(judged, scores, 0), judged.astype(float)
        rows = np.stack([np.add.reduceat(part, starts, axis=1) for part in parts], axis=-1)
        with np.errstate(invalid="ignore"):
            document = rows[..., 0] / rows[..., 1]
        self.scores[name] = Scored(metric(name), document, None, rows)

    def _placed(self, chosen: Metric, column: Column) -> Scored:
        sign = 1.0 if chosen.higher_is_better else -1.0
        rows = column.statistics
        assert rows is not None
        if chosen.unit is Unit.SEGMENT:
            rows = np.add.reduceat(rows, [d.start for d in self.flat.documents], axis=1)
        scores = column.at("document")[0]
        scores = np.where(np.isnan(scores), np.nanmean(scores), scores)
        document = np.full(self.human.shape, np.nan)
        placed = np.full((*self.human.shape, rows.shape[-1]), np.nan)
        for k, place in enumerate(self.places):
            document[place], placed[place] = sign * scores[k], rows[0, k]
        return Scored(chosen, document, None, placed)


def load_cells(name: str, data: Path, share: int = 1) -> JudgedCells:
    """A set, or every ``share``-th of its documents."""
    folder = shared_folder(data, SETS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        judged = read_judged(folder, unescape=True)
        systems = [system for system in judged.evalset.systems if system not in EDITED]
        judged = judged.select(systems, ("ref",))
    evalset = judged.evalset
    assert isinstance(judged.judgments, Ratings)
    lines = judged.judgments.matrix(len(evalset))
    texts = list(evalset.systems.values())
    blank = np.array([[not line.strip() for line in text] for text in texts])
    lines = np.where(blank | _uncertain(folder, evalset), np.nan, lines)
    kept = [d for d in evalset.documents if not np.isnan(lines[:, d.rows]).all()][::share]
    number = {d.id: k for k, d in enumerate(evalset.documents)}
    cells = [
        (number[d.id], system, line)
        for d in kept
        for system in range(len(texts))
        for line in range(d.start, d.stop)
        if not np.isnan(lines[system, line])
    ]
    ids = [f"{document}/{system}" for document, system, _ in cells]
    reference = next(iter(evalset.references.values()))
    flat = EvalSet(
        {"ref": tuple(reference[line] for *_, line in cells)},
        {"judged": tuple(texts[system][line] for _, system, line in cells)},
        source=None if evalset.source is None else tuple(evalset.source[c[2]] for c in cells),
        documents=documents_from_ids(ids),
        source_lang=evalset.source_lang,
        target_lang=evalset.target_lang,
        name=f"{name}-cells",
    )
    places = [(int(s), int(d)) for d, s in (one.id.split("/") for one in flat.documents)]
    if share > 1:
        chosen = np.zeros(len(evalset), bool)
        for d in kept:
            chosen[d.rows] = True
        lines = np.where(chosen, lines, np.nan)
    return JudgedCells(name, evalset, lines, range(len(evalset)), flat=flat, places=places)


def _uncertain(folder: Path, evalset: EvalSet) -> Floats:
    """Which texts could not be rebuilt for certain (newstest20's README): (systems, lines)."""
    found = np.zeros((len(evalset.systems), len(evalset)), bool)
    path = folder / "uncertain.tsv"
    if path.exists():
        names = list(evalset.systems)
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["system"] in names:
                    found[names.index(row["system"]), int(row["segment"]) - 1] = True
    return found
