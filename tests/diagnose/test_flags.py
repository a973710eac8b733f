import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.data.evalset import Document, EvalSet
from albeit.diagnose.candidates import PRONOUNS, TERMS, Candidate
from albeit.diagnose.check import Finding
from albeit.diagnose.evidence import by_context, by_rules, describe, gather, replace_in
from albeit.diagnose.flags import Flag, candidates, flags, model_of, only_in, rates, why_none
from albeit.errors import InputError
from albeit.metrics.judge import cloze
from albeit.metrics.judge.cloze import CLASSES, Hidden
from albeit.report.findings import write_errors

REFERENCE = ("The queen spoke.", "Then she left the old house.", "The house was empty.")
SYSTEMS: dict[str, tuple[str, ...]] = {
    "good": REFERENCE,
    "bad": ("The queen spoke.", "Then he left the old house.", "The house was empty."),
    "other": ("The queen talked.", "She then left the old house.", "The house was empty."),
}
SOURCE = ("女王讲话了。", "然后她离开了老房子。", "房子空了。")


def made(systems: dict[str, tuple[str, ...]] = SYSTEMS) -> EvalSet:
    references = {"ref": REFERENCE, "ref2": REFERENCE}
    return EvalSet(references, systems, SOURCE, (Document("d", 0, 3),), "zh", "en", "little")


def test_a_likely_fault_says_where_what_why_and_what_instead() -> None:
    [flag] = flags(made())
    assert (flag.likely, flag.system, flag.document) == (True, "bad", "d")
    assert (flag.finding.place, flag.finding.suggestion) == ((2, 5, 7), "she")
    evidence = dict(flag.finding.evidence)
    assert evidence["source"] == "the source supports what is suggested"
    assert evidence["systems"] == "all other systems have what is suggested"
    assert evidence["references"] == "all other references have what is suggested"
    [alone] = flags(made({"bad": SYSTEMS["bad"]}))
    assert "systems" not in dict(alone.finding.evidence)
    [less], [none] = (flags(made(), gatherers=some) for some in ([by_rules], []))
    assert none.finding.probability <= less.finding.probability <= flag.finding.probability


def test_nothing_is_flagged_without_a_reference_or_out_of_english() -> None:
    evalset = made()
    bare = EvalSet({}, evalset.systems, SOURCE, evalset.documents, "zh", "en", "bare")
    german = EvalSet(evalset.references, evalset.systems, None, evalset.documents, "en", "de", "g")
    for one in (bare, german):
        assert why_none(one)
        assert flags(one) == []


@pytest.mark.parametrize(("lang", "side"), [("de", 1.0), ("hu", None)])
def test_a_source_that_repeats_a_word_as_the_reference_does(lang: str, side: float | None) -> None:
    reference = ("A tanker sank.", "The tanker is new.", "The tanker is red.")
    system = (*reference[:2], "The wagon is red.")
    source = ("Ein Tanker sank.", "Der Tanker ist neu.", "Der Tanker ist rot.")
    documents = (Document("d", 0, 3),)
    evalset = EvalSet({"r": reference}, {"s": system}, source, documents, lang, "en")
    [one] = candidates(evalset, [TERMS])
    assert by_rules([one], evalset)[0]["source"] == side


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=2), st.floats(0, 2))
def test_more_evidence_never_makes_a_fault_less_likely(values: list[float], more: float) -> None:
    for kind in (PRONOUNS, TERMS):
        model = model_of(kind)
        names = list(model.weights)[:2]
        low = dict(zip(names, values, strict=True))
        assert model(low) <= model({name: value + more for name, value in low.items()})


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
    assert (of["good"].count, of["good"].per_thousand, of["bad"].count) == (0, 0, 1)
    assert of["bad"].per_thousand == pytest.approx(1000 / words)
    assert of["bad"].interval[0] <= of["bad"].per_thousand <= of["bad"].interval[1]


def test_export(tmp_path: Path) -> None:
    write_errors(tmp_path / "faults.jsonl", [flag("b", 2, 0.9)])
    assert json.loads((tmp_path / "faults.jsonl").read_text())["suggestion"] == "she"
    with pytest.raises(InputError, match=r"\.tsv or \.jsonl"):
        write_errors(tmp_path / "faults.csv", [])


def one_of(kind: str, text: tuple[str, ...], reference: tuple[str, ...]) -> Candidate:
    evalset = EvalSet({"ref": reference}, {"bad": text}, None, (Document("d", 0, len(text)),))
    [found] = candidates(evalset, [kind])
    return found


def test_what_is_put_in_the_place_of_another_word() -> None:
    text = ("The tanker is new.", "A tanker is long.", "The wagon is red.")
    reference = ("The tanker is new.", "A tanker is long.", "The tanker is red.")
    one = one_of(TERMS, text, reference)
    assert replace_in("Tanker is red.", one, text[2]) == "Wagon is red."
    own = "Then he left."
    one = one_of(PRONOUNS, (own,), ("Then she left.",))
    assert replace_in("Then the queen left.", one, own) is None
    assert replace_in("Then he left.", one, own) is None


class Guesser:
    """Predicts *she* with probability 0.8 in place of *he*."""

    def read(self, wanted: Sequence[Hidden]) -> list[np.ndarray]:
        said = {"she": 0.8, "it": 0.1, "he": 0.1}
        row = np.log([max(said.get(name, 0.0), 1e-12) for name in CLASSES])
        hidden = [one.words[start:stop] for one in wanted for start, stop in one.runs]
        assert hidden[:1] in ([], [("he",)])
        return [np.tile(row, (len(one.runs), 1)) for one in wanted]


def test_log_odds_of_the_suggestion_in_context(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cloze, "load_cloze", Guesser)
    monkeypatch.setattr(cloze, "is_installed", lambda: True)
    found = candidates(made(), [PRONOUNS])
    assert by_context(found, made()) == [{"fits": pytest.approx(math.log(8))}]
    monkeypatch.setattr(cloze, "is_installed", lambda: False)
    assert by_context(found, made()) == [{"fits": None}]


def test_networks_are_asked_only_for_what_a_model_weighs() -> None:
    evalset = made()
    found = candidates(evalset, [PRONOUNS])
    [less] = gather(found, evalset, weighted=lambda kind: {"exchange"})
    [full] = gather(found, evalset, weighted=lambda kind: {"gain"})
    assert set(by_rules(found, evalset)[0]) == set(less)
    assert set(full) - set(less) == {"gain", "harm", "mark", "major"}
    assert (full["gain"] or 0.0) > 0


def test_every_piece_of_evidence_has_words() -> None:
    evalset = made()
    [pieces] = gather(candidates(evalset, [PRONOUNS]), evalset)
    assert len(describe(pieces)) == sum(value is not None for value in pieces.values())


def excused(
    text: str, reference: str, *others: str, source: str = "", before: tuple[str, str] = ("", "")
) -> bool:
    references = {str(n): (before[1], line) for n, line in enumerate((reference, *others))}
    systems = {"s": (before[0], text)}
    documents = (Document("d", 0, 2),)
    source_lang = "zh" if source else "he"
    return not candidates(EvalSet(references, systems, ("", source), documents, source_lang))


def test_what_is_no_error_for_an_editor() -> None:
    they, he = "Someone left their bag.", "Someone left his bag."
    assert excused(he, they)  # they: one person of any sex
    assert excused(they, he)
    assert not excused(he, they, source="他们的包")  # the source has more than one
    assert excused("You must win.", "He must win.")
    assert excused("I never knew.", "He never knew.", source="我不知道")
    assert not excused("I never knew.", "He never knew.", source="不知道")
    assert not excused("Then he left.", "Then she left.")
    assert excused("Then he left.", "Then she left.", "Then he left.")  # another reference
    both = "He came.", "He came."
    assert excused("Then he left.", "Then she left.", before=both)  # the reference has both
    assert not excused("Then he left.", "Then she left.", before=both, source="她走了")


def test_a_term_that_any_reference_has_is_no_error() -> None:
    lines = ("A tanker sank.", "The tanker is new.", "The tanker is red.")
    system = (*lines[:2], "The wagon is red.")
    documents = (Document("d", 0, 3),)
    one = EvalSet({"a": lines}, {"s": system}, documents=documents)
    two = EvalSet({"a": lines, "b": system}, {"s": system}, documents=documents)
    assert [len(candidates(each)) for each in (one, two)] == [1, 0]


def test_progress_ends_with_the_last_candidates() -> None:
    seen: list[tuple[int, int]] = []
    flags(made(), gatherers=[], progress=lambda *step: seen.append(step))
    assert seen == [(0, 1)]
