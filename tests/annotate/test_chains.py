from __future__ import annotations

from albeit.annotate.chains import (
    aligned_positions,
    chains,
    document_words,
    plain_reader,
    positions,
)
from albeit.annotate.relations import groups, related

READER = plain_reader("en")


def test_a_chain_needs_two_sentences() -> None:
    places = positions([["die", "die", "man"], ["die"], ["go", "man"]])
    assert places == {"die": 0b011, "man": 0b101, "go": 0b100}
    assert chains(places) == {"die": 0b011, "man": 0b101}
    assert chains(positions([["die", "die"]])) == {}


def test_segments_are_positions_while_each_is_one_sentence() -> None:
    text = document_words(("The dog.", "A cat.", "Dogs and cats."), READER)
    assert text.single
    assert aligned_positions(text, text) == (text.places, text.places)
    assert chains(text.places) == {"dog": 0b101, "cat": 0b110}


def test_several_sentences_in_a_segment_are_positions_of_their_own() -> None:
    two = document_words(("The dog barked. The cat saw the dog.",), READER)
    one = document_words(("The dog barked, and the cat saw the dog.",), READER)
    assert not two.single
    assert chains(aligned_positions(two, two)[0]) == {"dog": 0b11}
    assert [chains(side) for side in aligned_positions(one, two)] == [{}, {}]
    assert document_words(two_lines := ("A dog. A dog.",), plain_reader("en", "stem", False)).single
    assert list(document_words(two_lines, READER).sentences()) == [["dog"], ["dog"]]


def test_related_words_gather_around_the_most_frequent() -> None:
    leader = groups({"car": 3, "automobile": 1, "auto": 2, "dog": 1}, "synonyms")
    assert leader == {"car": "car", "automobile": "car", "auto": "car", "dog": "dog"}
    assert groups({"dog": 2, "poodle": 1}, "synonyms")["poodle"] == "poodle"
    assert groups({"dog": 2, "poodle": 1}, "hypernyms")["poodle"] == "dog"
    assert related(["car", "automobile", "week"], "synonyms") == {"car", "automobile"}
    assert related(["reopen", "reopening"], "synonyms") == {"reopen", "reopening"}
