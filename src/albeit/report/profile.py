"""The discourse profile as text and JSON, on a page of its own, and in a report."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Literal

from albeit.diagnose.flags import LIKELY
from albeit.diagnose.instances import Instance
from albeit.diagnose.profile import Profile, ProfileRow, fitting, gather, unscored
from albeit.evaluation import Evaluation
from albeit.metrics import UNNAMED, Metric, ScoreTable
from albeit.metrics.registry import metric
from albeit.report.formats import render
from albeit.report.page import shell
from albeit.report.table import Cell, Heading, Table, plain
from albeit.stats import ALPHA

Extent = Literal["quick", "all", "none"]
EXTENTS: tuple[Extent, ...] = ("quick", "all", "none")
"""How much of the profile a report has; ``quick`` leaves out networks over whole documents."""

_NOT_AVAILABLE = "not available"
_SLOW = "it needs whole documents, which is slower: add it with --profile all."


def profile_metrics(evaluation: Evaluation, extent: Extent = "quick") -> list[Metric]:
    """List the metrics of the requested kinds that can score this set."""
    if extent == "none":
        return []
    kinds, _ = fitting(evaluation)
    return [
        metric(kind.metric) for kind in kinds if kind.metric and (extent == "all" or not kind.whole)
    ]


def document_readers(evaluation: Evaluation) -> list[Metric]:
    """List the metrics that read whole documents, such as coreference."""
    kinds, _ = fitting(evaluation)
    return [metric(kind.metric) for kind in kinds if kind.whole]


def profile_text(profile: Profile) -> str:
    """Write two tables, scores and flagged errors, then the instances of each kind."""
    tables = [_score_table(profile)]
    if any(row.rates or row.not_flagged for row in profile.rows):
        tables.append(_error_table(profile))
    parts = [render(tables, "text"), *map(_instances, profile.rows)]
    return "\n".join(part for part in parts if part)


def _score_table(profile: Profile) -> Table:
    """Build a table of kinds and systems."""
    systems = [Heading(system, decimals=3) for system in profile.systems]
    columns = [Heading("what", align="left"), *systems, Heading("seen in", "seen", align="left")]
    rows = [[row.kind.name, *_score_cells(row, profile), row.seen] for row in profile.rows]
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
    title = "Discourse profile" + f": {profile.name}" * (profile.name != UNNAMED)
    return Table.of(columns, rows, title, notes)


def _score_cells(row: ProfileRow, profile: Profile) -> Iterator[Cell]:
    base = row.scores[profile.systems.index(profile.baseline)]
    for s, score in enumerate(row.scores):
        significant = row.corrected is not None and row.corrected[s] < ALPHA
        better, worse = significant and score > base, significant and score <= base
        marks = "*" if better else "†" if worse else ""
        interval = None if row.intervals is None else row.intervals[s]
        yield Cell(score, bold=better, italic=worse, marks=marks, interval=interval)


def _error_table(profile: Profile) -> Table:
    """Build a table of flagged errors per thousand words, with intervals over documents."""
    columns = [Heading("flagged errors", align="left")]
    columns += [Heading(system, decimals=2) for system in profile.systems]
    rows: list[list[Cell | str]] = []
    for row in profile.rows:
        if row.rates is not None:
            cells = [Cell(rate.per_thousand, interval=rate.interval) for rate in row.rates]
            rows.append([row.kind.name, *cells])
        elif row.not_flagged:
            rows.append([row.kind.name, *[_NOT_AVAILABLE] * len(profile.systems)])
    notes = [f"Likelihood of {LIKELY:g} or more, per thousand words, with a 95 % interval."]
    reasons = dict.fromkeys(row.not_flagged for row in profile.rows if row.not_flagged)
    notes += [f"{_NOT_AVAILABLE}: {why}." for why in reasons]
    others = [r for r in profile.rows if r.rates is None and not r.not_flagged]
    only = ", ".join(row.kind.name for row in others if row.kind.metric != "on-target")
    if only:
        notes.append(f"Not flagged, because few differences are errors: {only} (see --all).")
    return Table.of(columns, rows, f"Flagged errors: {profile.name}", notes)


def _instances(row: ProfileRow) -> str:
    """Write flagged errors, and the differences among the instances of a kind, by system."""
    if not row.instances:
        return ""
    lines = [f"{row.kind.name.upper()}  {row.kind.about}"]
    for system, instances in groupby(row.instances, key=lambda one: one.system):
        every = list(instances)
        shown = sum(one.likely for one in every)
        lines += ["", f"  {system}"]
        for n, one in enumerate(every):
            if n == shown:
                lines.append("    differences, of which few are errors:")
            lines += _instance(one)
        more = sum(flag.system == system for flag in row.likely) - shown
        if more > 0:
            lines.append(f"    … and {more} more flagged errors (--worst N, or -f json)")
    return "\n".join(lines) + "\n"


def _instance(one: Instance) -> Iterator[str]:
    others = "".join(f", {name} {score:.4f}" for name, score in one.other_scores.items())
    probability = f" [{one.probability:.2f}]" if one.likely else ""
    yield f"    {one.document}, segment {one.segment}{others}:{probability} {one.what}"
    lines: list[tuple[str, str | None]] = []
    if one.likely:
        lines.append(("evidence", "; ".join(words for _, words in one.evidence)))
    lines += [("before", line) for line in one.context]
    lines += [("text", one.text), ("reference", one.reference), ("source", one.source)]
    for name, line in lines:
        if line is not None:
            first = f"      {name:>9}  "
            yield textwrap.fill(
                line or "–", 100, initial_indent=first, subsequent_indent=" " * len(first)
            )


def profile_data(
    evaluation: Evaluation, table: ScoreTable, *, seed: int, baseline: str | None = None
) -> dict[str, Any]:
    """Collect the profile's part of a report, and why kinds are missing."""
    able, reasons = fitting(evaluation)
    kinds = []
    for kind in able:
        if not kind.metric or kind.name_of_metric in table.columns:
            kinds.append(kind)
            continue
        reasons[kind.name] = _SLOW
        if (flagging := unscored(kind)) is not None:
            kinds.append(flagging)
    return _page_data(gather(evaluation, table, kinds, reasons, seed=seed, baseline=baseline))


def profile_page(
    profile: Profile, languages: tuple[str | None, str], warnings: Sequence[str] = ()
) -> str:
    """Write the profile on a page of its own."""
    source, target = languages
    title = ", ".join(profile.systems) if profile.name == UNNAMED else profile.name
    data = {
        "title": title,
        "systems": profile.systems,
        "set": {"target_lang": target, "source_lang": source or ""},
        "warnings": warnings,
        **_page_data(profile),
    }
    scripts = ("base.js", "profile.js", "profile_page.js")
    return shell(f"Discourse profile: {title}", scripts, kind="profile", data=data)


def _page_data(profile: Profile) -> dict[str, Any]:
    rows = [{**row.to_json(profile.systems), "coverage": row.seen} for row in profile.rows]
    how = dict.fromkeys(row.how for row in profile.rows if row.how)
    return {
        "profile": plain(rows),
        "baseline": profile.systems.index(profile.baseline),
        "left_out": dict(profile.left_out),
        "profile_notes": [*how, *profile.others],
    }
