"""A profile as a value: a row a kind of glue, with its likely faults and its differences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.diagnose.flag import Flag, Rate, flags, rates
from albeit.diagnose.profile.instances import Instance, of_flag, worst_places
from albeit.diagnose.profile.kinds import Kind
from albeit.evaluation import Evaluation
from albeit.metrics.external.scores import scores_at
from albeit.metrics.significance import compare, confidence, select_testable
from albeit.metrics.table import Column, ScoreTable

__all__ = ["Profile", "ProfileRow", "gather"]

Json = dict[str, object]


@dataclass(frozen=True)
class ProfileRow:
    """One kind of glue: a score per system, its interval, its p-value against the baseline.

    ``coverage`` is how many things (``counted``) each system was judged by. Intervals and
    p-values are missing where there are fewer than two rows to resample. ``corrected`` are the
    p-values corrected for all kinds and systems of the profile. ``flags`` are all flags of the
    kind, the likeliest faults first, and ``rates`` the likely ones per thousand words; both are
    missing where the kind has none, and its instances are differences only. ``instances`` are
    those that are shown: of each system the likeliest faults first, then differences.
    """

    kind: Kind
    signature: str
    scores: tuple[float, ...]
    coverage: tuple[int, ...]
    counted: str
    instances: tuple[Instance, ...]
    intervals: tuple[tuple[float, float], ...] | None = None
    p: tuple[float | None, ...] | None = None
    corrected: tuple[float | None, ...] | None = None
    how: str = ""
    flags: tuple[Flag, ...] = ()
    rates: tuple[Rate, ...] | None = None

    @property
    def likely(self) -> list[Flag]:
        """All likely faults, the likeliest first."""
        return [flag for flag in self.flags if flag.likely]

    @property
    def seen(self) -> str:
        """The coverage in words."""
        if not self.counted:
            return "–"
        low, high = min(self.coverage), max(self.coverage)
        return f"{low:,} {self.counted}" if low == high else f"{low:,}-{high:,} {self.counted}"

    def to_json(self, systems: Sequence[str]) -> Json:
        """A record per system; all that is known of the row."""
        found = []
        for s, system in enumerate(systems):
            record: Json = {"system": system, "score": _number(self.scores[s])}
            if self.intervals is not None:
                record["interval"] = [_number(end) for end in self.intervals[s]]
            if self.p is not None and self.corrected is not None:
                record |= {"p": self.p[s], "corrected": self.corrected[s]}
            if self.rates is not None:
                rate = self.rates[s]
                record["likely_faults"] = {
                    "count": rate.count,
                    "per_thousand_words": _number(rate.per_thousand),
                    "interval": [_number(end) for end in rate.interval],
                }
            found.append(record | {"instances": self.coverage[s]})
        return {
            "name": self.kind.name,
            "metric": self.kind.metric,
            "about": self.kind.about,
            "signature": self.signature,
            "counted": self.counted,
            "test": self.how,
            "systems": found,
            "differences_only": self.rates is None,
            "likely_faults": [flag.to_json() for flag in self.likely],
            "worst": [one.to_json() for one in self.instances],
        }


@dataclass(frozen=True)
class Profile:
    """The rows of all kinds that could be measured, and why the others could not.

    ``others`` are the signatures of scores by other tools, which stand beside instances.
    """

    name: str
    systems: tuple[str, ...]
    baseline: str
    rows: tuple[ProfileRow, ...]
    left_out: Mapping[str, str]
    others: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Everything."""
        return {
            "set": self.name,
            "systems": list(self.systems),
            "baseline": self.baseline,
            "rows": [row.to_json(self.systems) for row in self.rows],
            "left_out": dict(self.left_out),
            "others": list(self.others),
        }


def gather(
    evaluation: Evaluation,
    table: ScoreTable,
    kinds: Sequence[Kind],
    left_out: Mapping[str, str],
    *,
    baseline: str | None = None,
    worst: int = 6,
    seed: int,
    others: Sequence[Column] = (),
) -> Profile:
    """The profile of a set whose ``table`` has a column for each kind's metric.

    ``others`` are scores of other tools, which are shown beside the instances.
    """
    evalset = evaluation.evalset
    base = 0 if baseline is None else table.system_index(baseline)
    sampled = confidence(select_testable(table), seed=seed)
    compared = len(table.systems) > 1 and sampled.columns
    tests = compare(sampled, baseline=table.systems[base], seed=seed) if compared else None
    found = flags(evalset, [kind.name for kind in kinds if kind.flagging])
    rows = []
    for kind in kinds:
        own = [flag for flag in found if flag.finding.kind == kind.name] if kind.flagging else []
        row = _row(evaluation, table, kind, own, worst)
        if row is None:
            continue
        if kind.flagging:
            row = replace(row, flags=tuple(own), rates=tuple(rates(own, evalset, seed)))
        if row.kind.name_of_metric in sampled.columns:
            ends = sampled[row.kind.name_of_metric].intervals
            row = replace(row, intervals=None if ends is None else tuple(map(tuple, ends.tolist())))
        if tests is not None and (name := row.kind.name_of_metric) in tests.p_values:
            row = replace(
                row,
                p=_numbers(tests.p_values[name]),
                corrected=_numbers(tests.corrected[name]),
                how=f"{tests.how(name)}; marks are corrected for {tests.tests} tests (Holm)",
            )
        shown = tuple(
            replace(one, other_scores=scores_at(evalset, others, one.system, one.segment))
            for one in row.instances
        )
        rows.append(replace(row, instances=shown))
    return Profile(
        table.name,
        tuple(table.systems),
        table.systems[base],
        tuple(rows),
        dict(left_out),
        tuple(str(column.signature) for column in others),
    )


def _row(
    evaluation: Evaluation, table: ScoreTable, kind: Kind, own: Sequence[Flag], worst: int
) -> ProfileRow | None:
    """A kind's scores and what is shown of it; none where it scores nothing and flags nothing."""
    evalset = evaluation.evalset
    if not kind.metric:
        unscored = (float("nan"),) * len(evalset.systems)
        instances = _shown(evalset, own, (), worst)
        return ProfileRow(kind, "", unscored, (0,) * len(evalset.systems), "", instances)
    column = table[kind.name_of_metric]
    if column.metric is None or np.isnan(column.system).all():
        return None
    return ProfileRow(
        kind,
        str(column.signature),
        tuple(map(float, column.system)),
        *kind.coverage(column),
        _shown(evalset, own, worst_places(evaluation, column, kind, worst), worst),
    )


def _shown(
    evalset: EvalSet, own: Iterable[Flag], places: Iterable[Instance], worst: int
) -> tuple[Instance, ...]:
    """Of each system the likeliest faults, then the places where its metric lost most."""
    likely = [of_flag(flag, evalset) for flag in own if flag.likely]
    different = list(places)
    found: list[Instance] = []
    for system in evalset.systems:
        first = [one for one in likely if one.system == system][:worst]
        known = {(one.segment, *one.marks.get("text", ())) for one in first}
        rest = [one for one in different if one.system == system]
        found += first
        found += [one for one in rest if (one.segment, *one.marks.get("text", ())) not in known]
    return tuple(found)


def _numbers(values: FloatArray) -> tuple[float | None, ...]:
    return tuple(_number(value) for value in values)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
