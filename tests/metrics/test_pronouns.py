"""Pronouns against the reference, worked by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from albeit.data.evalset import Document, EvalSet
from albeit.errors import AlbeitError, LanguageError, MetricError
from albeit.evaluation import explain, score
from albeit.metrics.registry import metric
from albeit.parsing.alignment import Aligner

REFERENCE = (
    "The car is red.",
    "I bought it because my sister likes it.",
    "She drives to work every day.",
    "",
    "They drive to school.",
)
SAME = REFERENCE
OTHER = (
    "The car is red.",
    "I bought him because my sister likes it.",
    "She drives to work every day.",
    "",
    "People drive to school.",
)
SOURCE = (
    "Der Wagen ist rot.",
    "Ich kaufte ihn, weil er meiner Schwester gefällt.",
    "Sie fährt jeden Tag zur Arbeit.",
    "",
    "Sie fahren zur Schule.",
)
DOCUMENTS = (Document("one", 0, 3), Document("two", 3, 5))


def evalset(**systems: tuple[str, ...]) -> EvalSet:
    return EvalSet({"ref": REFERENCE}, systems, documents=DOCUMENTS, name="made")


def test_by_the_reference() -> None:
    # document one: it -> him is wrong, it and She are equal: 2 of 3; document two: no They
    column = score(evalset(same=SAME, other=OTHER), [metric("pronouns")])["pronouns"]
    assert column.document is not None
    assert column.document.tolist() == [[1, 1], [2 / 3, 0]]
    assert column.system.tolist() == [1, 2 / 4]


def test_all_persons() -> None:
    # beside those four also I and my
    column = score(evalset(other=OTHER), [metric("pronouns(persons=all)")])
    assert column["pronouns(persons=all)"].system.tolist() == [4 / 6]


def test_another_case_of_the_same_pronoun_is_equivalent() -> None:
    one = EvalSet(
        {"ref": ("We saw him there yesterday.",)},
        {"s": ("We saw that he was there yesterday.",)},
        documents=(Document("d", 0, 1),),
    )
    (view,) = explain(one, metric("pronouns"), documents=["d"])
    assert view.score == 1
    assert "says the same as him" in view.losses[0].label


def test_the_kindest_reference_counts() -> None:
    two = EvalSet(
        {"a": ("He came.",), "b": ("She came.",)},
        {"s": ("She came.",)},
        documents=(Document("d", 0, 1),),
    )
    assert score(two, [metric("pronouns")])["pronouns"].system.tolist() == [1]


def test_by_the_source() -> None:
    texts = EvalSet(
        {"ref": REFERENCE}, {"same": SAME, "other": OTHER}, SOURCE, DOCUMENTS, "de", "en"
    )
    column = score(texts, [metric("pronouns")])["pronouns"]
    # ihn, er, Sie, Sie: four pronouns that the reference has too
    assert column.system[0] == 1
    assert column.system[1] < 1
    _, view = explain(texts, metric("pronouns"), documents=["one"])
    assert [text.side for text in view.texts] == ["hypothesis", "reference", "source"]
    said = [view.texts[2].tokens.forms[loss.places[0].tokens[0]] for loss in view.losses]
    assert said == ["ihn", "er", "sie"]


def test_a_document_without_pronouns_has_no_score() -> None:
    lines = ("It rains.", "The road is wet.")
    texts = EvalSet(
        {"ref": lines}, {"s": lines}, documents=(Document("a", 0, 1), Document("b", 1, 2))
    )
    column = score(texts, [metric("pronouns")])["pronouns"]
    assert column.document is not None
    assert column.document[0, 0] == 1
    assert np.isnan(column.document[0, 1])
    assert column.system.tolist() == [1]


def test_errors() -> None:
    with pytest.raises(MetricError, match="--docs"):
        score(EvalSet({"r": ("It is.",)}, {"s": ("It is.",)}), [metric("pronouns")])
    with pytest.raises(MetricError, match="needs the source"):
        score(evalset(same=SAME), [metric("pronouns(by=source)")])
    nothing = EvalSet({"r": ("Yes.",)}, {"s": ("It is.",)}, documents=(Document("d", 0, 1),))
    with pytest.raises(MetricError, match="no pronoun in the reference"):
        score(nothing, [metric("pronouns")])
    finnish = EvalSet(
        {"r": ("Se on.",)}, {"s": ("Se on.",)}, documents=(Document("d", 0, 1),), target_lang="fi"
    )
    with pytest.raises(LanguageError, match="'fi'"):
        score(finnish, [metric("pronouns")])
    unknown = EvalSet(
        {"r": ("It is.",)}, {"s": ("It is.",)}, ("Se on.",), (Document("d", 0, 1),), "fi", "en"
    )
    with pytest.raises(AlbeitError, match="pronouns of 'fi' are not known"):
        score(unknown, [metric("pronouns(by=source)")])
    assert score(unknown, [metric("pronouns")])["pronouns"].system.tolist() == [1]


def test_metrics_of_one_run_train_one_aligner(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[int] = []
    fit = Aligner.fit

    def counted(source: Sequence[Sequence[str]], target: Sequence[Sequence[str]]) -> Aligner:
        trained.append(len(source))
        return fit(source, target)

    monkeypatch.setattr(Aligner, "fit", counted)
    systems = {"one": OTHER, "two": (*OTHER[:4], "All of them drive to school in a car.")}
    for source, lang in ((None, None), (SOURCE, "de")):
        both = EvalSet({"ref": REFERENCE}, systems, source, DOCUMENTS, lang, "en", "both")
        trained.clear()
        table = score(both, [metric("pronouns"), metric("terms")])
        assert len(trained) == 1
        for name in ("pronouns", "terms"):
            alone = score(both, [metric(name)])[name]
            assert np.array_equal(alone.system, table[name].system, equal_nan=True)
            assert str(alone.signature) == str(table[name].signature)
