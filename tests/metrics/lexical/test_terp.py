from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from albeit.errors import LanguageError
from albeit.metrics.lexical.ngrams import Vocabulary
from albeit.metrics.lexical.terp import COSTS, TerpA
from albeit.metrics.lexical.weighted_edits import Costs, Phrases, weighted_edits
from albeit.metrics.lexical.wordmatch import word_match
from albeit.metrics.registry import metric
from tests.metrics.lexical.corpora import (
    HYPOTHESES,
    REFERENCES,
    assert_additive,
    corpora,
    statistics,
    system,
)


def cost(hypothesis: str, reference: str) -> float:
    return float(statistics(TerpA(), [hypothesis], [[reference]])[0, 0])


def without_shifts(hypothesis: list[str], reference: list[str]) -> float:
    """Plain weighted edit distance, for exact matches."""
    row = [j * COSTS.delete for j in range(len(reference) + 1)]
    for word in hypothesis:
        above, row = row, [row[0] + COSTS.insert]
        for j, other in enumerate(reference):
            step = 0.0 if word == other else COSTS.substitute
            row.append(min(above[j] + step, above[j + 1] + COSTS.insert, row[j] + COSTS.delete))
    return row[-1]


def search(hypothesis: str, reference: str, costs: Costs, phrases: Phrases) -> float:
    vocabulary = Vocabulary()
    texts = [vocabulary.encode([line.split()]) for line in (hypothesis, reference)]
    match = word_match(vocabulary.words(), "exact", "en")
    stop = np.zeros(len(vocabulary), dtype=np.bool_)
    return float(weighted_edits(texts[0], texts[1], match, stop, costs, phrases)[0])


def test_each_edit_has_its_cost() -> None:
    assert cost("red green blue black", "red green blue black") == 0
    assert cost("red green extra blue black", "red green blue black") == COSTS.insert
    assert cost("red green black", "red green blue black") == COSTS.delete
    assert cost("red green quick black", "red green blue black") == COSTS.substitute
    assert cost("blue red green black", "red green blue black") == COSTS.shift


def test_stems_and_synonyms_cost_nothing() -> None:
    assert cost("she walks to her automobile", "she walked to her car") == 0


def test_stop_words_do_not_move_alone() -> None:
    """Moving ``of`` would cost less than leaving it out here and adding it there."""
    moved = cost("houses streets gardens of", "of houses streets gardens")
    assert moved == pytest.approx(COSTS.insert + COSTS.delete)


@given(corpus=corpora)
@settings(max_examples=40, deadline=None)
def test_shifts_only_save(corpus: tuple[list[str], list[list[str]]]) -> None:
    hypotheses, references = corpus
    for line, reference in zip(hypotheses, references[0], strict=True):
        found = search(line, reference, COSTS, Phrases.none(1))
        assert 0 <= found <= without_shifts(line.split(), reference.split()) + 1e-9


def test_a_phrase_stands_for_a_phrase() -> None:
    """``car on fire`` for ``ablaze car``, in place and after a move."""
    dear = Costs(1, 1, 1, 0.5)
    phrases = Phrases(np.array([0, 1]), np.array([[1, 3, 1, 3]]), np.array([0.25]))
    assert search("the car on fire stopped", "the ablaze car stopped", dear, phrases) == 0.25
    none = Phrases.none(1)
    assert search("the car on fire stopped", "the ablaze car stopped", dear, none) == 3
    phrases = Phrases(np.array([0, 1]), np.array([[0, 2, 2, 4]]), np.array([0.25]))
    assert search("car on fire we saw", "we saw ablaze car", dear, phrases) == 0.75


def test_additive() -> None:
    assert_additive(TerpA(), HYPOTHESES, REFERENCES)


def test_identical_text_costs_nothing() -> None:
    for lines in REFERENCES:
        assert system(TerpA(), lines, REFERENCES) == 0


def test_a_segment_costs_no_more_than_its_reference_is_long() -> None:
    assert system(TerpA(), ["nothing alike"], [["one two three"]]) == 100


def test_empty_lines() -> None:
    rows = statistics(TerpA(), ["", "a b", ""], [["a b", "", ""]])
    np.testing.assert_allclose(TerpA().segment_score(rows), [100, 100, 0])


def test_english_only_and_signature() -> None:
    with pytest.raises(LanguageError):
        system(TerpA(), ["a"], [["a"]], lang="de")
    assert "paraphrases:none" in metric("terp-a").signature()
