from __future__ import annotations

import pytest

from albeit.errors import LanguageError
from tests.metrics.cohesion.test_cohesion import value

TEXT = ("The dog barked at a car.", "The dogs saw an automobile.")


def test_repetition_counts_words_whose_stem_occurs_again() -> None:
    # content words: dog bark car / dog saw automobile
    assert value("rc", TEXT) == pytest.approx(2 / 6)


def test_lexical_cohesion_adds_wordnet() -> None:
    assert value("lc", TEXT) == pytest.approx(4 / 6)
    assert value("lc", ("A poodle came.", "The dog slept.")) == 2 / 4  # a poodle is a dog
    assert value("lc", ("A poodle came.", "The cat slept.")) == 0.0


def test_no_reference_is_needed_but_a_known_language_is() -> None:
    german = ("Der Hund bellte.", "Ein Hund schlief.")
    assert value("rc", german, lang="de") == pytest.approx(2 / 4)
    with pytest.raises(LanguageError, match="lc"):
        value("lc", german, lang="de")
