from __future__ import annotations

import pytest

from training.evaluate import syntax
from training.evaluate.counts import Counts
from training.rows import Frame, Row, Span


def row(**layers: object) -> Row:
    return Row("x", "ewt", "blog", ["a", "b", ",", "c"], **layers)  # type: ignore[arg-type]


def test_attachment_compares_universal_relations() -> None:
    gold = [row(heads=[2, 0, 2, 2], rels=["nsubj:pass", "root", "punct", "obj"])]
    mine = [row(heads=[2, 0, 2, 1], rels=["nsubj", "root", "punct", "obj"])]
    scores = syntax.attachment(gold, mine)
    assert scores == {"uas": 75, "las": 75, "las_full": 50}


def test_tagging() -> None:
    gold, mine = row(upos=["X", "Y", "Z", "X"]), row(upos=["X", "Y", "Z", "Y"])
    assert syntax.tagging([gold], [mine]) == 75


def test_evalb_deletes_punctuation_and_unfolds_chains() -> None:
    brackets: list[Span] = [(0, 4, "S"), (0, 2, "NP+QP"), (2, 3, "X"), (3, 4, "PRT")]
    assert syntax.evalb_brackets(brackets, ["NN", "NN", ",", "RP"]) == [
        (0, 3, "S"),
        (0, 2, "NP"),
        (0, 2, "QP"),
        (2, 3, "ADVP"),
    ]


def test_constituency_skips_sentences_without_gold() -> None:
    gold = [row(xpos=["NN"] * 4), row(xpos=["NN"] * 4, brackets=[(0, 4, "S"), (0, 2, "NP")])]
    mine = [row(brackets=[(0, 4, "S")]), row(brackets=[(0, 4, "S"), (0, 3, "NP")])]
    counts = syntax.constituency(gold, mine)
    assert (counts.matched, counts.predicted, counts.gold) == (1, 2, 2)


def test_roles_need_their_predicate() -> None:
    gold = [row(frames=[Frame(1, [(0, 1, "ARG0"), (3, 4, "ARG1")])])]
    mine = [row(frames=[Frame(1, [(0, 1, "ARG0")]), Frame(3, [(3, 4, "ARG1")])])]
    predicates, arguments = syntax.roles(gold, mine)
    assert predicates.f1 == pytest.approx(200 / 3)
    assert (arguments.matched, arguments.predicted, arguments.gold) == (1, 2, 2)


def test_entities_match_exactly() -> None:
    gold, mine = row(entities=[(0, 2, "person")]), row(entities=[(0, 2, "place")])
    assert syntax.entities([gold], [mine]).f1 == 0


def test_nothing_to_find_and_nothing_found_is_perfect() -> None:
    assert Counts().f1 == 100


def test_repeated_things_match_as_often_as_both_have_them() -> None:
    counts = Counts()
    counts.add(["a", "a", "b"], ["a", "c"])
    assert (counts.matched, counts.predicted, counts.gold) == (1, 3, 2)
