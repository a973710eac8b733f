"""Senses, forms, and how they are found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.errors import InputError
from albeit.metrics.connectives import CLASSIC, inventory
from albeit.metrics.connectives.lexicon import (
    SENSES,
    Detector,
    Finder,
    Form,
    SenseTest,
    agreement,
    parse_sense,
)
from albeit.metrics.connectives.words import cut

SETS = st.frozensets(st.sampled_from(SENSES), max_size=3)


def test_spellings() -> None:
    assert parse_sense("comparison.concession.arg1-as-denier") == "Comparison.Concession"
    assert parse_sense("Contingency.Cause+Belief") == "Contingency.Cause"
    assert parse_sense(" Concession ") == "Comparison.Concession"
    with pytest.raises(InputError, match="unknown sense 'sad'"):
        parse_sense("sad")


def test_covering_is_not_symmetric() -> None:
    jedoch = ("Comparison.Contrast", "Comparison.Concession")
    assert agreement(("Comparison.Concession",), jedoch, "covering") == 1
    assert agreement(jedoch, ("Comparison.Concession",), "covering") == 0


def test_graded_gives_half_for_a_class() -> None:
    assert agreement(["Temporal.Synchronous"], ["Temporal.Asynchronous"], "graded") == 0.5
    assert agreement(["Temporal.Synchronous"], ["Contingency.Cause"], "graded") == 0


@given(SETS, SETS, st.sampled_from(["strict", "compatible", "graded"]))
def test_symmetric_and_ordered(one: frozenset[str], two: frozenset[str], test: SenseTest) -> None:
    assert agreement(one, two, test) == agreement(two, one, test)
    strict, compatible, graded = (
        agreement(one, two, t) for t in ("strict", "compatible", "graded")
    )
    assert strict <= compatible <= graded
    assert agreement(one, one, test) == float(bool(one))


@pytest.mark.parametrize(
    ("language", "text", "forms", "others", "expected"),
    [
        ("fr", "Madagascar a un surplus", "car|plus", "", ""),
        ("de", "jedoch", "doch", "", ""),
        ("fr", "même si", "si|même si", "", "même si"),
        ("fr", "si bien que cela", "bien que", "si bien que", ""),
        ("de", "Das ist zwar wahr, aber neu.", "aber|zwar … aber", "", "zwar … aber"),
        ("de", "zwar aber", "zwar … aber", "", ""),  # the gap has at least one word
        ("de", "Das ist zwar wahr. Aber neu.", "zwar … aber|aber", "", "aber"),
        ("de", "OBWOHL es regnet", "obwohl", "", "obwohl"),
    ],
)
def test_longest_forms_of_whole_words(
    language: str, text: str, forms: str, others: str, expected: str
) -> None:
    wanted, blocked = (
        [Form.parse(form, language) for form in written.split("|") if form]
        for written in (forms, others)
    )
    hits = Finder(wanted, blocked)(cut(text, language))
    assert "|".join(str(hit.form) for hit in hits) == expected


def test_centre_is_that_of_the_first_part() -> None:
    finder = Finder([Form.parse("zwar … aber", "de")])
    hit = finder(cut("es ist zwar wahr aber neu", "de"))[0]
    assert hit.centre == 2
    assert hit.tokens == (2, 4)


def test_an_empty_part_is_an_error() -> None:
    with pytest.raises(InputError, match="empty part"):
        Form.parse("zwar …", "de")


@given(st.lists(st.sampled_from(["a", "b", "c", "."]), max_size=12))
def test_hits_never_share_words_and_are_where_they_say(letters: list[str]) -> None:
    words = cut(" ".join(letters), "de")
    forms = [Form.parse(f, "de") for f in ("a", "a b", "b c", "a … c")]
    hits = Finder(forms)(words)
    tokens = [t for hit in hits for t in hit.tokens]
    assert len(tokens) == len(set(tokens))
    for hit in hits:
        flat = [word for part in hit.form.parts for word in part]
        assert [words.forms[t] for t in hit.tokens] == flat


EIGHT = Detector(inventory("en"), CLASSIC)


def names(text: str) -> list[str]:
    return [c.name for c in EIGHT(cut(text, "en"))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Even though it rains, though late", ["even though", "though"]),
        *(
            (text, [])
            for text in ("as though it were", "for a while", "worth your while", "whiled")
        ),
        ("since then", ["since"]),  # an exclusion affects only its own connective
        ("as yet", ["yet"]),
    ],
)
def test_connectives(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_unknown_names() -> None:
    with pytest.raises(InputError, match="'notwithstand' is not among"):
        Detector(inventory("en"), ("notwithstand",))


def test_232_connectives_in_newstest2013(shared_data: Path) -> None:
    lines = (shared_data / "wmt13/en-de/src.txt").read_text("utf-8").splitlines()
    counted = Counter(name for line in lines for name in names(line))
    assert sum(counted.values()) == 232
    assert counted == {
        "however": 74,
        "since": 43,
        "while": 42,
        "yet": 29,
        "although": 19,
        "even though": 10,
        "though": 10,
        "meanwhile": 5,
    }
