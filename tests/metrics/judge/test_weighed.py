"""The judges of sixteen languages: what must score high and low, alone and in company."""

from __future__ import annotations

import json

import numpy as np
import pytest

from albeit import score
from albeit.annotate import multilingual as weights
from albeit.annotate.multilingual.states import read_texts
from albeit.corpus.evalset import EvalSet
from albeit.errors import LanguageError, MetricError, MissingExtraError
from albeit.metrics.judge.facts import (
    BESIDE_REFERENCE,
    BESIDE_SOURCE,
    beside_reference,
    beside_source,
)
from albeit.metrics.judge.weighed import FITTED
from albeit.metrics.registry import metric

SOURCE = (
    "The bridge was closed for three days because cracks were found.",
    "He paid 25 euros.",
    "",
)
REFERENCE = (
    "Die Brücke war drei Tage lang gesperrt, weil Risse gefunden wurden.",
    "Er zahlte 25 Euro.",
    "",
)
SYSTEMS = {
    "copy": REFERENCE,
    "good": ("Drei Tage war die Brücke zu, weil man Risse fand.", "Er hat 25 Euro gezahlt.", ""),
    "poor": ("Die Brücke Brücke Brücke war.", "Er zahlte.", "x"),
    "other": ("Heute scheint die Sonne über dem See.", "Katzen schlafen viel.", ""),
    "empty": ("", "\u200f", ""),
}


def german(source_lang: str | None = "en", **changes: object) -> EvalSet:
    given = {"references": {"ref": REFERENCE}, "systems": SYSTEMS, "source": SOURCE}
    return EvalSet(**(given | changes), source_lang=source_lang, target_lang="de")  # type: ignore[arg-type]


def scores(name: str, evalset: EvalSet | None = None) -> np.ndarray:
    return score(evalset or german(), metrics=[name])[name].at("segment")


def test_better_translations_score_higher_beside_a_reference() -> None:
    found = scores("judge-facts")
    assert found[0, 0] > found[1, 0] > found[2, 0] > found[4, 0] == 0
    assert found[1, 0] > found[3, 0] > 0
    assert found[0, 1] == found[:, 1].max()
    assert found[4, 1] == 0
    assert found[0, 2] == 100
    assert found[2, 2] == 0


def test_what_is_said_twice_or_left_out_scores_lower_beside_a_source() -> None:
    found = scores("judge-src")
    assert found[1, 0] > found[2, 0] > found[4, 0] == 0
    assert found[0, 2] == 100


def test_a_score_is_the_same_in_any_company() -> None:
    for name in ("judge-facts", "judge-src"):
        alone = german(systems={"good": SYSTEMS["good"]})
        assert np.array_equal(scores(name, alone)[0], scores(name)[1])


def test_no_reference_is_read_without_one() -> None:
    assert np.array_equal(scores("judge-src", german(references={})), scores("judge-src"))


def test_facts_have_their_names_and_stay_small() -> None:
    ours, theirs, source = read_texts([SYSTEMS["good"][0], REFERENCE[0], SOURCE[0]])
    for names, facts in (
        (BESIDE_REFERENCE, beside_reference(ours, theirs, 50.0)),
        (BESIDE_SOURCE, beside_source(ours, source)),
    ):
        assert len(names) == len(facts)
        assert np.isfinite(facts).all()
        assert max(map(abs, facts)) <= 2
    fitted = json.loads(FITTED.read_text(encoding="utf-8"))
    assert tuple(fitted["judge-facts"]["weights"]) == BESIDE_REFERENCE
    assert tuple(fitted["judge-src"]["weights"]) == BESIDE_SOURCE


def test_vowel_signs_and_marks_of_direction_change_no_score() -> None:
    plain, signs, marks = "كتب الولد رسالة", "كَتَبَ الوَلَدُ رِسالَةً", "\u200fكتب الولد رسالة\u200e"
    source = ("The boy wrote a letter",)
    systems = {"plain": (plain,), "signs": (signs,), "marks": (marks,)}
    evalset = EvalSet(
        {"ref": ("كتب الولد خطابا",)}, systems, source, source_lang="en", target_lang="ar"
    )
    for name in ("judge-facts", "judge-src", "sim"):
        assert len(set(scores(name, evalset)[:, 0])) == 1


def test_a_copy_is_met_in_full() -> None:
    (one,) = read_texts([REFERENCE[0]])
    facts = dict(zip(BESIDE_REFERENCE, beside_reference(one, one, 100.0), strict=True))
    assert facts["same recall"] == 1
    assert facts["precision"] == pytest.approx(1, abs=1e-3)
    assert facts["longer"] == facts["shorter"] == 0


@pytest.mark.parametrize(
    ("evalset", "name", "error", "message"),
    [
        (german("cs"), "judge-src", LanguageError, "cannot read a source in 'cs'"),
        (german(None), "judge-src", LanguageError, "Give --source-lang"),
        (german(source=None), "judge-src", MetricError, "needs the source text"),
    ],
)
def test_what_cannot_be_read_is_refused(
    evalset: EvalSet, name: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        score(evalset, metrics=[name])


def test_a_language_that_nobody_learned_is_refused() -> None:
    swahili = EvalSet({"ref": ("Habari",)}, {"a": ("Habari",)}, target_lang="sw")
    with pytest.raises(LanguageError, match="judge-facts cannot score translations into 'sw'"):
        score(swahili, metrics=["judge-facts"])


def test_without_the_extra_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    weights.files.cache_clear()
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"albeit\[multilingual\]"):
        score(german(), metrics=["judge-facts"])
    weights.files.cache_clear()


def test_the_signature_names_encoder_and_weights() -> None:
    said = str(metric("judge-facts").signature())
    assert weights.VERSION in said
    assert "weights:" in said
