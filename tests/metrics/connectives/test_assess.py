"""Matching, cases, counts, comparisons of systems, and annotation sheets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.data.evalset import EvalSet
from albeit.errors import InputError
from albeit.metrics.connectives import Form, Hit, SenseTest, SourceConnective, cut, scores
from albeit.metrics.connectives.act import Act, make_assessor
from albeit.metrics.connectives.assess import Case, Decision, Reason, Verdict
from albeit.report.act import assess

Links = list[tuple[int, int]]


def decide(
    source: str, target: str, language: str, links: Links | None = None, *, careful: bool = False
) -> list[Decision]:
    assessor = make_assessor(("en", language), "careful" if careful else "classic")
    return assessor.decide(assessor.connectives(source), source, target, links or ())


@pytest.mark.parametrize(
    ("source", "target", "language", "form"),
    [
        ("although it rains", "même s'il pleut", "fr", "même si"),
        ("since it rains", "dal momento che piove", "it", "da momento che"),
        ("while it is true", "Das ist zwar wahr, aber neu", "de", "zwar … aber"),
        ("although it rains", "en dépit du fait qu'il pleut", "fr", "en dépit de fait que"),
        ("however, I think it rains", "J'estime cependant qu'il pleut", "fr", "cependant"),
        ("although it rains", "es regnet aber auch dort", "de", "aber"),
        ("it does not rain yet", "لا تمطر حتى الآن", "ar", "حتي الان"),
        ("however it rains", "ولكنه يمطر", "ar", "لكن"),
    ],
)
def test_forms_of_four_languages(source: str, target: str, language: str, form: str) -> None:
    assert decide(source, target, language)[0].name == form


def test_classic_has_no_doubtful_translations() -> None:
    source, target = "since 1990", "dès 1990"  # doubtful: chance explains the pairs of Europarl
    assert decide(source, target, "fr")[0].reason is Reason.ABSENT
    assert decide(source, target, "fr", careful=True)[0].name == "dès"


def test_alignment_decides_then_the_nearest() -> None:
    # the paper's example: "si" is also before "mauvais"
    source = "it was not so bad although we had storms"
    target = "ce n'était pas si mauvais même si nous avons eu des tempêtes"
    found = decide(source, target, "fr", [(5, cut(target, "fr").forms.index("même"))])[0]
    assert (found.name, found.reason) == ("même si", Reason.ALIGNED)
    source, target = "however we go", "aber wir gehen doch heim"
    assert decide(source, target, "de")[0].name == "aber"
    near = decide(source, target, "de", [(0, 4)])[0]
    assert (near.name, near.reason) == ("doch", Reason.NEAR_ALIGNED)
    for nothing in ("", "Madagascar"):
        assert decide("since 1990", nothing, "fr")[0].reason is Reason.ABSENT


def test_each_connective_gets_its_own_words() -> None:
    source = "since 2004 and since 2005"
    hits = [d.hit for d in decide(source, "seit 2004 und seit 2005", "de")]
    assert [h.tokens if h else None for h in hits] == [(0,), (3,)]
    only = decide(source, "seit 2004 und 2005", "de")
    assert only[0].hit is not None
    assert (only[1].hit, only[1].reason) == (None, Reason.TAKEN)


def test_care_rejects_what_translates_other_words() -> None:
    source, target = "but though it rains we go", "doch wenn es regnet gehen wir"
    links = [(0, 0), (3, 3), (2, 2)]
    assert decide(source, target, "de", links)[0].name == "doch"
    careful = decide(source, target, "de", links, careful=True)[0]
    assert (careful.hit, careful.reason) == (None, Reason.REJECTED)
    links = [(0, 0), (2, 1), (3, 2)]  # a neighbor may share the translation
    shared = decide("particularly since it rains", "zumal es regnet", "de", links, careful=True)
    assert shared[0].name == "zumal"


def found(form: str) -> Decision:
    if not form:
        return Decision(None, Reason.ABSENT)
    return Decision(Hit(Form.parse(form, "de"), (0,)), Reason.ONLY)


def verdict(line: int, case: Case, name: str = "since", ref: str = "", cand: str = "") -> Verdict:
    credit = float(case in (Case.SAME, Case.SYNONYM))
    at = SourceConnective(name, (0,))
    return Verdict(line, at, case, credit, 0, found(ref), found(cand))


@pytest.mark.parametrize(
    ("source", "references", "cand", "test", "case"),
    [
        ("since", ["seit"], "seit", "compatible", Case.SAME),
        ("since", ["seit"], "seitdem", "compatible", Case.SYNONYM),
        ("since", ["seit"], "da", "compatible", Case.INCOMPATIBLE),
        ("since", ["seit"], "", "compatible", Case.ONLY_REFERENCE),
        ("since", [""], "seit", "compatible", Case.ONLY_CANDIDATE),
        ("since", [""], "", "compatible", Case.NEITHER),
        ("since", ["", "seit"], "seitdem", "compatible", Case.SYNONYM),
        ("however", ["jedoch"], "allerdings", "compatible", Case.SYNONYM),
        ("however", ["jedoch"], "allerdings", "covering", Case.INCOMPATIBLE),
        ("however", ["allerdings"], "jedoch", "covering", Case.SYNONYM),
    ],
)
def test_the_six_cases(
    source: str, references: list[str], cand: str, test: SenseTest, case: Case
) -> None:
    assessor = make_assessor(("en", "de"), sense=test)
    connective = SourceConnective(source, (0,))
    (judged,) = assessor.judge(0, [connective], [[found(r)] for r in references], [found(cand)])
    assert (judged.case, judged.reference) == (case, len(references) - 1)


def test_counts_and_groups() -> None:
    counts = scores.CaseCounts((5, 3, 1, 1, 6, 4), 8.0)
    assert (counts.act_a, counts.act_a56, counts.coverage) == (8 / 20, 8 / 10, 10 / 20)
    empty = scores.CaseCounts.of([])
    assert np.isnan([empty.act_a, empty.act_a56]).all()
    verdicts = [
        verdict(0, Case.SAME, "yet", "seit", "seit"),
        verdict(1, Case.INCOMPATIBLE, "since", "da", "seit"),
        verdict(2, Case.ONLY_CANDIDATE, "since", "", "doch"),
    ]
    groups = scores.group_counts(verdicts, lambda one: one.connective.name)
    assert [(name, each.total) for name, each in groups.items()] == [("since", 2), ("yet", 1)]
    assert scores.confusion(verdicts)["since", "da", "seit"] == 1


@given(st.integers(1, 500), st.data())
def test_wilson_holds_the_share(total: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, total))
    low, high = scores.wilson(hits, total)
    assert 0 <= low <= hits / total <= high <= 1 or hits in (0, total)


def test_statistics_by_hand() -> None:
    assert scores.wilson(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert scores.wilson(0, 0) == (0.0, 1.0)
    assert scores.mcnemar(0, 0) == scores.mcnemar(3, 3) == 1
    assert scores.mcnemar(0, 10) == pytest.approx(2 / 1024)
    assert [scores.kappa([True, one], [True, one]) for one in (True, False)] == [1, 1]
    assert scores.kappa([True, False], [False, True]) == -1
    assert np.isnan(scores.kappa([], []))


def test_compare() -> None:
    base = [verdict(n, Case.ONLY_REFERENCE) for n in range(40)]
    good = [verdict(n, Case.SAME) for n in range(40)]
    found_ = scores.compare(base, good)
    assert found_.pop("McNemar p") == pytest.approx(0, abs=0.001)
    expected = {"difference": 1.0, "interval": (1, 1), "better": 40, "worse": 0, "bootstrap p": 0}
    assert found_ == expected
    same = scores.compare(base, base)
    assert (same["difference"], same["McNemar p"], same["bootstrap p"]) == (0, 1, 1)
    with pytest.raises(InputError, match="not assessed on the same"):
        scores.compare(base, good[:-1])
    with pytest.raises(InputError, match="no connective"):
        scores.compare([], [])


@pytest.fixture
def sheet(evalset: EvalSet) -> str:
    """Of cases 5 and 6."""
    lines = ("Es regnet.", "Nichts.", "Er wartet.", "Es regnet, wir bleiben.")
    texts = replace(evalset, references={"ref": lines}, documents=())
    assessed = assess(texts, Act(alignment="no"))
    chosen = scores.instances(assessed)
    assert {one.case for one in chosen} == {5, 6}
    assert scores.instances(assessed, [Case.ONLY_REFERENCE]) == []
    assert "[[Although]]" in chosen[0].source
    return scores.write_tsv(assessed, chosen)


def answered(text: str, answers: list[str]) -> str:
    lines = text.splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("id\t")) + 1
    for n, answer in enumerate(answers):
        lines[first + n] += answer
    return "\n".join(lines) + "\n"


def test_merge_gives_act_m_bounds_and_kappa(sheet: str, tmp_path: Path) -> None:
    paths = [tmp_path / "anna.tsv", tmp_path / "ben.tsv"]
    paths[0].write_text(answered(sheet, ["correct", "correct", "wrong", "correct", "wrong"]))
    paths[1].write_text(answered(sheet, ["correct", "wrong", "wrong", "correct"]))
    sheets = [scores.read_sheet(path) for path in paths]
    good, bad = scores.merge(sheets)
    assert [*good.values()] == ["good", 0, 0.5, 0.5, 0.75, 3, 1]  # one draw stays open
    assert [*bad.values()] == ["bad", 0, 0, 0, 0.75, 1, 3]
    (pair,) = scores.agreement(sheets)
    assert [*pair.values()][2:] == [4, 0.75, pytest.approx(0.5)]


def test_the_same_answers_are_not_taken_twice(sheet: str, tmp_path: Path) -> None:
    anna, link, ben = (tmp_path / name for name in ("anna.tsv", "link.tsv", "ben.tsv"))
    anna.write_text("#: rater=Anna\n" + sheet)
    link.symlink_to(anna)
    with pytest.raises(InputError, match="is given twice"):
        scores.merge([scores.read_sheet(anna), scores.read_sheet(link)])
    for rater, text, message in (
        ("anna", sheet, "as .* does"),
        ("Ben", sheet.replace("total=4", "total=5"), "other systems or scores"),
    ):
        ben.write_text(f"#: rater={rater}\n{text}")
        with pytest.raises(InputError, match=message):
            scores.merge([scores.read_sheet(anna), scores.read_sheet(ben)])
    ben.write_text("#: rater=Ben\n" + sheet)
    (pair,) = scores.agreement([scores.read_sheet(anna), scores.read_sheet(ben)])
    assert (pair["first"], pair["second"]) == ("Anna", "Ben")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("id\tsystem", "key\tsystem"), "s.tsv:4: the columns id and verdict"),
        (("#:", "#"), "is not a sheet"),
        (("total=4", "total=four"), "s.tsv:2: cannot read the counts"),
        (("total=4", "sum=4"), "s.tsv:2: cannot read the counts"),
        (("gehen wir aus.\t", "gehen wir aus.\tmaybe"), "s.tsv:5: 'maybe' is not a verdict"),
        (("good:3:4", "good:1:1"), "s.tsv:6: good:1:1 is there twice"),
        (("gehen wir aus.\t", "gehen wir aus."), "s.tsv:5: 8 cells under 9 columns"),
    ],
)
def test_bad_sheets(sheet: str, tmp_path: Path, change: tuple[str, str], message: str) -> None:
    path = tmp_path / "s.tsv"
    path.write_text(sheet.replace(*change))
    with pytest.raises(InputError, match=message):
        scores.read_sheet(path)
