"""``judge-many``: beside a reference, a source, or both, and never one taken for another.

The network is a made-up one of two layers: its scores mean nothing, but the way to them is the real
one. What scores mean is on the page of results.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from albeit import EvalSet, score
from albeit.errors import MetricError
from albeit.evaluation import Evaluation, explain, open_store
from albeit.metrics.judge.metric import JudgeMany
from tests.metrics.judge.networks import BASE, FOLDER, extra

extra("gguf"), extra("sentencepiece")
Lines = tuple[str, ...]
MANY = JudgeMany(str(FOLDER), str(BASE))
OURS = ("the bear is in", "die Oder", "in the den. he")
THEIRS = ("the bier is in the", "the Oder", "he is in the den")
OTHERS = ("a bear", "b", "c d")
SOURCE = ("der Bär 说话。", "die Oder", "er")


def a_set(ours: Lines = OURS, *references: Lines, source: Lines | None = None) -> EvalSet:
    texts = {f"r{k}": lines for k, lines in enumerate(references)}
    return EvalSet(texts, {"s": ours}, source, (), "de" if source else None, "en")


def scores(evalset: EvalSet) -> np.ndarray:
    return np.asarray(score(evalset, [MANY])[str(MANY)].at("segment")[0])


def test_source_and_reference_are_read_if_given_and_the_signature_says_so() -> None:
    sets = {
        "reference": a_set(OURS, THEIRS),
        "source": a_set(OURS, source=SOURCE),
        "source+reference": a_set(OURS, THEIRS, source=SOURCE),
    }
    found = []
    for name, evalset in sets.items():
        column = score(evalset, [MANY])[str(MANY)]
        assert dict(column.signature.fields)["reads"] == name
        assert ((column.at("segment") > 0) & (column.at("segment") < 100)).all()
        found.append(column.at("segment"))
    assert all((one != other).all() for one, other in combinations(found, 2))


def test_with_neither_there_is_nothing_to_compare_with() -> None:
    with pytest.raises(MetricError, match=r"needs a reference, or the source text.*--source FILE"):
        score(a_set(), [MANY])


def test_kept_scores_are_those_of_the_same_texts() -> None:
    """Optional texts are part of what scores are kept by."""
    for references in ((), (THEIRS,), (OTHERS,)):
        for source in (None, SOURCE, OTHERS):
            if references or source:
                evalset = a_set(OURS, *references, source=source)
                kept = Evaluation(evalset, store=open_store()).score([MANY])[str(MANY)]
                assert np.array_equal(np.asarray(kept.segment)[0], scores(evalset))


def test_blank_texts_are_defined() -> None:
    ours, blank = ("", "  ", "words"), ("", " ", "")
    for evalset in (a_set(ours, blank), a_set(ours, source=blank)):
        assert scores(evalset).tolist() == [100.0, 100.0, 0.0]
    found = scores(a_set(OURS, THEIRS, source=(SOURCE[0], "", " ")))
    assert found[0] == scores(a_set(OURS, THEIRS, source=SOURCE))[0]
    assert np.array_equal(found[1:], scores(a_set(OURS, THEIRS))[1:])


def test_an_explanation_names_no_word_but_what_length_does() -> None:
    (view,) = explain(a_set(OURS, OTHERS, THEIRS, source=SOURCE), MANY, segments=[1])
    assert [str(text.side) for text in view.texts] == ["hypothesis", "reference", "source"]
    assert view.standard_error is not None
    assert [loss.label for loss in view.losses] == ["no single word"]
    assert view.losses[0].amount == pytest.approx(100 - view.score)
    (view,) = explain(a_set(("The bear is in the den. " * 20,), ("bear",)), MANY, segments=[1])
    assert any("scored in" in note for note in view.notes)
    assert "far longer than the reference" in [loss.label for loss in view.losses]
    assert sum(loss.amount for loss in view.losses) == pytest.approx(100 - view.score)
