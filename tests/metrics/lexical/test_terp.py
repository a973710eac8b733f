from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from albeit.errors import LanguageError
from albeit.metrics.lexical.edits import weigh_edits
from albeit.metrics.lexical.ter import COSTS, TerpA
from albeit.metrics.registry import metric
from tests.metrics.lexical.corpora import (
    corpora,
    statistics,
    system,
)

PLAIN = TerpA()


def cost(hypothesis: str, reference: str) -> float:
    return float(statistics(PLAIN, [hypothesis], [[reference]])[0, 0])


def without_shifts(hypothesis: list[str], reference: list[str]) -> float:
    """Plain weighted edit distance, for exact matches."""
    row = [j * COSTS.delete for j in range(len(reference) + 1)]
    for word in hypothesis:
        above, row = row, [row[0] + COSTS.insert]
        for j, other in enumerate(reference):
            step = 0.0 if word == other else COSTS.substitute
            row.append(min(above[j] + step, above[j + 1] + COSTS.insert, row[j] + COSTS.delete))
    return row[-1]


def search(hypothesis: str, reference: str) -> float:
    ours, theirs = hypothesis.split(), reference.split()
    same = np.array([[word == other for other in theirs] for word in ours], dtype=np.bool_)
    heavy = np.ones(len(ours), dtype=np.bool_)
    return weigh_edits(same, heavy, COSTS)


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
        if not (line.split() and reference.split()):
            continue
        found = search(line, reference)
        assert 0 <= found <= without_shifts(line.split(), reference.split()) + 1e-9


def test_a_segment_costs_no_more_than_its_reference_is_long() -> None:
    assert system(PLAIN, ["nothing alike"], [["one two three"]]) == 100


def test_english_only() -> None:
    with pytest.raises(LanguageError):
        system(metric("terp-a"), ["a"], [["a"]], lang="de")
