"""Cohesion, repetition, and hybrids: the paper's example, averages, and whole documents."""

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
from albeit.errors import AlbeitWarning, LanguageError
from albeit.evaluation import score
from albeit.metrics.cohesion import (
    NOTHING_KEPT,
    NOTHING_TO_KEEP,
    Average,
    agreement,
    chain_losses,
)
from albeit.metrics.registry import metric
from tests.metrics.cohesion.table2 import REFERENCES, SYSTEM, bits, sentences

BY_HAND = {
    "E01": Share(1, 2) + 2 + Share(3, 4) + Share(2, 7) + Share(2, 3) + 1 + Share(2, 3) + 1,
    "E02": Share(1, 2) + 2 + Share(3, 4) + Share(2, 7) + Share(2, 3) + 1 + Share(2, 4) + 2,
    "E03": Share(1, 2) + 2 + Share(3, 4) + Share(2, 7) + Share(2, 3) + 1 + Share(2, 4) + 1,
    "E04": Share(1, 2) + 2 + Share(2, 3) + Share(2, 7) + Share(2, 3) + 1 + Share(1, 3) + 2,
}
"""Σ m'/m over the fifteen chains of the system, by hand from the paper's table."""
AVERAGES: tuple[Average, ...] = ("precision", "recall", "f")


@pytest.mark.parametrize("name", REFERENCES)
def test_the_document_of_table_2_against_each_reference(name: str) -> None:
    found = agreement(bits(SYSTEM), bits(REFERENCES[name]), "precision")
    assert found == pytest.approx(float(BY_HAND[name] / 15), abs=1e-15)


def test_averages() -> None:
    ours, theirs = {"a": 0b0111, "b": 0b0011}, {"a": 0b1110, "c": 0b1001, "d": 0b0011}
    assert agreement(ours, theirs, "recall") == pytest.approx(2 / 3 / 3)
    assert agreement(ours, theirs, "precision") == pytest.approx(2 / 3 / 2)
    assert agreement(ours, theirs, "f") == 2 * 2 / (5 + 7)
    for average in AVERAGES:
        assert agreement({}, {}, average) == NOTHING_TO_KEEP == 1.0
        assert agreement(ours, {}, average) == agreement({}, ours, average) == NOTHING_KEPT == 0


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


def value(
    spec: str, hypothesis: Sequence[str], *references: Sequence[str], lang: str = "en"
) -> float:
    """The score of one document."""
    texts = {f"r{i}": tuple(lines) for i, lines in enumerate(references)}
    documents = (Document("d", 0, len(hypothesis)),)
    evalset = EvalSet(texts, {"s": tuple(hypothesis)}, documents=documents, target_lang=lang)
    return float(score(evalset, [metric(spec)])[metric(spec)].system[0])


def test_table_2_from_text_with_the_best_of_four_references() -> None:
    texts = [sentences(chains) for chains in REFERENCES.values()]
    found = value("cohesion", sentences(SYSTEM), *texts)
    assert found == pytest.approx(float(max(BY_HAND.values()) / 15), abs=1e-15)


REF = ("The dog barked loudly.", "A cat saw the dog.", "The cats slept.")
GERMAN = ("Der Hund bellte laut.", "Die Katze sah den Hund.", "Die Katzen schliefen.")
CHINESE = ("大使馆重新开放", "大使馆关闭", "他们来了")
EMBASSY = (
    ("The embassies reopen.", "An embassy reopened."),
    (*("The embassies closed.", "An embassy waited."),),
)
CARS = ("The dog barked at a car.", "The dogs saw an automobile.")


@pytest.mark.parametrize(
    ("spec", "lang", "hypothesis", "references", "expected"),
    [
        ("cohesion", "en", EMBASSY[0], EMBASSY[1:], 0.5),
        ("cohesion(words=word)", "en", EMBASSY[0], EMBASSY[1:], 1),  # no chains anywhere
        ("cohesion", "de", GERMAN, [GERMAN], 1),
        ("cohesion", "zh", CHINESE, [CHINESE], 1),
        ("cohesion", "en", ["A dog."], [["A dog."]], 1),
        ("cohesion", "en", ["", ""], [["", ""]], 1),
        ("cohesion", "en", ["", "", ""], [REF], 0),
        ("lc", "en", [""], [["A dog."]], 0),
        ("hbleu", "en", [""], [["A dog."]], 0.3),
        # content words: dog bark car / dog saw automobile
        ("rc", "en", CARS, [], 2 / 6),
        ("lc", "en", CARS, [], 4 / 6),
        ("lc", "en", ("A poodle came.", "The dog slept."), [], 2 / 4),  # a poodle is a dog
        ("lc", "en", ("A poodle came.", "The cat slept."), [], 0),
        ("rc", "de", ("Der Hund bellte.", "Ein Hund schlief."), [], 2 / 4),
    ],
)
def test_documents_by_hand(
    spec: str,
    lang: str,
    hypothesis: Sequence[str],
    references: Sequence[Sequence[str]],
    expected: float,
) -> None:
    assert value(spec, hypothesis, *references, lang=lang) == pytest.approx(expected)


def test_segments_of_several_sentences_are_matched_and_reported() -> None:
    reference = ("The dog barked. The cat saw the dog.", "The cat slept.")
    joined = ("The dog barked and the cat saw the dog.", "The cat slept.")
    with pytest.warns(AlbeitWarning, match="1 of 2 segments hold several sentences"):
        assert value("cohesion", reference, reference) == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # joined, the dog has one position in either text: the only chain left is the cat's
        assert value("cohesion", joined, reference) == 1.0
        swapped = ("The cat barked. The cat saw the dog.", "The dog slept.")
        assert value("cohesion", swapped, reference) == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value("cohesion(realign=no)", joined, reference) == 1.0


@pytest.mark.parametrize(
    ("spec", "lang"), [("cohesion", "xx"), ("cohesion(words=word)", "zh"), ("lc", "de")]
)
def test_languages_without_these_words_are_refused(spec: str, lang: str) -> None:
    with pytest.raises(LanguageError, match=lang):
        value(spec, CHINESE, CHINESE, lang=lang)


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


LONGER = (*REF, "The government closed the embassy.", "The embassy was attacked.")
SET = EvalSet(
    {"r": LONGER},
    {"s": ("The dog was barking.", "A cat saw the dog.", "The animals slept.", *LONGER[3:])},
    documents=(Document("one", 0, 3), Document("two", 3, 5)),
)


@pytest.mark.parametrize("inner", ["bleu", "chrf", "meteor", "rc"])
@pytest.mark.parametrize(
    "cohesion", ["cohesion", "cohesion(average=f)", "lc", "coref(average=recall)"]
)
def test_a_hybrid_is_the_mixture_at_every_level(inner: str, cohesion: str) -> None:
    mixed = metric(f"hybrid({inner},alpha=.25,cohesion={cohesion})")
    table = score(SET, [mixed, metric(inner), metric(cohesion)])
    for level in ("document", "system"):
        parts = [table[metric(name)].at(level) for name in (cohesion, inner)]
        expected = 0.25 * parts[0] + 0.75 * parts[1] / metric(inner).scale
        assert np.allclose(table[mixed].at(level), expected)
    signature = str(table[mixed].signature)
    assert f"parts:[{metric(cohesion).name}|" in signature
    assert ("documents:" in signature) == cohesion.startswith("coref")


@pytest.mark.parametrize("inner", ["bleu", "meteor"])
def test_hbleu_and_hmeteor_are_hybrids_by_name(inner: str) -> None:
    table = score(SET, [metric(f"h{inner}(alpha=.4)"), metric(f"hybrid({inner},alpha=.4)")])
    one, other = (column.system[0] for column in table.columns.values())
    assert one == other


def test_languages_of_a_hybrid_are_those_of_both_parts() -> None:
    own = metric("cohesion").languages or frozenset()
    assert metric("hbleu").languages == own
    assert metric("hmeteor").languages == own & (metric("meteor").languages or frozenset())
    assert metric("hybrid(bleu,cohesion=lc)").languages == frozenset({"en"})
