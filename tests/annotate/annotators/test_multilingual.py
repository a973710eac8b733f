"""The annotator of sixteen languages, as metrics and commands see it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from albeit import score
from albeit.annotate import annotate, multilingual
from albeit.annotate.annotators import find
from albeit.annotate.annotators.english import ENGLISH
from albeit.annotate.annotators.multilingual import MULTILINGUAL
from albeit.annotate.layers import SENTENCES, TOKENS, VECTORS
from albeit.corpus import EvalSet
from albeit.errors import LanguageError, MissingExtraError

GERMAN = "Herr Dr. Müller kam am 3. Mai. Er blieb nicht lange!"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path))


def test_it_is_found_for_its_languages_and_english_stays_with_its_own() -> None:
    assert find(frozenset({VECTORS}), "de") is MULTILINGUAL
    assert find(frozenset({VECTORS}), "zh-Hant") is MULTILINGUAL
    assert find(frozenset({VECTORS}), "en") is ENGLISH
    with pytest.raises(LanguageError, match="no vectors for 'sw'"):
        find(frozenset({VECTORS}), "sw")


def test_sentences_and_vectors_point_into_the_same_words() -> None:
    found = annotate([GERMAN], frozenset({SENTENCES, VECTORS}), "de")[GERMAN]
    forms = found[TOKENS].forms
    assert [forms[a] for a, _ in found[SENTENCES]] == ["Herr", "Er"]
    assert found[SENTENCES][-1][1] == len(forms)
    assert set(found[VECTORS].words.tolist()) <= set(range(len(forms)))


def test_what_is_read_from_the_cache_is_what_was_made() -> None:
    layers = frozenset({SENTENCES, VECTORS})
    first, second = (annotate([GERMAN, "", "\u200f"], layers, "de") for _ in range(2))
    for text in first:
        assert np.array_equal(first[text][VECTORS].rows, second[text][VECTORS].rows)
        assert first[text][SENTENCES] == second[text][SENTENCES]
    assert not len(first["\u200f"][VECTORS].rows)
    assert first["\u200f"][SENTENCES] == ()


def test_the_signature_names_weights_and_dictionaries() -> None:
    assert MULTILINGUAL.version.startswith(f"{multilingual.VERSION}-icu")
    german = EvalSet({"ref": (GERMAN,)}, {"a": ("Müller kam.",)}, target_lang="de")
    said = str(score(german, metrics=["sim"])["sim"].signature)
    assert f"annotator:{MULTILINGUAL.version}-de" in said
    assert ENGLISH.version not in said


def test_it_is_refused_before_work_where_the_extra_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    multilingual.files.cache_clear()
    monkeypatch.setattr(multilingual, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"albeit\[multilingual\]"):
        find(frozenset({VECTORS}), "de")
    multilingual.files.cache_clear()
