"""Which of a document's systems did experts mark for inconsistency? Area under the curve.

`wmt23-mqm/zh-en`, spans of `fluency/inconsistency` and `terminology/inconsistent`. Only within a
document, between its systems: over all pairs of a system with a mark and one without, how often
the one with the mark has the lower score (ties count half). The human reference is left out.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _beyond import Floats, JudgedDocuments, weights
from _ranking import interval

from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

__all__ = ["auc_parts", "marked_table", "marks"]

CATEGORIES = ("fluency/inconsistency", "terminology/inconsistent")


def marks(one: JudgedDocuments, folder: Path) -> dict[str, npt.NDArray[np.int64]]:
    """How many spans of each category, and of both, a system has in a document."""
    systems = {name: n for n, name in enumerate(one.evalset.systems)}
    documents = {d.id: n for n, d in enumerate(one.evalset.documents)}
    found = {name: np.zeros(one.human.shape, np.int64) for name in (*CATEGORIES, "both")}
    with (folder / "errors.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            category = row["category"].lower()
            if category in CATEGORIES and row["system"] in systems and row["docid"] in documents:
                place = systems[row["system"]], documents[row["docid"]]
                for name in (category, "both"):
                    found[name][place] += 1
    return found


def auc_parts(scores: Floats, marked: npt.NDArray[np.bool_]) -> Floats:
    """By document: pairs of a marked and an unmarked system in which the marked one scores lower, and all."""
    below = np.sign(scores[None, :, :] - scores[:, None, :])
    pairs = marked[:, None, :] & ~marked[None, :, :]
    return np.stack([(pairs * (1 + below) / 2).sum((0, 1)), pairs.sum((0, 1))], axis=-1)


def marked_table(
    one: JudgedDocuments,
    found: Mapping[str, npt.NDArray[np.int64]],
    names: Sequence[str],
    of: str = "all documents",
) -> Table:
    """Every metric, and the number of words, by category; ``of`` says which documents have marks."""
    words = np.array(
        [
            [sum(len(line.split()) for line in lines[d.rows]) for d in one.evalset.documents]
            for lines in one.evalset.systems.values()
        ],
        float,
    )
    known = {"fewer words": words, "more words": -words}
    known |= {name: one.scores[name].document for name in names if name in one.scores}
    columns = [Heading("Metric", key="metric", align="left")]
    columns += [Heading(name, decimals=3) for name in found]
    counts = weights(len(one.evalset.documents))
    rows = []
    for name, scores in known.items():
        cells = [Cell(name)]
        for spans in found.values():
            parts = auc_parts(np.round(scores, 9), spans > 0)
            with np.errstate(invalid="ignore"):
                drawn = counts @ parts
                samples = drawn[:, 0] / drawn[:, 1]
            whole = parts.sum(axis=0)
            cells.append(Cell(float(whole[0] / whole[1]), interval=interval(samples)))
        rows.append(Row(tuple(cells)))
    sums = {name: (int(spans.sum()), int((spans > 0).sum())) for name, spans in found.items()}
    notes = tuple(f"{name}: {n} spans in {m} (system, document)" for name, (n, m) in sums.items())
    title = f"Marked inconsistency within documents: area under the curve, {of}"
    return Table(tuple(columns), tuple(rows), title, notes)
