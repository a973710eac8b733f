"""The entity metrics on a hand-annotated pair."""

from __future__ import annotations

import pytest

from albeit.parsing.layers import ENTITIES, TOKENS, Analysis, Entity
from tests.metrics.linguistic.analyses import score, tokens

REF = Analysis(
    "Angela Merkel met Putin in Berlin",
    {
        TOKENS: tokens("Angela Merkel met Putin in Berlin"),
        ENTITIES: (Entity("person", 0, 2), Entity("person", 3, 4), Entity("place", 5, 6)),
    },
)
HYP = Analysis(
    "Merkel has met Putin in berlin",
    {
        TOKENS: tokens("Merkel has met Putin in berlin"),
        ENTITIES: (Entity("person", 0, 1), Entity("person", 3, 4), Entity("place", 5, 6)),
    },
)
NAMELESS = Analysis(
    "She met him in Berlin", {TOKENS: tokens("She met him in Berlin"), ENTITIES: ()}
)


def test_by_hand() -> None:
    assert score("ne-oe", HYP, REF) == pytest.approx(3 / 4)
    assert score("NE-Oe(person)", HYP, REF) == pytest.approx(2 / 3)
    assert score("ne-oe(place)", HYP, REF) == 1
    assert score("ne-me", HYP, REF) == pytest.approx(2 / 4)
    assert score("ne-me(place)", HYP, REF) == 1
    assert score("ne-oe(event)", HYP, REF) == 0


def test_words_outside_entities_count_with_two_stars() -> None:
    # met and in on both sides, has on one; Merkel, Putin, Berlin on both, Angela on one
    assert score("ne-oe(**)", HYP, REF) == pytest.approx(5 / 7)
    assert score("ne-oe(**)", NAMELESS, NAMELESS) == 1


def test_without_entities() -> None:
    lexical = 3 / 8
    assert score("ne-oe", NAMELESS, REF) == 0
    assert score("ne-oe(missing=backoff)", NAMELESS, REF) == pytest.approx(lexical)
    assert score("ne-me(missing=interpolate)", NAMELESS, REF) == pytest.approx(lexical / 2)
    assert score("ne-oe(missing=backoff)", HYP, REF) == score("ne-oe", HYP, REF)
