"""A profile as text or JSON (:mod:`albeit.report.page.profile` makes a page of it)."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator
from itertools import groupby

from albeit.report import render
from albeit.report.profile.gather import Instance, Profile, ProfileRow
from albeit.report.table import Cell, Heading, Row, Table
from albeit.stats.significance import ALPHA

__all__ = ["profile_table", "to_json", "to_text"]


def to_json(profile: Profile) -> str:
    """All that is known of it."""
    return json.dumps(profile.to_json(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def to_text(profile: Profile) -> str:
    """A table, then the worst instances of each kind."""
    parts = [render([profile_table(profile)], "text"), *map(_instances, profile.rows)]
    return "\n".join(part for part in parts if part)


def profile_table(profile: Profile) -> Table:
    """Kinds of glue are rows, systems columns; what they were judged by is said behind."""
    columns = [Heading("what", align="left")]
    columns += [Heading(system, decimals=3) for system in profile.systems]
    columns.append(Heading("seen in", key="seen", align="left"))
    rows = [
        Row((Cell(row.kind.name), *_cells(row, profile), Cell(row.seen))) for row in profile.rows
    ]
    notes = []
    if len(profile.systems) > 1:
        notes.append(
            f"Higher is better, 1 is best. * better, † worse than {profile.baseline}"
            f" (corrected p < {ALPHA})."
        )
    notes += dict.fromkeys(row.how for row in profile.rows if row.how)
    notes += [row.signature for row in profile.rows]
    notes += profile.others
    notes += [f"not measured: {name}: {why}" for name, why in profile.left_out.items()]
    return Table(tuple(columns), tuple(rows), f"Discourse profile: {profile.name}", tuple(notes))


def _cells(row: ProfileRow, profile: Profile) -> Iterator[Cell]:
    base = profile.systems.index(profile.baseline)
    for s, score in enumerate(row.scores):
        p = None if row.corrected is None else row.corrected[s]
        sure = p is not None and p < ALPHA
        better = score > row.scores[base]
        yield Cell(
            None if math.isnan(score) else score,
            bold=sure and better,
            italic=sure and not better,
            marks=("*" if better else "†") if sure else "",
            interval=None if row.intervals is None else row.intervals[s],
        )


def _instances(row: ProfileRow) -> str:
    """The worst instances of a kind, by system."""
    if not row.instances:
        return ""
    lines = [f"{row.kind.name.upper()}  {row.kind.about}"]
    for system, found in groupby(row.instances, key=lambda one: one.system):
        lines += ["", f"  {system}"]
        for one in found:
            lines += _instance(one)
    return "\n".join(lines) + "\n"


def _instance(one: Instance) -> Iterator[str]:
    others = "".join(f", {name} {score:.4f}" for name, score in one.other_scores.items())
    yield f"    {one.document}, segment {one.segment}{others}: {one.what}"
    shown: list[tuple[str, str | None]] = [("before", line) for line in one.context]
    shown += [("text", one.text), ("reference", one.reference), ("source", one.source)]
    for name, line in shown:
        if line is not None:
            yield textwrap.fill(
                line or "–", 100, initial_indent=f"      {name:>9}  ", subsequent_indent=" " * 17
            )
