"""Pronouns that Chinese leaves out, as people judged their translations: a part of `beyond_sentence.py`."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from _common import shared_folder

import albeit
from albeit.data.evalset import Document, EvalSet
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

__all__ = ["zero_pronouns"]

Floats = npt.NDArray[np.float64]
SEED = 15
RESAMPLES = 1000


def zero_pronouns(args: argparse.Namespace) -> list[Table]:
    """mZPRT: pronouns that the Chinese leaves out, as people judged them."""
    from scipy.stats import kendalltau, pearsonr

    path = shared_folder(args.data, "discourse/mzprt-zh-en") / "judgments.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        judged = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    judged = [row for row in judged if row["sheet"] != "M.S_HD" and row["zpr"]]
    systems = sorted({row["system"] for row in judged})
    items = sorted({(row["sheet"], int(row["item"])) for row in judged})
    cells = {(row["sheet"], int(row["item"]), row["system"]): row for row in judged}
    items = [item for item in items if all((*item, system) in cells for system in systems)]
    texts = {s: tuple(cells[*item, s]["hypothesis_tok"] for item in items) for s in systems}
    evalset = EvalSet(
        {"ref": tuple(cells[*item, systems[0]]["reference_tok"] for item in items)},
        texts,
        documents=tuple(Document(f"{sheet}-{n}", k, k + 1) for k, (sheet, n) in enumerate(items)),
        name="mzprt",
    )
    human = {
        what: np.array([[float(cells[*item, s][what]) for item in items] for s in systems])
        for what in ("zpr", "score")
    }
    names = ["pronouns(by=reference,persons=all)", "pronouns(by=reference)", "chrf", "bleu"]
    table = albeit.score(evalset, names)
    rows = []
    for name in names:
        found = table[name].at("document")
        known = ~np.isnan(found)
        row = [Cell(name), Cell(int(known.sum()))]
        for values in human.values():
            row += [
                Cell(float(pearsonr(found[known], values[known])[0])),
                Cell(float(kendalltau(found[known], values[known])[0])),
            ]
        row.append(_between(found, human["zpr"]))
        rows.append(Row(tuple(row)))
    columns = (
        Heading("", align="left"),
        Heading("judgments"),
        Heading("Pearson", group="zero pronoun", decimals=3),
        Heading("Kendall", group="zero pronoun", decimals=3),
        Heading("Pearson", group="whole", decimals=3),
        Heading("Kendall", group="whole", decimals=3),
        Heading("between systems of an item", group="accuracy", decimals=3),
    )
    notes = (f"{len(items)} items, 6 systems, sheet M.S_HD left out; intervals over items",)
    return [Table(columns, tuple(rows), "mzprt-zh-en", notes)]


def _between(found: Floats, human: Floats) -> Cell:
    """Of two systems that people judged unlike, how often the metric prefers theirs; ties count half."""
    values, groups = [], []
    for item in range(found.shape[1]):
        for a in range(len(found)):
            for b in range(a):
                told = np.sign(human[a, item] - human[b, item])
                ours = np.sign(found[a, item] - found[b, item])
                if told and not np.isnan(ours):
                    values.append((1 + told * ours) / 2)
                    groups.append(item)
    return cell(np.array(values), groups)


def interval(values: Floats, groups: Sequence[object]) -> tuple[float, float]:
    """Return the 95% bootstrap interval of the mean over groups."""
    _, group = np.unique(np.array([str(each) for each in groups]), return_inverse=True)
    sums, sizes = np.bincount(group, values), np.bincount(group)
    drawn = np.random.default_rng(SEED).integers(len(sums), size=(RESAMPLES, len(sums)))
    low, high = np.percentile(sums[drawn].sum(1) / sizes[drawn].sum(1), [2.5, 97.5])
    return float(low), float(high)


def cell(values: Floats, groups: Sequence[object]) -> Cell:
    """Return the mean with its interval."""
    return Cell(float(values.mean()), interval=interval(values, groups))
