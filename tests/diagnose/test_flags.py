import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.data.evalset import Document, EvalSet
from albeit.diagnose.evidence import (
    WORDS,
    by_rules,
    by_the_judge,
    gather,
    in_words,
    other_references,
    other_systems,
)
from albeit.diagnose.finding import Finding
from albeit.diagnose.flag import TRUSTED, Flag, flags, only_in, rates, suspects, why_none
from albeit.diagnose.model import Model, Weight, model_of
from albeit.diagnose.source import repeated_in_source, side_of_source
from albeit.diagnose.suspect import CONNECTIVES, PRONOUNS, TERMS
from albeit.errors import InputError
from albeit.report.findings import COLUMNS, write_errors

REFERENCE = ("The queen spoke.", "Then she left the old house.", "The house was empty.")
SYSTEMS: dict[str, tuple[str, ...]] = {
    "good": REFERENCE,
    "bad": ("The queen spoke.", "Then he left the old house.", "The house was empty."),
    "other": ("The queen talked.", "She then left the old house.", "The house was empty."),
}
SOURCE = ("女王讲话了。", "然后她离开了老房子。", "房子空了。")


def made(systems: dict[str, tuple[str, ...]] = SYSTEMS) -> EvalSet:
    return EvalSet(
        {"ref": REFERENCE, "ref2": REFERENCE},
        systems,
        SOURCE,
        (Document("d", 0, 3),),
        "zh",
        "en",
        "little",
    )


def test_the_one_exchanged_pronoun_is_found_with_its_company_and_its_source() -> None:
    evalset = made()
    [one] = suspects(evalset, [PRONOUNS])
    assert (one.system, one.line, one.said, one.wanted) == ("bad", 1, "he", "she")
    assert other_systems(one, evalset) == other_references(one, evalset) == 1.0
    assert side_of_source(one, evalset) == 1.0


def test_alone_a_system_has_no_company() -> None:
    evalset = made({"bad": SYSTEMS["bad"]})
    [one] = suspects(evalset, [PRONOUNS])
    assert other_systems(one, evalset) is None


def test_a_likely_fault_says_where_what_why_and_what_instead() -> None:
    [flag] = flags(made())
    assert flag.likely
    assert flag.system == "bad"
    assert flag.document == "d"
    assert flag.finding.place == (2, 5, 7)
    assert flag.finding.suggestion == "she"
    assert {"place", "systems", "source", "exchange"} <= dict(flag.finding.evidence).keys()


def test_without_the_judge_there_is_less_evidence_and_no_higher_probability() -> None:
    [full] = flags(made())
    [less] = flags(made(), gatherers=[by_rules])
    [none] = flags(made(), gatherers=[])
    assert none.finding.probability <= less.finding.probability <= full.finding.probability


def test_mending_makes_a_wrong_line_better_by_the_judge() -> None:
    evalset = made()
    [pieces] = by_the_judge(suspects(evalset, [PRONOUNS]), evalset)
    assert pieces["gain"] is not None
    assert pieces["gain"] > 0


def test_networks_are_asked_only_for_what_a_model_weighs() -> None:
    evalset = made()
    found = suspects(evalset, [PRONOUNS])
    [less] = gather(found, evalset, weighed=lambda kind: {"exchange"})
    [full] = gather(found, evalset, weighed=lambda kind: {"gain"})
    assert set(by_rules(found, evalset)[0]) == set(less)
    assert set(full) - set(less) == {"gain", "harm", "mark", "major"}


def test_every_piece_of_evidence_has_words() -> None:
    evalset = made()
    [pieces] = gather(suspects(evalset, [PRONOUNS]), evalset)
    assert set(pieces) <= set(WORDS)
    assert len(in_words(pieces)) == sum(value is not None for value in pieces.values())


def test_nothing_is_flagged_without_a_reference_or_out_of_english() -> None:
    evalset = made()
    bare = EvalSet({}, evalset.systems, SOURCE, evalset.documents, "zh", "en", "bare")
    german = EvalSet(evalset.references, evalset.systems, None, evalset.documents, "en", "de", "g")
    for one in (bare, german):
        assert why_none(one)
        assert flags(one) == []


def test_a_source_that_repeats_a_word_where_the_reference_does() -> None:
    lines = ["eine Brücke", "die Brücke dort"], ["a bridge", "the bridge there"]
    assert repeated_in_source("bridg", 1, *lines, "de") == 1.0
    assert repeated_in_source("bridg", 1, *lines, "hu") is None


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=2), st.floats(0, 2))
def test_more_evidence_never_makes_a_fault_less_likely(values: list[float], more: float) -> None:
    for kind in (PRONOUNS, TERMS, CONNECTIVES):
        model = model_of(kind)
        names = list(model.weights)[:2]
        low = dict(zip(names, values, strict=True))
        assert model(low) <= model({name: value + more for name, value in low.items()})


def test_missing_evidence_counts_as_little() -> None:
    model = Model(0.0, {"gain": Weight(1.0, -1.0, 1.0, -1.0)})
    assert model({}) == model({"gain": None}) == model({"gain": -5.0}) < model({"gain": 0.0})


def flag(system: str, line: int, p: float, suggestion: str = "she") -> Flag:
    return Flag(system, "d", Finding(PRONOUNS, line, 0, 2, "he here", p, suggestion))


def test_what_one_system_has_and_another_has_not() -> None:
    found = [flag("b", 1, 0.6), flag("b", 2, 0.9), flag("b", 3, 0.4), flag("a", 1, 0.7)]
    assert [one.finding.line for one in only_in(found, "b", "a")] == [2]
    assert only_in(found, "a", "b") == []


def test_rates_count_likely_faults_per_thousand_words() -> None:
    evalset = made()
    of = dict(zip(evalset.systems, rates(flags(evalset), evalset), strict=True))
    words = sum(len(line.split()) for line in SYSTEMS["bad"])
    assert of["good"].count == 0
    assert of["good"].per_thousand == 0
    assert of["bad"].count == 1
    assert of["bad"].per_thousand == pytest.approx(1000 / words)
    assert of["bad"].interval[0] <= of["bad"].per_thousand <= of["bad"].interval[1]


def test_export_has_a_line_per_fault(tmp_path: Path) -> None:
    found = [flag("b", 2, 0.9)]
    write_errors(tmp_path / "faults.tsv", found)
    assert (tmp_path / "faults.tsv").read_text().splitlines()[0].split("\t") == list(COLUMNS)
    write_errors(tmp_path / "faults.jsonl", found)
    assert json.loads((tmp_path / "faults.jsonl").read_text())["suggestion"] == "she"
    with pytest.raises(InputError, match=r"\.tsv or \.jsonl"):
        write_errors(tmp_path / "faults.csv", found)


def test_only_kinds_that_were_read_and_found_right_are_trusted() -> None:
    assert CONNECTIVES not in TRUSTED
    assert {one.finding.kind for one in flags(made())} <= set(TRUSTED)
