from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.metrics.connectives.words import cut


@pytest.mark.parametrize(
    ("language", "text", "forms"),
    [
        ("fr", "Bien qu'il pleuve, l’eau", "bien que il pleuve , le eau"),
        ("fr", "s'ils viennent au port", "si ils viennent à port"),
        ("fr", "il s'agit", "il se agit"),
        ("fr", "bien qu ' il pleuve", "bien que il pleuve"),
        ("fr", "depuis qu ’ il", "depuis que il"),
        ("fr-CA", "l’eau", "le eau"),
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


def test_arabic_clitics() -> None:
    assert "لكن" in cut("ولكنّه", "ar").spellings[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Et  l’eau, dit-il.", "Et|l’|eau|,|dit-il|."),
        (
            "qu &apos; il, s&apos;il &amp; l&#39;homme",
            "qu &apos;|il|,|s&apos;|il|&amp;|l&#39;|homme",
        ),
    ],
)
def test_offsets_point_into_the_text(text: str, words: str) -> None:
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
