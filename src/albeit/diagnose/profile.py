"""The discourse profile: scores, flagged errors, and differences of each system, by kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from albeit.diagnose.check import Progress
from albeit.diagnose.flags import Flag, Rate, flags, rates, why_none
from albeit.diagnose.instances import Instance, flag_instance, worst_instances
from albeit.evaluation import Evaluation
from albeit.metrics import Column, EvalSet, Loss, ScoreTable
from albeit.metrics.connectives.assess import Case
from albeit.metrics.external import scores_at
from albeit.metrics.judge.fit import DISAGREEING
from albeit.metrics.registry import metric
from albeit.metrics.significance import compare, confidence, select_testable

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
        if column.statistics is not None:
            own = metric(self.metric)
            counts = own.counted(column.statistics.sum(axis=1))
            if counts is not None:
                return tuple(map(int, counts)), own.judged[0]
        scores = column.document if column.segment is None else column.segment
        unit = "documents" if column.segment is None else "segments"
        assert scores is not None
        return tuple(map(int, (~np.isnan(scores)).sum(axis=1))), unit


_CONNECTIVES = (
    "Connectives of the source (although, since, while …) whose translation says what the"
    " reference's says."
)
_PRONOUNS = "Third-person pronouns in the same places as in the reference."
_FITTING = "Third-person pronouns that fit the translation around them, by masked prediction."
_AGREEING = (
    "Third-person pronouns that agree in number, animacy, and gender with an antecedent in"
    " the translation."
)
_EXCHANGED = "Pronouns of another person, number or gender than the reference's at the same place."
_TERMS = "Repeated terms that are translated by the same word throughout."
_COREFERENCE = "Mentions of persons and things where the reference mentions the same one."
_COHESION = "Words that the reference repeats, repeated at the same places of the document."
_TREES = "Similarity of the discourse trees of sentences to those of the reference."
_CONTEXT = "pronouns in context"
_BY_ANTECEDENTS = "pronouns-free(by=antecedents)"
_LANGUAGE = "Lines that aren't clearly in another language than the target language."
KINDS = (
    Kind("connectives", "act(target_sense=model)", _CONNECTIVES, prior=0.25),
    Kind("connectives", "act", _CONNECTIVES, prior=0.25),
    Kind("pronouns", "pronouns", _PRONOUNS, _different, prior=0.0),
    Kind(_CONTEXT, "pronouns-free", _FITTING, _unfit, whole=True, flagging=True),
    Kind(_CONTEXT, _BY_ANTECEDENTS, _AGREEING, _disagreeing, whole=True, flagging=True, prior=0.3),
    Kind(_CONTEXT, "", _EXCHANGED, flagging=True),
    Kind("terms", "terms", _TERMS, _inconsistent, flagging=True, prior=0.25),
    Kind("coreference", "coref", _COREFERENCE, whole=True, prior=0.1),
    Kind("lexical cohesion", "cohesion", _COHESION),
    Kind("discourse trees", "dr", _TREES),
    Kind("target language", "on-target", _LANGUAGE),
)


def fitting(evaluation: Evaluation) -> tuple[list[Kind], dict[str, str]]:
    """List the kinds that can be measured on this set, and why the others can't.

    If there are two metrics for a kind, the first that can score the set is used.
    """
    able: dict[str, Kind] = {}
    reasons: dict[str, str] = {}
    for kind in KINDS:
        if kind.name in able:
            continue
        if kind.metric:
            problem = evaluation.problem(metric(kind.metric))
            reason = None if problem is None else str(problem).splitlines()[0]
        else:
            reason = why_none(evaluation.evalset)
        if reason is None:
            able[kind.name] = kind
        else:
            reasons[kind.name] = reason
    return list(able.values()), {n: reason for n, reason in reasons.items() if n not in able}


def unscored(kind: Kind) -> Kind | None:
    """Find the variant of a kind without a score."""
    same = (other for other in KINDS if other.name == kind.name and not other.metric)
    return next(same, None)


@dataclass(frozen=True)
class ProfileRow:
    """One kind: a score per system, its interval, and its p-value against the baseline.

    ``coverage`` is the number of instances (``counted``) that each system was scored on. Intervals
    and p-values need at least two rows to resample. ``corrected`` are the p-values corrected for
    all kinds and systems. ``flags`` are all flags, most probable first, and ``rates`` the likely
    errors per thousand words, if the kind has them; ``not_flagged`` is why errors of such a kind
    aren't flagged here. ``instances`` are those to show: of each system likely errors first, then
    differences.
    """

    kind: Kind
    signature: str
    scores: tuple[float, ...]
    coverage: tuple[int, ...]
    counted: str
    instances: tuple[Instance, ...]
    intervals: tuple[tuple[float, float], ...] | None = None
    p: tuple[float, ...] | None = None
    corrected: tuple[float, ...] | None = None
    how: str = ""
    flags: tuple[Flag, ...] = ()
    rates: tuple[Rate, ...] | None = None
    not_flagged: str = ""

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
        """Convert the row, with one record per system; undefined numbers are NaN."""
        return {
            "name": self.kind.name,
            "metric": self.kind.metric,
            "about": self.kind.about,
            "signature": self.signature,
            "counted": self.counted,
            "test": self.how,
            "systems": [self._record(s, system) for s, system in enumerate(systems)],
            "differences_only": self.rates is None,
            "not_flagged": self.not_flagged or None,
            "likely_faults": None if self.not_flagged else [f.to_json() for f in self.likely],
            "worst": [one.to_json() for one in self.instances],
        }

    def _record(self, s: int, system: str) -> Json:
        record: Json = {"system": system, "score": self.scores[s]}
        if self.intervals is not None:
            record["interval"] = self.intervals[s]
        if self.p is not None and self.corrected is not None:
            record |= {"p": self.p[s], "corrected": self.corrected[s]}
        if self.rates is not None:
            count, rate, interval = astuple(self.rates[s])
            flagged = {"count": count, "per_thousand_words": rate, "interval": interval}
            record["likely_faults"] = flagged
        elif self.not_flagged:
            record["likely_faults"] = None
        return record | {"instances": self.coverage[s]}


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
    differences: bool = True,
    seed: int,
    others: Sequence[Column] = (),
    flagging: Progress | None = None,
    explaining: Progress | None = None,
) -> Profile:
    """Make the profile of a set whose ``table`` has a column for each kind's metric.

    :param worst: how many flagged errors and differences are instances, per kind and system
    :param differences: whether instances can be differences; otherwise only flagged errors
    :param others: scores of other tools, which are listed with the instances
    :param flagging: called with the number of candidates that were read, and of all
    :param explaining: called with the number of kinds that were explained, and of all
    """
    evalset, systems = evaluation.evalset, tuple(table.systems)
    base = systems[0 if baseline is None else table.system_index(baseline)]
    sampled = confidence(select_testable(table), seed=seed)
    compared = len(systems) > 1 and sampled.columns
    tests = compare(sampled, baseline=base, seed=seed) if compared else None
    why = why_none(evalset)
    named = [kind.name for kind in kinds if kind.flagging]
    found = flags(evalset, named, progress=flagging)
    rows = []
    for number, kind in enumerate(kinds):
        row = ProfileRow(kind, "", (math.nan,) * len(systems), (0,) * len(systems), "", ())
        lost: list[Instance] = []
        if name := kind.name_of_metric:
            column = table[name]
            if column.metric is None or np.isnan(column.system).all():
                continue
            coverage, counted = kind.coverage(column)
            scores = tuple(map(float, column.system))
            row = ProfileRow(kind, str(column.signature), scores, coverage, counted, ())
            if differences:
                tick = _within(explaining, number, len(kinds))
                lost = worst_instances(evaluation, column, kind, worst, tick)
        if kind.flagging and why is not None:
            row = replace(row, not_flagged=why)
        elif kind.flagging:
            own = tuple(flag for flag in found if flag.finding.kind == kind.name)
            row = replace(row, flags=own, rates=tuple(rates(own, evalset, seed)))
        if name in sampled.columns and (ends := sampled[name].intervals) is not None:
            row = replace(row, intervals=tuple(map(tuple, ends.tolist())))
        if tests is not None and name in tests.p_values:
            row = replace(
                row,
                p=tuple(tests.p_values[name].tolist()),
                corrected=tuple(tests.corrected[name].tolist()),
                how=f"{tests.how(name)}; marks are corrected for {tests.tests} tests (Holm)",
            )
        instances = tuple(
            replace(one, other_scores=scores_at(evalset, others, one.system, one.segment))
            for one in _choose_instances(evalset, row.likely, lost, worst)
        )
        rows.append(replace(row, instances=instances))
    signatures = tuple(str(column.signature) for column in others)
    return Profile(table.name, systems, base, tuple(rows), dict(left_out), signatures)


def _within(progress: Progress | None, number: int, count: int) -> Progress | None:
    """Return the progress of one of several equal parts."""
    return progress and (lambda done, total: progress(number * total + done, count * total))


def _choose_instances(
    evalset: EvalSet, likely: Sequence[Flag], differences: Sequence[Instance], worst: int
) -> Iterator[Instance]:
    """Choose for each system the most probable errors, then the largest differences."""
    for system in evalset.systems:
        own = [flag for flag in likely if flag.system == system][:worst]
        errors = [flag_instance(flag, evalset) for flag in own]
        known = {(one.segment, *one.marks.get("text", ())) for one in errors}
        yield from errors
        for one in differences:
            if one.system == system and (one.segment, *one.marks.get("text", ())) not in known:
                yield one
