"""Pronouns against the reference, worked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from albeit import AlbeitError, Document, EvalSet, explain, metric, score
from tests.metrics.documents import columns

REFERENCE, OTHER, SOURCE = columns("""
The car is red.                         | The car is red. | Der Wagen ist rot.
I bought it because my sister likes it. | I bought him because my sister likes it. \
    | Ich kaufte ihn, weil er meiner Schwester gefällt.
She drives to work every day.           | She drives to work every day. \
    | Sie fährt jeden Tag zur Arbeit.
                                        |                 |
They drive to school.                   | People drive to school. | Sie fahren zur Schule.
""")
SAME = REFERENCE
DOCUMENTS = (Document("one", 0, 3), Document("two", 3, 5))


def lines(hypothesis: str, *references: str, **options: Any) -> EvalSet:
    """One document of one line."""
    texts = {str(n): (reference,) for n, reference in enumerate(references)}
    return EvalSet(texts, {"s": (hypothesis,)}, documents=(Document("d", 0, 1),), **options)


def test_by_the_reference() -> None:
    evalset = EvalSet({"r": REFERENCE}, {"same": SAME, "other": OTHER}, documents=DOCUMENTS)
    table = score(evalset, ["pronouns", "pronouns(persons=all)"])
    # document one: it -> him is wrong, it and She are equal: 2 of 3; document two: no They
    assert table["pronouns"].at("document").tolist() == [[1, 1], [2 / 3, 0]]
    assert table["pronouns"].system.tolist() == [1, 2 / 4]
    # of all persons, also I and my
    assert table["pronouns(persons=all)"].system.tolist() == [1, 4 / 6]


def test_another_case_is_equivalent_and_the_best_reference_counts() -> None:
    one = lines("We saw that he was there yesterday.", "We saw him there yesterday.")
    (view,) = explain(one, metric("pronouns"), documents=["d"])
    assert view.score == 1
    assert "says the same as him" in view.losses[0].label
    two = lines("She came.", "He came.", "She came.")
    assert score(two, ["pronouns"])["pronouns"].system.tolist() == [1]


def test_by_the_source() -> None:
    systems = {"same": SAME, "other": OTHER}
    texts = EvalSet({"ref": REFERENCE}, systems, SOURCE, DOCUMENTS, "de", "en")
    column = score(texts, [metric("pronouns")])["pronouns"]
    # ihn, er, Sie, Sie: four pronouns that the reference has too
    assert column.system[0] == 1
    assert column.system[1] < 1
    _, view = explain(texts, metric("pronouns"), documents=["one"])
    assert [text.side for text in view.texts] == ["hypothesis", "reference", "source"]
    said = [view.texts[2].tokens.forms[loss.places[0].tokens[0]] for loss in view.losses]
    assert said == ["ihn", "er", "sie"]


def test_a_document_without_pronouns_has_no_score() -> None:
    texts = ("It rains.", "The road is wet.")
    documents = (Document("a", 0, 1), Document("b", 1, 2))
    evalset = EvalSet({"r": texts}, {"s": texts}, documents=documents)
    column = score(evalset, ["pronouns"])["pronouns"]
    assert np.array_equal(column.at("document"), [[1, np.nan]], equal_nan=True)
    assert column.system.tolist() == [1]


FINNISH = lines("It is.", "It is.", source=("Se on.",), source_lang="fi", target_lang="en")


@pytest.mark.parametrize(
    ("spec", "evalset", "message"),
    [
        ("pronouns(by=source)", lines("It is.", "It is."), "needs the source"),
        ("pronouns", lines("It is.", "Yes."), "no pronoun in the reference"),
        ("pronouns", lines("Se on.", "Se on.", target_lang="fi"), "'fi'"),
        ("pronouns(by=source)", FINNISH, "there is no pronoun table for 'fi'"),
    ],
)
def test_what_cannot_be_scored(spec: str, evalset: EvalSet, message: str) -> None:
    with pytest.raises(AlbeitError, match=message):
        score(evalset, [spec])
    assert score(FINNISH, ["pronouns"])["pronouns"].system.tolist() == [1]


@pytest.mark.parametrize(("source", "lang"), [(None, None), (SOURCE, "de")])
def test_a_shared_aligner_changes_no_score(source: tuple[str, ...] | None, lang: str) -> None:
    systems = {"one": OTHER, "two": (*OTHER[:4], "All of them drive to school in a car.")}
    both = EvalSet({"ref": REFERENCE}, systems, source, DOCUMENTS, lang, "en", "both")
    for name, found in score(both, ["pronouns", "terms"]).columns.items():
        alone = score(both, [name])[name]
        assert np.array_equal(alone.system, found.system, equal_nan=True)
        assert alone.signature == found.signature
