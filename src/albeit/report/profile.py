"""A profile as text or JSON (:mod:`albeit.report.page.profile` makes a page of it)."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator
from itertools import groupby

from albeit.diagnose.model import LIKELY
from albeit.diagnose.profile.gather import Profile, ProfileRow
from albeit.diagnose.profile.instances import Instance
from albeit.report import render
from albeit.report.table import Cell, Heading, Row, Table
from albeit.stats.significance import ALPHA

__all__ = ["faults_table", "profile_table", "to_json", "to_text"]


def to_json(profile: Profile) -> str:
    """All that is known of it."""
    return json.dumps(profile.to_json(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def to_text(profile: Profile) -> str:
    """Two tables, scores and likely faults, then instances of each kind."""
    tables = [profile_table(profile)]
    if any(row.rates for row in profile.rows):
        tables.append(faults_table(profile))
    parts = [render(tables, "text"), *map(_instances, profile.rows)]
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


def faults_table(profile: Profile) -> Table:
    """Likely faults per thousand words: kinds are rows, systems columns, intervals over documents."""
    columns = [Heading("likely faults", align="left")]
    columns += [Heading(system, decimals=2) for system in profile.systems]
    rows = [
        Row(
            (
                Cell(row.kind.name),
                *(
                    Cell(
                        None if math.isnan(rate.per_thousand) else rate.per_thousand,
                        interval=rate.interval,
                    )
                    for rate in row.rates
                ),
            )
        )
        for row in profile.rows
        if row.rates is not None
    ]
    only = [row.kind.name for row in profile.rows if row.rates is None]
    notes = [f"Probability of {LIKELY:g} or more, per thousand words, with a 95 % interval."]
    if only:
        notes.append(f"Differences only, of which few are faults: {', '.join(only)}.")
    title = f"Likely faults: {profile.name}"
    return Table(tuple(columns), tuple(rows), title, tuple(notes))


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
    if row.rates is None:
        lines.append("  Differences only: too few of them are faults to call any a likely one.")
    for system, found in groupby(row.instances, key=lambda one: one.system):
        every = list(found)
        likely = [one for one in every if one.likely]
        lines += ["", f"  {system}"]
        for one in likely or (every if row.rates is None else ()):
            lines += _instance(one)
        if row.rates is not None:
            total = sum(flag.system == system for flag in row.likely)
            lines += _folded(total, len(likely), len(every) - len(likely))
    return "\n".join(lines) + "\n"


def _folded(total: int, shown: int, differences: int) -> Iterator[str]:
    """What a system has beyond what is shown."""
    if total == 0:
        yield "    no likely fault"
    elif total > shown:
        yield f"    … and {total - shown} more likely faults (-f json has all)"
    if differences:
        yield f"    {differences} differences folded away (-f json, -f html)"


def _instance(one: Instance) -> Iterator[str]:
    others = "".join(f", {name} {score:.4f}" for name, score in one.other_scores.items())
    sure = f" [{one.probability:.2f}]" if one.likely else ""
    yield f"    {one.document}, segment {one.segment}{others}:{sure} {one.what}"
    if one.likely:
        told = "; ".join(words for _, words in one.evidence)
        yield textwrap.fill(
            told, 100, initial_indent="       evidence  ", subsequent_indent=" " * 17
        )
    shown: list[tuple[str, str | None]] = [("before", line) for line in one.context]
    shown += [("text", one.text), ("reference", one.reference), ("source", one.source)]
    for name, line in shown:
        if line is not None:
            yield textwrap.fill(
                line or "–", 100, initial_indent=f"      {name:>9}  ", subsequent_indent=" " * 17
            )
