"""Which metric sees which damage? `demetr-x-en`: a good translation and a damaged one, one reference.

Single sentences without context, so these are controls for a discourse metric and no proof.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _beyond import SEED, Floats, columns_of

from albeit.data.evalset import Document, EvalSet
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

__all__ = ["damage_table"]


def damage_table(folder: Path, names: Sequence[str], sample: int) -> Table:
    """The share of each kind's damage that each metric sees: good above bad, ties a half."""
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    with (folder / "contrastive.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            kinds.setdefault(row["phenomenon"], []).append(
                (row["reference"], row["good"], row["bad"])
            )
    drawn = {
        kind: random.Random(SEED).sample(rows, min(sample, len(rows)))
        for kind, rows in sorted(kinds.items())
    }
    items = [row for rows in drawn.values() for row in rows]
    texts = list(zip(*items, strict=True))
    documents = tuple(Document(str(n), n, n + 1) for n in range(len(items)))
    evalset = EvalSet(
        {"ref": texts[0]},
        {"good": texts[1], "bad": texts[2]},
        documents=documents,
        target_lang="en",
        name="demetr",
    )
    columns = [Heading("Damage", key="damage", align="left")]
    made, notes = _values(evalset, names)
    notes.append(f"{sample} of each kind, drawn with seed {SEED}")
    seen = {
        name: (1 + np.sign(np.round(values[0] - values[1], 9))) / 2 for name, values in made.items()
    }
    columns += [Heading(name, decimals=2) for name in seen]
    rows, start = [], 0
    for kind, some in drawn.items():
        part = slice(start, start + len(some))
        rows.append(
            Row((Cell(kind), *(Cell(float(values[part].mean())) for values in seen.values())))
        )
        start = part.stop
    rows.append(Row((Cell("mean"), *(Cell(float(values.mean())) for values in seen.values()))))
    return Table(tuple(columns), tuple(rows), "DEMETR: share of damage seen", tuple(notes))


def _values(evalset: EvalSet, names: Sequence[str]) -> tuple[dict[str, Floats], list[str]]:
    """Scores of lines, or of documents, higher better; and what cannot score, with the reason."""
    columns, gaps = columns_of(evalset, names)
    found = {}
    for name, column in columns.items():
        made = column.at("document" if column.segment is None else "segment")
        filled = np.where(np.isnan(made), np.nanmean(made), made)
        found[name] = np.asarray(filled if column.higher_is_better else -filled)
    return found, [f"{name}: {reason}" for name, reason in gaps.items()]
