"""The discourse profile as pages show it: in a report, and by itself."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from albeit.data.evalset import UNNAMED
from albeit.diagnose.flag import Flag
from albeit.diagnose.profile.gather import Profile, ProfileRow, gather
from albeit.diagnose.profile.instances import Instance
from albeit.diagnose.profile.kinds import fitting, unscored
from albeit.evaluation import Evaluation
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric
from albeit.metrics.table import ScoreTable
from albeit.report.page import shell

__all__ = ["EXTENTS", "Extent", "profile_data", "profile_metrics", "profile_page", "whole_readers"]

Extent = Literal["quick", "all", "none"]
EXTENTS: tuple[Extent, ...] = ("quick", "all", "none")
"""How much of the profile a report has: quick is what needs no network over whole documents."""


def profile_metrics(evaluation: Evaluation, extent: Extent = "quick") -> list[Metric]:
    """The metrics of all kinds that are asked for and can be measured on this set."""
    if extent == "none":
        return []
    kinds, _ = fitting(evaluation)
    return [
        metric(kind.metric) for kind in kinds if kind.metric and (extent == "all" or not kind.whole)
    ]


def whole_readers(evaluation: Evaluation) -> list[Metric]:
    """The metrics of kinds that read whole documents, such as coreference."""
    kinds, _ = fitting(evaluation)
    return [metric(kind.metric) for kind in kinds if kind.whole]


def profile_data(evaluation: Evaluation, table: ScoreTable, *, seed: int) -> dict[str, Any]:
    """A row a kind that the table has a column of, and why others are not there."""
    fit, why = fitting(evaluation)
    kinds = []
    for kind in fit:
        if not kind.metric or kind.name_of_metric in table.columns:
            kinds.append(kind)
            continue
        why[kind.name] = _SLOW
        if (flagging := unscored(kind)) is not None:
            kinds.append(flagging)
    profile = gather(evaluation, table, kinds, why, seed=seed)
    return _told(profile, [_row(row, profile.systems) for row in profile.rows])


_SLOW = "it reads whole documents, which takes its time: ask for it (--profile all)."


def profile_page(profile: Profile, languages: tuple[str | None, str]) -> str:
    """The profile on a page of its own, which has the texts of its instances with it."""
    source, target = languages
    rows = [
        _row(row, profile.systems)
        | {"instances": [_instance(one, profile.systems) | _texts(one) for one in row.instances]}
        for row in profile.rows
    ]
    title = ", ".join(profile.systems) if profile.name == UNNAMED else profile.name
    data = {
        "title": title,
        "systems": profile.systems,
        "set": {"target_lang": target, "source_lang": source or ""},
        **_told(profile, rows),
    }
    return shell(
        f"Discourse profile: {title}",
        ("base.js", "cuts.js", "profile.js", "profile_page.js"),
        kind="profile",
        data=data,
    )


def _told(profile: Profile, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "profile": rows,
        "baseline": profile.systems.index(profile.baseline),
        "left_out": dict(profile.left_out),
        "profile_notes": [
            *dict.fromkeys(row.how for row in profile.rows if row.how),
            *profile.others,
        ],
    }


def _row(row: ProfileRow, systems: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": row.kind.name,
        "about": row.kind.about,
        "signature": row.signature,
        "coverage": row.seen,
        "scores": [None if np.isnan(v) else v for v in row.scores],
        "instances": [_instance(one, systems) for one in row.instances],
    }
    if row.intervals is not None:
        found["intervals"] = row.intervals
    if row.p is not None:
        found |= {"p": row.p, "corrected": row.corrected}
    if row.rates is not None:
        found["likely"] = [
            {"count": rate.count, "rate": _number(rate.per_thousand), "interval": rate.interval}
            for rate in row.rates
        ]
        found["faults"] = [_fault(flag, systems) for flag in row.likely]
    return found


def _fault(flag: Flag, systems: tuple[str, ...]) -> dict[str, Any]:
    """A likely fault as the page knows it: numbers of system and segment from 0."""
    finding = flag.finding
    return {
        "system": systems.index(flag.system),
        "document": flag.document,
        "segment": finding.line - 1,
        "span": [finding.start, finding.end],
        "what": finding.message,
        "p": finding.probability,
        "suggestion": finding.suggestion,
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def _instance(one: Instance, systems: tuple[str, ...]) -> dict[str, Any]:
    return {
        "system": systems.index(one.system),
        "segment": one.segment - 1,
        "score": one.score,
        "what": one.what,
        **({"marks": one.marks} if one.marks else {}),
        **({"other_scores": one.other_scores} if one.other_scores else {}),
        **({"p_fault": one.probability} if one.probability is not None else {}),
        **({"likely": True} if one.likely else {}),
        **({"suggestion": one.suggestion} if one.suggestion else {}),
        **({"evidence": [words for _, words in one.evidence]} if one.evidence else {}),
    }


def _texts(one: Instance) -> dict[str, Any]:
    """What a report has already."""
    return {
        "document": one.document,
        "before": list(one.context),
        "text": one.text,
        "reference": one.reference,
        "source": one.source,
    }
