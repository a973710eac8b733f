"""The discourse profile: scores, flagged errors, and differences of each system, by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.diagnose.flags import Flag, Rate, flags, rates, why_none
from albeit.diagnose.instances import Instance, flag_instance, worst_instances
from albeit.evaluation import Evaluation
from albeit.metrics.connectives.assess import Case
from albeit.metrics.external.scores import scores_at
from albeit.metrics.judge.fit import DISAGREEING
from albeit.metrics.registry import metric
from albeit.metrics.significance import compare, confidence, select_testable
from albeit.metrics.table import Column, ScoreTable
from albeit.metrics.view import Loss

Json = dict[str, object]


def _lost(loss: Loss) -> bool:
    return loss.amount > 0


def _different(loss: Loss) -> bool:
    """Check for another pronoun; a missing one is mostly a free translation."""
    return loss.details["case"] == Case.INCOMPATIBLE


def _unfit(loss: Loss) -> bool:
    """Check whether another word fits far better."""
    return loss.details["doubtful"] == "yes"


def _disagreeing(loss: Loss) -> bool:
    """Check whether agreement is doubtful, and the likely antecedent disagrees."""
    return float(loss.details["agreement"]) < DISAGREEING and loss.details.get("agrees") == "no"


def _inconsistent(loss: Loss) -> bool:
    """Check for three occurrences or more; two that differ are mostly chance."""
    return loss.amount > 0 and float(loss.details["occurrences"]) > 2


@dataclass(frozen=True)
class Kind:
    """One row of the profile, and the metric that measures it.

    ``flagged`` chooses the losses to show. ``whole`` is true if a network reads whole documents.
    ``flagging`` is true if errors of this kind are flagged; otherwise its instances are
    differences. ``prior`` is the share of errors among differences that were read one by one. A
    kind without a metric has flagged errors and no score.
    """

    name: str
    metric: str
    about: str
    flagged: Callable[[Loss], bool] = _lost
    whole: bool = False
    flagging: bool = False
    prior: float | None = None

    @property
    def name_of_metric(self) -> str:
        """The full name of the metric, its column in a table."""
        return str(metric(self.metric)) if self.metric else ""

    def coverage(self, column: Column) -> tuple[tuple[int, ...], str]:
        """Count the instances that each system was scored on, and name them."""
        made = metric(self.metric)
        if column.statistics is not None:
            found = made.counted(column.statistics.sum(axis=1))
            if found is not None:
                return tuple(int(n) for n in found), made.judged[0]
        scores = column.document if column.segment is None else column.segment
        unit = "documents" if column.segment is None else "segments"
        assert scores is not None
        return tuple(int(n) for n in (~np.isnan(scores)).sum(axis=1)), unit


_CONNECTIVES = (
    "Connectives of the source (although, since, while …) whose translation says what the"
    " reference's says."
)
_PRONOUNS = "Pronouns of another person, number or gender than the reference's at the same place."
KINDS = (
    Kind("connectives", "act(target_sense=model)", _CONNECTIVES, prior=0.25),
    Kind("connectives", "act", _CONNECTIVES, prior=0.25),
    Kind(
        "pronouns",
        "pronouns",
        "Third-person pronouns that stand where the reference has them.",
        _different,
        prior=0.0,
    ),
    Kind(
        "pronouns in context",
        "pronouns-free",
        "Third-person pronouns that fit the translation around them, read with the pronoun hidden.",
        _unfit,
        whole=True,
        flagging=True,
    ),
    Kind(
        "pronouns in context",
        "pronouns-free(by=antecedents)",
        "Third-person pronouns that agree in number,"
        " animacy and gender with what the translation itself offers.",
        _disagreeing,
        whole=True,
        flagging=True,
        prior=0.3,
    ),
    Kind("pronouns in context", "", _PRONOUNS, flagging=True),
    Kind(
        "terms",
        "terms",
        "Repeated terms that are translated by the same word throughout.",
        _inconsistent,
        flagging=True,
        prior=0.25,
    ),
    Kind(
        "coreference",
        "coref",
        "Mentions of persons and things where the reference mentions the same one.",
        whole=True,
        prior=0.1,
    ),
    Kind(
        "lexical cohesion",
        "cohesion",
        "Words that the reference takes up again, taken up again"
        " at the same places of the document.",
    ),
    Kind(
        "discourse trees",
        "dr",
        "How far the discourse trees of the sentences are those of the reference.",
    ),
)


def fitting(evaluation: Evaluation) -> tuple[list[Kind], dict[str, str]]:
    """List the kinds that can be measured on this set, and why the others can't.

    If there are two metrics for a kind, the first that can score the set is used.
    """
    found: list[Kind] = []
    why: dict[str, str] = {}
    for kind in KINDS:
        if any(kind.name == other.name for other in found):
            continue
        problem = _problem(evaluation, kind)
        if problem is not None:
            why[kind.name] = problem
        else:
            found.append(kind)
            why.pop(kind.name, None)
    return found, why


def unscored(kind: Kind) -> Kind | None:
    """Find the variant of a kind without a score."""
    same = (other for other in KINDS if other.name == kind.name and not other.metric)
    return next(same, None)


def _problem(evaluation: Evaluation, kind: Kind) -> str | None:
    """Say why a kind can't be measured on a set, in one line."""
    if not kind.metric:
        return why_none(evaluation.evalset)
    problem = evaluation.problem(metric(kind.metric))
    return None if problem is None else str(problem).splitlines()[0]


@dataclass(frozen=True)
class ProfileRow:
    """One kind: a score per system, its interval, and its p-value against the baseline.

    ``coverage`` is the number of instances (``counted``) that each system was scored on. Intervals
    and p-values need at least two rows to resample. ``corrected`` are the p-values corrected for
    all kinds and systems. ``flags`` are all flags, most probable first, and ``rates`` the likely
    errors per thousand words, if the kind has them. ``instances`` are those to show: of each
    system likely errors first, then differences.
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
        """All likely errors, most probable first."""
        return [flag for flag in self.flags if flag.likely]

    @property
    def seen(self) -> str:
        """The coverage in words."""
        if not self.counted:
            return "–"
        low, high = min(self.coverage), max(self.coverage)
        return f"{low:,} {self.counted}" if low == high else f"{low:,}-{high:,} {self.counted}"

    def to_json(self, systems: Sequence[str]) -> Json:
        """Convert the row, with one record per system."""
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
    """The rows of all kinds that could be measured, and why the others couldn't.

    ``others`` are the signatures of scores by other tools, which instances have.
    """

    name: str
    systems: tuple[str, ...]
    baseline: str
    rows: tuple[ProfileRow, ...]
    left_out: Mapping[str, str]
    others: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Convert the profile to JSON."""
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
    """Make the profile of a set whose ``table`` has a column for each kind's metric.

    ``others`` are scores of other tools, which are listed with the instances.
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
    """Make the row of a kind; ``None`` if no system has a score."""
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
        _shown(evalset, own, worst_instances(evaluation, column, kind, worst), worst),
    )


def _shown(
    evalset: EvalSet, own: Iterable[Flag], different: Sequence[Instance], worst: int
) -> tuple[Instance, ...]:
    """Choose for each system the most probable errors, then the largest differences."""
    likely = [flag_instance(flag, evalset) for flag in own if flag.likely]
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
