from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.errors import InputError
from albeit.metrics.connectives.assess import Case, Verdict, best, judge
from albeit.metrics.connectives.lexicons import Form, lexicon
from albeit.metrics.connectives.lexicons.find import Hit, SourceConnective
from albeit.metrics.connectives.match import Decision, Reason
from albeit.metrics.connectives.scores import (
    CaseCounts,
    by_connective,
    by_sense,
    compare,
    confusion,
    mcnemar,
    wilson,
)

DE = lexicon("en", "de")


def found(form: str) -> Decision:
    if not form:
        return Decision(None, Reason.ABSENT)
    return Decision(Hit(Form.parse(form, "de"), (0,)), Reason.ONLY)


def verdict(line: int, case: Case, name: str = "since", ref: str = "", cand: str = "") -> Verdict:
    credit = float(case in (Case.SAME, Case.SYNONYM))
    at = SourceConnective(name, (0,))
    return Verdict(line, at, case, credit, 0, found(ref), found(cand))


@pytest.mark.parametrize(
    ("source", "ref", "cand", "case"),
    [
        ("since", "seit", "seit", Case.SAME),
        ("since", "seit", "seitdem", Case.SYNONYM),
        ("since", "seit", "da", Case.INCOMPATIBLE),
        ("since", "seit", "", Case.ONLY_REFERENCE),
        ("since", "", "seit", Case.ONLY_CANDIDATE),
        ("since", "", "", Case.NEITHER),
        ("however", "jedoch", "allerdings", Case.SYNONYM),
    ],
)
def test_the_six_cases(source: str, ref: str, cand: str, case: Case) -> None:
    assert judge(source, found(ref), found(cand), DE, "compatible")[0] is case


def test_the_original_sense_test_is_kept_for_classic() -> None:
    jedoch, allerdings = found("jedoch"), found("allerdings")
    assert judge("however", jedoch, allerdings, DE, "covering")[0] is Case.INCOMPATIBLE
    assert judge("however", allerdings, jedoch, DE, "covering")[0] is Case.SYNONYM


def test_the_kindest_reference_counts() -> None:
    assert best([(Case.NEITHER, 0.0), (Case.SYNONYM, 1.0)]) == (1, Case.SYNONYM, 1.0)
    assert best([(Case.INCOMPATIBLE, 0.0), (Case.INCOMPATIBLE, 0.5)])[0] == 1


def test_scores_and_coverage() -> None:
    counts = CaseCounts((5, 3, 1, 1, 6, 4), 8.0, correct=3)
    assert counts.act_a == 8 / 20
    assert counts.act_a56 == 8 / 10
    assert counts.coverage == 10 / 20
    assert counts.act_m == 11 / 20


def test_nothing_to_score_is_not_a_number() -> None:
    empty = CaseCounts.of([])
    assert math.isnan(empty.act_a)
    assert math.isnan(empty.act_a56)
    assert wilson(0, 0) == (0.0, 1.0)


def test_groups() -> None:
    verdicts = [
        verdict(0, Case.SAME, "since", "seit", "seit"),
        verdict(1, Case.INCOMPATIBLE, "since", "da", "seit"),
        verdict(2, Case.ONLY_CANDIDATE, "yet", "", "doch"),
    ]
    assert {k: v.total for k, v in by_connective(verdicts).items()} == {"since": 2, "yet": 1}
    senses = by_sense(verdicts, DE)
    assert {k: v.total for k, v in senses.items()} == {
        "Temporal.Asynchronous": 1,
        "Contingency.Cause": 1,
        "implicit": 1,
    }
    assert confusion(verdicts)["since", "da", "seit"] == 1


def test_wilson_by_the_formula() -> None:
    low, high = wilson(9, 10)
    assert low == pytest.approx(0.5958, abs=1e-4)
    assert high == pytest.approx(0.9821, abs=1e-4)


@given(st.integers(1, 500), st.data())
def test_wilson_holds_the_share(total: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, total))
    low, high = wilson(hits, total)
    assert 0 <= low <= hits / total <= high <= 1 or hits in (0, total)


def test_mcnemar() -> None:
    assert mcnemar(0, 0) == 1
    assert mcnemar(0, 10) == pytest.approx(2 / 1024)
    assert mcnemar(3, 3) == 1


def test_compare() -> None:
    base = [verdict(n, Case.ONLY_REFERENCE) for n in range(40)]
    good = [verdict(n, Case.SAME) for n in range(40)]
    found_ = compare(base, good)
    assert (found_.difference, found_.better, found_.worse) == (1.0, 40, 0)
    assert found_.mcnemar < 0.001
    assert found_.bootstrap == 0
    same = compare(base, base)
    assert (same.difference, same.mcnemar, same.bootstrap) == (0, 1, 1)
    with pytest.raises(InputError, match="not assessed on the same"):
        compare(base, good[:-1])
    with pytest.raises(InputError, match="no connective"):
        compare([], [])
