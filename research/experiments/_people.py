"""Human translations judged like systems: does any metric put people above machines?

Each human translation is scored beside the machines with the *other* reference given; its place by
each metric stands beside its place by the experts, over the same lines, and so does the share of
(machine, document) in which it has the higher score.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from _beyond import SETS, Floats, JudgedDocuments, load
from _common import shared_folder

from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

__all__ = ["PEOPLE", "people_sets", "people_table"]

PEOPLE: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "newstest21": (("ref.A", "ref", "ref-B"), ("ref.B", "ref-B", "ref")),
    "ted": (("ref-A", "ref", "refB"), ("ref-B", "refB", "ref")),
}
"""Set to (judged as, its text among the references, the reference then given)."""
COLUMNS = {
    "newstest21": ("judgments.tsv", "segment", 1, "mqm_penalty", -1.0),
    "ted": ("human_seg.tsv", "line0", 0, "mqm_avg", 1.0),
}


def people_sets(name: str, data: Path, share: int) -> list[tuple[str, JudgedDocuments]]:
    """A set for each human translation, which stands last among its systems."""
    one = load(name, data, share, [text for _, text, _ in PEOPLE[name]])
    found = []
    for judged, text, given in PEOPLE[name]:
        said = _said(shared_folder(data, SETS[name][0]), name, judged)[one.kept]
        systems = {**one.evalset.systems, judged: one.evalset.references[text]}
        references = {given: one.evalset.references[given]}
        evalset = replace(one.evalset, systems=systems, references=references)
        found.append(
            (judged, JudgedDocuments(name, evalset, np.vstack([one.lines, said]), one.kept))
        )
    return found


def _said(folder: Path, name: str, judged: str) -> Floats:
    """What experts said of a human translation, line by line; NaN where nothing."""
    file, place, first, column, sign = COLUMNS[name]
    scores: dict[int, float] = {}
    last = 0
    with (folder / file).open(encoding="utf-8", newline="") as opened:
        for row in csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE):
            at = int(row[place]) - first
            last = max(last, at)
            if row["system"] == judged:
                scores[at] = sign * float(row[column])
    return np.array([scores.get(n, np.nan) for n in range(last + 1)])


def place(values: Floats) -> str:
    """The place of the last among all."""
    return f"{1 + int((values > values[-1]).sum())} of {len(values)}"


def people_table(sets: Sequence[tuple[str, JudgedDocuments]], names: Sequence[str]) -> Table:
    """A row a metric, two columns a human translation."""
    columns = [Heading("By", key="by", align="left")]
    for human, one in sets:
        group = f"{one.name} {human}"
        columns += [Heading("place", group=group), Heading("above", group=group, decimals=2)]
    everything = [np.ones(len(one.evalset.documents)) for _, one in sets]
    experts = [Cell("experts")]
    for (_, one), whole in zip(sets, everything, strict=True):
        experts += [Cell(place(one.human_systems(whole))), Cell(_above(one, one.human))]
    rows = [Row(tuple(experts))]
    for name in names:
        cells = [Cell(name)]
        for (_, one), whole in zip(sets, everything, strict=True):
            found = one.scores.get(name)
            if found is None:
                cells += [Cell(), Cell()]
            else:
                cells += [Cell(place(found.systems(whole))), Cell(_above(one, found.document))]
        rows.append(Row(tuple(cells)))
    return Table(
        tuple(columns),
        tuple(rows),
        "People among machines, the other reference given",
        (
            "above: share of (machine, document) in which the human translation scores"
            " higher; ties count half",
        ),
    )


def _above(one: JudgedDocuments, scores: Floats) -> float:
    machines, human = scores[:-1], scores[-1]
    told = ~np.isnan(one.human[:-1]) & ~np.isnan(one.human[-1])
    return float(((1 + np.sign(human - machines))[told] / 2).mean())
