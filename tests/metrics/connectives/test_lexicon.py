"""Words, senses, forms, and how they are found."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.errors import InputError
from albeit.metrics import connectives
from albeit.metrics.connectives import agreement, cut, parse_sense
from albeit.metrics.connectives.load import inventory

SETS = st.frozensets(st.sampled_from(connectives.SENSES), max_size=3)


def test_senses() -> None:
    assert parse_sense("comparison.concession.arg1-as-denier") == "Comparison.Concession"
    assert parse_sense("Contingency.Cause+Belief") == "Contingency.Cause"
    assert parse_sense(" Concession ") == "Comparison.Concession"
    with pytest.raises(InputError, match="unknown sense 'sad'"):
        parse_sense("sad")
    jedoch = ("Comparison.Contrast", "Comparison.Concession")
    assert agreement(("Comparison.Concession",), jedoch, "covering") == 1
    assert agreement(jedoch, ("Comparison.Concession",), "covering") == 0
    assert agreement(["Temporal.Synchronous"], ["Temporal.Asynchronous"], "graded") == 0.5
    assert agreement(["Temporal.Synchronous"], ["Contingency.Cause"], "graded") == 0


@given(SETS, SETS, st.sampled_from(["strict", "compatible", "graded"]))
def test_symmetric_and_ordered(
    one: frozenset[str], two: frozenset[str], test: connectives.SenseTest
) -> None:
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
    ],
)
def test_longest_forms_of_whole_words(
    language: str, text: str, forms: str, others: str, expected: str
) -> None:
    wanted, blocked = (
        [connectives.Form.parse(form, language) for form in written.split("|") if form]
        for written in (forms, others)
    )
    hits = connectives.Finder(wanted, blocked)(cut(text, language))
    assert "|".join(str(hit.form) for hit in hits) == expected


@given(st.lists(st.sampled_from(["a", "b", "c", "."]), max_size=12))
def test_hits_never_share_words_and_are_where_they_say(letters: list[str]) -> None:
    words = cut(" ".join(letters), "de")
    forms = [connectives.Form.parse(f, "de") for f in ("a", "a b", "b c", "a … c")]
    hits = connectives.Finder(forms)(words)
    tokens = [t for hit in hits for t in hit.tokens]
    assert len(tokens) == len(set(tokens))
    for hit in hits:
        flat = [word for part in hit.form.parts for word in part]
        assert [words.forms[t] for t in hit.tokens] == flat


EIGHT = connectives.Detector(inventory("en"), connectives.CLASSIC)


def names(text: str) -> list[str]:
    return [c.name for c in EIGHT(cut(text, "en"))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Even though it rains, though late", ["even though", "though"]),
        ("as though it were", []),
        ("for a while", []),
        ("since then", ["since"]),  # an exclusion affects only its own connective
        ("as yet", ["yet"]),
    ],
)
def test_connectives(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_232_connectives_in_newstest2013(shared_data: Path) -> None:
    lines = (shared_data / "wmt13/en-de/src.txt").read_text("utf-8").splitlines()
    assert sum(len(names(line)) for line in lines) == 232


@pytest.mark.parametrize(
    ("language", "text", "forms"),
    [
        ("fr", "Bien qu'il pleuve, l’eau", "bien que il pleuve , le eau"),
        ("fr", "s'ils viennent au port", "si ils viennent à port"),
        ("fr", "bien qu ' il pleuve", "bien que il pleuve"),
        ("fr", "pain ' il", "pain ' il"),
        ("FR_ca", "l’eau", "le eau"),
        ("it", "a causa della pioggia dall'inizio", "a causa di pioggia da inizio"),
        ("de", "So DASS daß", "so dass dass"),
        ("en", "'although'", "' although '"),
        ("ar", "أَنَّ", "ان"),
        (
            "fr",
            "il dit qu &apos; il, s&apos;il &amp; l&#39;homme &bogus",
            "il dit que il , si il & le homme & bogus",
        ),
    ],
)
def test_canonical_forms(language: str, text: str, forms: str) -> None:
    assert " ".join(cut(text, language).forms) == forms


def test_offsets_point_into_the_text() -> None:
    text = "Et  l’eau, dit-il. qu &apos; il, s&apos;il &amp; l&#39;homme"
    words = "Et|l’|eau|,|dit-il|.|qu &apos;|il|,|s&apos;|il|&amp;|l&#39;|homme"
    assert "|".join(text[a:b] for a, b in cut(text, "fr").offsets) == words


@given(st.text(max_size=60), st.sampled_from(["en", "de", "fr", "it", "ar"]))
def test_every_visible_character_is_in_one_word(text: str, language: str) -> None:
    words = cut(text, language)
    covered = [i for a, b in words.offsets for i in range(a, b)]
    assert covered == sorted(set(covered))
    inside = set(covered)
    for position, character in enumerate(text):
        if character.isalnum():
            assert position in inside
