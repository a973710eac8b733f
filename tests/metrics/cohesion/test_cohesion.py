"""Cohesion: the paper's example, properties of the averages, and whole documents."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from fractions import Fraction as Share
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.data import read
from albeit.data.evalset import Document, EvalSet
from albeit.errors import AlbeitWarning, LanguageError, MetricError
from albeit.evaluation import score
from albeit.metrics.cohesion.cohesion import (
    NOTHING_KEPT,
    NOTHING_TO_KEEP,
    Average,
    agreement,
    chain_losses,
)
from albeit.metrics.registry import metric
from albeit.metrics.significance import compare, confidence
from tests.metrics.cohesion.table2 import REFERENCES, SYSTEM, bits, sentences

MT = bits(SYSTEM)

BY_HAND = {
    "E01": Share(1, 2) + 2 + Share(3, 4) + Share(2, 7) + Share(2, 3) + 1 + Share(2, 3) + 1,
    "E02": Share(1, 2) + 2 + Share(3, 4) + Share(2, 7) + Share(2, 3) + 1 + Share(2, 4) + 2,
    "E03": Share(1, 2) + 2 + Share(3, 4) + Share(2, 7) + Share(2, 3) + 1 + Share(2, 4) + 1,
    "E04": Share(1, 2) + 2 + Share(2, 3) + Share(2, 7) + Share(2, 3) + 1 + Share(1, 3) + 2,
}
"""Σ m'/m over the fifteen chains of the system, by hand from the paper's table."""


def test_the_papers_worked_example() -> None:
    ambassador = bits({"ambassador": "2,4"})["ambassador"]
    assert agreement({"a": MT["ambassador"]}, {"a": ambassador}, "precision") == 1 / 2


@pytest.mark.parametrize("name", REFERENCES)
def test_the_document_of_table_2_against_each_reference(name: str) -> None:
    assert len(MT) == 15
    found = agreement(MT, bits(REFERENCES[name]), "precision")
    assert found == pytest.approx(float(BY_HAND[name] / 15), abs=1e-15)


def test_averages() -> None:
    ours, theirs = {"a": 0b0111, "b": 0b0011}, {"a": 0b1110, "c": 0b1001, "d": 0b0011}
    assert agreement(ours, theirs, "recall") == pytest.approx(2 / 3 / 3)
    assert agreement(ours, theirs, "precision") == pytest.approx(2 / 3 / 2)
    assert agreement(ours, theirs, "f") == 2 * 2 / (5 + 7)


AVERAGES: tuple[Average, ...] = ("precision", "recall", "f")


@pytest.mark.parametrize("average", AVERAGES)
def test_documents_without_chains_have_named_values(average: Average) -> None:
    some = {"a": 0b11}
    assert agreement({}, {}, average) == NOTHING_TO_KEEP == 1.0
    assert agreement(some, {}, average) == NOTHING_KEPT == 0.0
    assert agreement({}, some, average) == NOTHING_KEPT


indexes = st.dictionaries(
    st.sampled_from("abcdef"), st.integers(3, 255).filter(lambda n: n & (n - 1) != 0)
)


@given(indexes, indexes, st.sampled_from(AVERAGES))
def test_scores_are_between_0_and_1_and_losses_add_up(
    ours: dict[str, int], theirs: dict[str, int], average: Average
) -> None:
    found = agreement(ours, theirs, average)
    assert 0 <= found <= 1
    assert agreement(ours, ours, average) == pytest.approx(1.0)
    if ours and theirs:
        lost = chain_losses(ours, theirs, average)
        assert sum(lost.values()) == pytest.approx(1 - found)


def one_document(
    hypothesis: Sequence[str], *references: Sequence[str], lang: str = "en"
) -> EvalSet:
    return EvalSet(
        {f"r{i}": tuple(lines) for i, lines in enumerate(references)},
        {"s": tuple(hypothesis)},
        documents=(Document("d", 0, len(hypothesis)),),
        target_lang=lang,
    )


def value(
    spec: str, hypothesis: Sequence[str], *references: Sequence[str], lang: str = "en"
) -> float:
    table = score(one_document(hypothesis, *references, lang=lang), [metric(spec)])
    return float(table.columns[str(metric(spec))].system[0])


def test_table_2_from_text_with_the_best_of_four_references() -> None:
    texts = [sentences(chains) for chains in REFERENCES.values()]
    found = value("cohesion", sentences(SYSTEM), *texts)
    assert found == pytest.approx(float(max(BY_HAND.values()) / 15), abs=1e-15)
    for text, expected in zip(texts, BY_HAND.values(), strict=True):
        alone = value("cohesion", sentences(SYSTEM), text)
        assert alone == pytest.approx(float(expected / 15), abs=1e-15)


REF = ("The dog barked loudly.", "A cat saw the dog.", "The cats slept.")


def test_inflected_forms_make_a_chain_by_stem_but_not_as_words() -> None:
    text = ("The embassies reopen.", "An embassy reopened.")
    other = ("The embassies closed.", "An embassy waited.")
    assert value("cohesion", text, other) == 0.5
    assert value("cohesion(words=word)", text, other) == 1.0  # no chains anywhere


def test_a_set_without_documents_is_refused_with_what_to_do() -> None:
    bare = EvalSet({"r": REF}, {"s": REF})
    for spec in ("cohesion", "lc", "rc", "hbleu", "hybrid(chrf)"):
        with pytest.raises(MetricError, match="--docs"):
            score(bare, [metric(spec)])


def test_single_sentences_and_empty_texts_never_crash() -> None:
    assert value("cohesion", ["A dog."], ["A dog."]) == 1.0
    assert value("cohesion", ["", ""], ["", ""]) == 1.0
    assert value("cohesion", ["", "", ""], REF) == 0.0
    assert value("lc", [""], ["A dog."]) == 0.0
    assert value("hbleu", [""], ["A dog."]) == pytest.approx(0.3 * 1.0)


def test_segments_of_several_sentences_are_matched_and_reported() -> None:
    reference = ("The dog barked. The cat saw the dog.", "The cat slept.")
    joined = ("The dog barked and the cat saw the dog.", "The cat slept.")
    with pytest.warns(AlbeitWarning, match="1 of 2 segments hold several sentences"):
        assert value("cohesion", reference, reference) == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # joined, the dog stands in one position of either text: no chain is left but the cat's
        assert value("cohesion", joined, reference) == 1.0
        swapped = ("The cat barked. The cat saw the dog.", "The dog slept.")
        assert value("cohesion", swapped, reference) == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value("cohesion(realign=no)", joined, reference) == 1.0


def test_other_languages_and_unknown_ones() -> None:
    german = ("Der Hund bellte laut.", "Die Katze sah den Hund.", "Die Katzen schliefen.")
    assert value("cohesion", german, german, lang="de") == 1.0
    chinese = ("大使馆重新开放", "大使馆关闭", "他们来了")
    assert value("cohesion", chinese, chinese, lang="zh") == 1.0
    with pytest.raises(LanguageError, match="'xx'"):
        value("cohesion", german, german, lang="xx")
    with pytest.raises(LanguageError):
        value("cohesion(words=word)", chinese, chinese, lang="zh")


def test_documents_resample_and_segments_do_not() -> None:
    documents = tuple(Document(str(i), 3 * i, 3 * i + 3) for i in range(4))
    lines = REF * 4
    worse = ("The dog barked.", "A bird saw it.", "The cats slept.") * 4
    evalset = EvalSet({"r": lines}, {"a": lines, "b": worse}, documents=documents)
    table = score(evalset, [metric("cohesion"), metric("hbleu")])
    low, high = confidence(table, resamples=20).score("cohesion", "a").interval or (0, 0)
    assert low == high == 1.0
    assert compare(table, resamples=50).p_value("hbleu", "b") < 0.5
    with pytest.raises(MetricError, match="segments cannot be resampled"):
        confidence(table, unit="segment")


TEXT = ("The dog barked at a car.", "The dogs saw an automobile.")


def test_repetition_counts_words_whose_stem_occurs_again() -> None:
    # content words: dog bark car / dog saw automobile
    assert value("rc", TEXT) == pytest.approx(2 / 6)


def test_lexical_cohesion_adds_wordnet() -> None:
    assert value("lc", TEXT) == pytest.approx(4 / 6)
    assert value("lc", ("A poodle came.", "The dog slept.")) == 2 / 4  # a poodle is a dog
    assert value("lc", ("A poodle came.", "The cat slept.")) == 0.0


def test_no_reference_is_needed_but_a_known_language_is() -> None:
    german = ("Der Hund bellte.", "Ein Hund schlief.")
    assert value("rc", german, lang="de") == pytest.approx(2 / 4)
    with pytest.raises(LanguageError, match="lc"):
        value("lc", german, lang="de")


@pytest.mark.shared
@pytest.mark.parametrize("folder", ["wmt21/is-en", "wmt13/en-de", "wmt13/en-fr", "ted-mqm/zh-en"])
def test_a_reference_scores_1_and_systems_less(shared_data: Path, folder: str) -> None:
    whole = read(shared_data / folder)
    name, reference = next(iter(whole.references.items()))
    system, lines = next(iter(whole.systems.items()))
    evalset = whole.select(references=[name]).with_systems({"people": reference, system: lines})
    specs = ["cohesion", "cohesion(average=recall)", "cohesion(average=f)"]
    table = score(evalset, [metric(spec) for spec in specs])
    for column in table.columns.values():
        people, machine = column.at("document")
        assert people == pytest.approx(1.0)
        assert ((machine >= 0) & (machine <= 1)).all()
        assert 0.3 < np.mean(machine) < 0.95
