from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.errors import InputError
from albeit.lexicons.find import Finder
from albeit.lexicons.lexicon import Form
from albeit.lexicons.words import cut


def found(text: str, *forms: str, language: str = "de", others: tuple[str, ...] = ()) -> list[str]:
    finder = Finder(
        [Form.parse(f, language) for f in forms], [Form.parse(f, language) for f in others]
    )
    return [str(hit.form) for hit in finder(cut(text, language))]


def test_no_hits_inside_words() -> None:
    assert found("Madagascar a un surplus", "car", "plus", language="fr") == []
    assert found("jedoch", "doch") == []


def test_the_longer_form_wins() -> None:
    assert found("même si", "si", "même si", language="fr") == ["même si"]
    assert found("si bien que cela", "bien que", language="fr", others=("si bien que",)) == []


def test_discontinuous_forms_take_both_parts() -> None:
    assert found("Das ist zwar wahr, aber neu.", "aber", "zwar … aber") == ["zwar … aber"]
    assert found("zwar aber", "zwar … aber") == []  # the gap must hold something


def test_a_gap_does_not_cross_sentences() -> None:
    assert found("Das ist zwar wahr. Aber neu.", "zwar … aber", "aber") == ["aber"]


def test_case_does_not_matter() -> None:
    assert found("OBWOHL es regnet", "obwohl") == ["obwohl"]


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
