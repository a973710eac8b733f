from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from albeit.metrics.connectives.words import cut


def test_french_elisions_are_undone() -> None:
    words = cut("Bien qu'il pleuve, l’eau et s'ils viennent au port", "fr")
    assert words.forms[:4] == ("bien", "que", "il", "pleuve")
    assert "si" in words.forms  # s'ils
    assert words.forms[-2:] == ("à", "port")


def test_a_reflexive_is_no_condition() -> None:
    assert cut("il s'agit", "fr").forms == ("il", "se", "agit")


def test_elisions_parted_by_a_tokeniser() -> None:
    assert cut("bien qu ' il pleuve", "fr").forms == cut("bien qu'il pleuve", "fr").forms
    assert cut("depuis qu ’ il", "fr").forms == ("depuis", "que", "il")


def test_italian_contractions() -> None:
    assert cut("a causa della pioggia dall'inizio", "it").forms == (
        "a",
        "causa",
        "di",
        "pioggia",
        "da",
        "inizio",
    )


def test_german_sharp_s_and_case() -> None:
    assert cut("So DASS", "de").forms == cut("so daß", "de").forms


def test_english_quotes_are_no_elisions() -> None:
    assert "although" in cut("'although'", "en").forms


def test_arabic_clitics_and_marks() -> None:
    words = cut("ولكنّه", "ar")
    assert "لكن" in words.spellings[0]
    assert cut("أَنَّ", "ar").forms == ("ان",)


def test_offsets_point_into_the_text() -> None:
    text = "Et  l’eau, dit-il."
    words = cut(text, "fr")
    assert [text[a:b] for a, b in words.offsets] == ["Et", "l’", "eau", ",", "dit-il", "."]


def test_any_spelling_of_the_language() -> None:
    assert cut("l’eau", "fr-CA") == cut("l’eau", "FR_ca") == cut("l’eau", "fr")


@given(st.text(max_size=60), st.sampled_from(["en", "de", "fr", "it", "ar"]))
def test_every_visible_character_is_in_one_word(text: str, language: str) -> None:
    words = cut(text, language)
    covered = [i for a, b in words.offsets for i in range(a, b)]
    assert covered == sorted(set(covered))
    inside = set(covered)
    for position, character in enumerate(text):
        if character.isalnum():
            assert position in inside


def test_entities_are_read_as_what_they_stand_for() -> None:
    text = "il dit qu &apos; il, s&apos;il &amp; l&#39;homme &bogus"
    words = cut(text, "fr")
    assert words.forms == (
        "il",
        "dit",
        "que",
        "il",
        ",",
        "si",
        "il",
        "&",
        "le",
        "homme",
        "&",
        "bogus",
    )
    assert [text[a:b] for a, b in words.offsets][2:9] == [
        "qu &apos;",
        "il",
        ",",
        "s&apos;",
        "il",
        "&amp;",
        "l&#39;",
    ]
