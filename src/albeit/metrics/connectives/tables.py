"""Assessments as tables: scores with intervals, connectives, senses, confusions, comparisons."""

from __future__ import annotations

from albeit.metrics.connectives.assess import Verdict
from albeit.metrics.connectives.assessment import Assessment
from albeit.metrics.connectives.compare import compare
from albeit.metrics.connectives.decisions import CASE_NAMES, decision
from albeit.metrics.connectives.scores import (
    CaseCounts,
    by_connective,
    by_sense,
    confusion,
    wilson,
)

__all__ = [
    "CASE_NAMES",
    "comparison_rows",
    "confusion_rows",
    "decision_rows",
    "group_rows",
    "score_rows",
]

Row = dict[str, object]


def score_rows(assessment: Assessment, confidence: float = 0.95) -> list[Row]:
    """One row a system: ACTa with its interval, ACTa5+6 with its coverage, the six cases."""
    return [
        {"system": name, **_scores(CaseCounts.of(verdicts), confidence)}
        for name, verdicts in assessment.verdicts.items()
    ]


def group_rows(verdicts: tuple[Verdict, ...], assessment: Assessment, by: str) -> list[Row]:
    """One row a source connective, or a sense of the reference's translation."""
    if by == "connective":
        groups = by_connective(verdicts)
    else:
        groups = by_sense(verdicts, assessment.context.assessor.lexicon)
    return [{by: name, **_scores(counts, 0.95)} for name, counts in groups.items()]


def confusion_rows(verdicts: tuple[Verdict, ...], least: int = 1) -> list[Row]:
    """One row a pair of forms in reference and candidate, the commonest first."""
    return [
        {"connective": name, "reference": ref or "–", "candidate": cand or "–", "count": count}
        for (name, ref, cand), count in confusion(verdicts).most_common()
        if count >= least
    ]


def decision_rows(assessment: Assessment) -> list[Row]:
    """Every connective of every system: what was found in reference and candidate, and why."""
    return [
        {
            "system": system,
            "line": verdict.line + 1,
            **decision(verdict),
        }
        for system, verdicts in assessment.verdicts.items()
        for verdict in verdicts
    ]


def comparison_rows(assessment: Assessment, resamples: int, seed: int) -> list[Row]:
    """Every system beside the first: McNemar's test and the paired bootstrap over lines."""
    (baseline, base), *others = assessment.verdicts.items()
    rows: list[Row] = []
    for name, verdicts in others:
        found = compare(base, verdicts, resamples=resamples, seed=seed)
        rows.append(
            {
                "system": name,
                "baseline": baseline,
                "difference": found.difference,
                "interval": (found.low, found.high),
                "better": found.better,
                "worse": found.worse,
                "McNemar p": found.mcnemar,
                "bootstrap p": found.bootstrap,
            }
        )
    return rows


def _scores(counts: CaseCounts, confidence: float) -> Row:
    cases = {f"case {n}": count for n, count in enumerate(counts.cases, 1)}
    return {
        "ACTa": counts.act_a,
        "interval": wilson(counts.credit, counts.total, confidence),
        "ACTa5+6": counts.act_a56,
        "coverage": counts.coverage,
        "connectives": counts.total,
        **cases,
    }
