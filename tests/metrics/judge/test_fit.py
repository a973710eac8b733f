"""Pronouns against their own text, worked by hand."""

from __future__ import annotations

import math

import pytest

from albeit.metrics.judge.fit import agreement, conflicts, is_expletive
from albeit.metrics.registry import metric
from albeit.parsing.layers import ANTECEDENTS, TOKENS, Analysis, Antecedent, Pronoun
from tests.metrics.documents import batch, document

TEXT = document("Ann has a car.", "He sold it.")
ANN = Antecedent(0, 1, 0, math.log(3), "person", "singular", "animate", "feminine")
CAR = Antecedent(2, 4, 3, math.log(2), "object", "singular", "inanimate")


def pronouns(*found: Pronoun) -> Analysis:
    return TEXT.replace(TEXT.text, {ANTECEDENTS: found})


def test_by_hand() -> None:
    # He (word 5): odds 3 for Ann (not a he), 2 for the car (not a he either), 1 for neither: 0
    # it (word 7): odds 2 for the car, 1 for nothing: 2/3
    found = pronouns(Pronoun(5, (ANN, CAR)), Pronoun(7, (CAR,)))
    chosen = metric("pronouns-free(by=antecedents)")
    rows = chosen.statistics(batch(found), None)
    assert rows.tolist() == [[pytest.approx(2 / 3), 2, 1]]
    assert chosen.score(rows)[0] == pytest.approx(1 / 3)
    assert chosen.details(rows[0]) == {"pronouns": 2, "in doubt": 1}
    view = chosen.explain(batch(found), None, rows[0])
    assert [loss.amount for loss in view.losses] == [pytest.approx(1 / 2), pytest.approx(1 / 6)]
    assert view.losses[0].label.startswith("He: the likeliest antecedent is 'Ann'")
    assert [found[TOKENS].forms[link.other.tokens[-1]] for link in view.links] == ["car"]


@pytest.mark.parametrize(
    ("kind", "traits", "wrong"),
    [
        ("he", "person singular animate masculine", False),
        ("he", "person singular animate feminine", True),
        ("he", "person - - -", False),
        ("she", "person plural animate feminine", True),
        ("it", "person plural inanimate -", True),
        ("it", "person singular animate -", True),
        ("it", "animal singular animate -", False),
        ("they", "person singular animate -", False),
        ("they", "person singular animate feminine", True),
        ("they", "person singular inanimate -", True),
        ("they", "organization singular inanimate -", False),
    ],
)
def test_what_conflicts(kind: str, traits: str, wrong: bool) -> None:
    antecedent = Antecedent(0, 1, 0, 1.0, *traits.replace("-", "").split(" "))  # type: ignore[arg-type]
    assert conflicts(kind, antecedent) == wrong


def test_degrees_of_agreement() -> None:
    # it: 2 for the car, 4 for something of which nothing is told, 3 for Ann, 1 for nothing
    thing = Antecedent(2, 4, 3, math.log(4))
    found = agreement(Pronoun(7, (thing, ANN, CAR)), TEXT[TOKENS].forms)
    assert found.degree == pytest.approx((2 + 4) / (2 + 4 + 3 + 1))
    assert found.antecedent is thing
    listener = Antecedent(0, 1, 0, 5.0, "person", "singular", "animate")
    forms = document("You have a car.", "He sold it.")[TOKENS].forms
    found = agreement(Pronoun(5, (listener,)), forms)
    assert (found.degree, found.antecedent) == (0, None)


@pytest.mark.parametrize(
    ("text", "expletive"),
    [
        ("It is estimated that many died .", True),
        ("it was not easy to leave .", True),
        ("it 's still an open question whether he came", True),
        ("It is red , and we want to leave .", False),
        ("It is next to the door .", False),
        ("it wants to leave .", False),
        ("It is", False),
        ("She is known to sing .", False),
    ],
)
def test_it_that_means_nothing(text: str, expletive: bool) -> None:
    assert is_expletive(text.split(), 0) == expletive
