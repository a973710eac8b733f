"""Rules of phenomena, clusters of systems, and the sentences that say what differs."""

from __future__ import annotations

import pytest

from albeit import EvalSet, score
from albeit.metrics.significance import compare_all
from albeit.metrics.table import ScoreTable
from albeit.report.page.data import comparison_sentences, leading, phenomena, profile_sentences


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("negation", "She didn't go."),
        ("negation", "Nobody went."),
        ("number", "It cost 3 euros."),
        ("question", "Did it rain?"),
        ("quotation mark", "He said “yes”."),
        ("capital inside the sentence (name)", "Then Ann left."),
        ("connective in the reference", "We stayed because it rained."),
    ],
)
def test_a_phenomenon_is_found_by_its_rule(name: str, line: str) -> None:
    plain = "The dog sat down and I slept."
    found = phenomena(EvalSet(references={"r": (plain, line)}, systems={"s": ("x", "y")}))
    assert found[name] == [1]


def test_a_language_without_a_rule_has_no_such_phenomenon() -> None:
    lines = ("Der Hund schlief nicht.", "Der Hund schlief.")
    found = phenomena(EvalSet(references={"r": lines}, systems={"s": lines}, target_lang="de"))
    assert found == {"negation": [0]}
    polish = EvalSet({"r": ("Nie ma.", "Jest 1.")}, {"s": lines}, target_lang="pl")
    assert set(phenomena(polish)) == {"number"}


def many(line: str, other: str) -> ScoreTable:
    reference = tuple(f"{word} is what we saw" for word in "abcdefghijklmnopqrst")
    systems = {
        "first": reference,
        "same": reference,
        "worse": tuple(f"{text} {line}" for text in reference),
        "worst": (other,) * len(reference),
    }
    return score(EvalSet(references={"r": reference}, systems=systems), ["chrf", "ter"])


def test_what_differs_in_words() -> None:
    table = many("again", "nothing")
    assert comparison_sentences(compare_all(table, seed=1)) == [
        "By chrf and ter, first and same share first place: no significant difference."
    ]
    assert leading(table) == [0, 1]
    assert leading(table, "worse") == [2, 0]
    row = {
        "name": "connectives",
        "metric": "act",
        "coverage": "20 connectives",
        "systems": [
            {"system": "a", "score": 0.5, "corrected": None},
            {"system": "b", "score": 0.75, "corrected": 0.01},
        ],
    }
    assert list(profile_sentences([row], [0, 1])) == [
        "In connectives, b is better than a: 0.75 against 0.50, where 1 is best"
        " (20 connectives, corrected p < .05)."
    ]
    assert list(profile_sentences([row], [0, 1], ["act"])) == []  # the table has its test
    assert list(profile_sentences([row], [1, 0])) == []  # the tests are against the first
    row["systems"] = [{"system": name, "score": 0.5} for name in "ab"]
    assert list(profile_sentences([row], [0, 1])) == []
