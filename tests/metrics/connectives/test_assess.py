"""Matching, cases, counts, and comparisons of systems."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.errors import InputError
from albeit.metrics.connectives import CLASSIC, Lexicon, inventory, lexicon
from albeit.metrics.connectives.assess import Case, Verdict, best, judge
from albeit.metrics.connectives.lexicon import Detector, Form, Hit, SourceConnective
from albeit.metrics.connectives.match import Decision, Links, Matcher, Reason
from albeit.metrics.connectives.scores import (
    CaseCounts,
    by_connective,
    by_sense,
    compare,
    confusion,
    mcnemar,
    wilson,
)
from albeit.metrics.connectives.words import cut

DETECT = Detector(inventory("en"), CLASSIC)


def decide(
    source: str,
    target: str,
    language: str,
    links: Links | None = None,
    *,
    careful: bool = False,
    own: Lexicon | None = None,
) -> list[Decision]:
    words = cut(source, "en")
    matcher = Matcher(own or lexicon("en", language), careful=careful)
    return matcher(DETECT(words), words, cut(target, language), links)


@pytest.mark.parametrize(
    ("source", "target", "language", "form"),
    [
        ("although it rains", "Bien qu'il pleuve", "fr", "bien que"),
        ("although it rains", "même s'il pleut", "fr", "même si"),
        ("since the start", "dall'inizio", "it", "da"),
        ("since it rains", "dal momento che piove", "it", "da momento che"),
        ("while it is true", "Das ist zwar wahr, aber neu", "de", "zwar … aber"),
        ("OBWOHL? although", "OBWOHL es regnet", "de", "obwohl"),
        ("although it rains", "en dépit du fait qu'il pleut", "fr", "en dépit de fait que"),
        ("though it rains", "malgré le fait qu&apos;il pleut", "fr", "malgré le fait que"),
        ("however, I think it rains", "J'estime cependant qu'il pleut", "fr", "cependant"),
        ("since it rains", "parce qu'il pleut", "fr", "parce que"),
        ("although it rains", "wobei es regnet", "de", "wobei"),
        ("although it rains", "es regnet aber auch dort", "de", "aber"),
        ("it has since rained", "inzwischen hat es geregnet", "de", "inzwischen"),
        ("however it rains", "cionondimeno piove", "it", "cionondimeno"),
        ("while it rains", "mentre piove", "it", "mentre"),
        ("although it rains", "برغم أنه يمطر", "ar", "برغم ان"),
        ("since it rains", "نظرا لأنها تمطر", "ar", "نظرا لان"),
        ("it does not rain yet", "لا تمطر حتى الآن", "ar", "حتي الان"),
        ("although it rains", "على الرغم من المطر", "ar", "علي الرغم من"),
        ("however it rains", "ولكنه يمطر", "ar", "لكن"),
        ("since he came", "منذ أن جاء", "ar", "منذ ان"),
    ],
)
def test_forms_of_four_languages(source: str, target: str, language: str, form: str) -> None:
    assert decide(source, target, language)[0].name == form


def test_substrings_do_not_match() -> None:
    assert decide("since 1990", "Madagascar", "fr")[0].reason is Reason.ABSENT


def test_the_papers_example_needs_alignment() -> None:
    source = "it was not so bad although we had storms"
    target = "ce n'était pas si mauvais même si nous avons eu des tempêtes"
    words = cut(target, "fr").forms
    at = words.index("même")
    found = decide(source, target, "fr", [(5, at)])[0]
    assert found.name == "même si"
    assert found.reason is Reason.ALIGNED


def test_nearest_to_the_aligned_word_then_to_the_source_place() -> None:
    source = "however we go"
    target = "aber wir gehen doch heim"
    assert decide(source, target, "de")[0].name == "aber"
    near = decide(source, target, "de", [(0, 4)])[0]
    assert (near.name, near.reason) == ("doch", Reason.NEAR_ALIGNED)


def test_each_connective_gets_its_own_words() -> None:
    source = "since 2004 and since 2005"
    target = "seit 2004 und seit 2005"
    hits = [d.hit for d in decide(source, target, "de")]
    assert [h.tokens if h else None for h in hits] == [(0,), (3,)]
    only = decide(source, "seit 2004 und 2005", "de")
    assert [d.hit is not None for d in only] == [True, False]
    assert only[1].reason is Reason.TAKEN


def test_care_rejects_what_translates_other_words() -> None:
    source = "but though it rains we go"
    target = "doch wenn es regnet gehen wir"
    links = [(0, 0), (3, 3), (2, 2)]
    assert decide(source, target, "de", links)[0].name == "doch"
    careful = decide(source, target, "de", links, careful=True)[0]
    assert careful.hit is None
    assert careful.reason is Reason.REJECTED


def test_care_lets_a_neighbour_share() -> None:
    source = "particularly since it rains"
    found = decide(source, "zumal es regnet", "de", [(0, 0), (2, 1), (3, 2)], careful=True)[0]
    assert found.name == "zumal"


def test_an_empty_translation() -> None:
    assert decide("although it rains", "", "de")[0].reason is Reason.ABSENT


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
    counts = CaseCounts((5, 3, 1, 1, 6, 4), 8.0)
    assert counts.act_a == 8 / 20
    assert counts.act_a56 == 8 / 10
    assert counts.coverage == 10 / 20


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
    p_value = found_.pop("McNemar p")
    assert isinstance(p_value, float)
    assert p_value < 0.001
    expected = {"difference": 1.0, "interval": (1, 1), "better": 40, "worse": 0, "bootstrap p": 0}
    assert found_ == expected
    same = compare(base, base)
    assert (same["difference"], same["McNemar p"], same["bootstrap p"]) == (0, 1, 1)
    with pytest.raises(InputError, match="not assessed on the same"):
        compare(base, good[:-1])
    with pytest.raises(InputError, match="no connective"):
        compare([], [])
