from __future__ import annotations

from albeit.parsing import annotate_documents
from albeit.parsing.chains import aligned_positions
from albeit.parsing.content import related
from albeit.parsing.layers import CHAINS, STEMS, DocumentWords, chains
from albeit.parsing.layers.words import positions


def stems(*lines: str) -> DocumentWords:
    return annotate_documents([lines], frozenset({STEMS}))[lines][STEMS]


def test_a_chain_needs_two_sentences() -> None:
    places = positions([["die", "die", "man"], ["die"], ["go", "man"]])
    assert places == {"die": 0b011, "man": 0b101, "go": 0b100}
    assert chains(places) == {"die": 0b011, "man": 0b101}
    assert chains(positions([["die", "die"]])) == {}


def test_segments_are_positions_while_each_is_one_sentence() -> None:
    text = stems("The dog.", "A cat.", "Dogs and cats.")
    assert text.single
    assert aligned_positions(text, text) == (text.places, text.places)
    assert chains(text.places) == {"dog": 0b101, "cat": 0b110}


def test_several_sentences_in_a_segment_are_positions_of_their_own() -> None:
    two = stems("The dog barked. The cat saw the dog.")
    one = stems("The dog barked, and the cat saw the dog.")
    assert not two.single
    assert chains(aligned_positions(two, two)[0]) == {"dog": 0b11}
    assert [chains(side) for side in aligned_positions(one, two)] == [{}, {}]
    again = stems("A dog. A dog.")
    assert list(again.sentences()) == [["dog"], ["dog"]]
    assert again.whole_segments.single
    assert list(again.whole_segments.sentences()) == [["dog", "dog"]]


def test_chains_are_a_layer_of_documents() -> None:
    lines = ("The dog. A cat.", "Dogs and cats.")
    found = annotate_documents([lines, lines], frozenset({CHAINS}))
    assert len(found) == 1
    assert found[lines][CHAINS] == {"dog": 0b101, "cat": 0b110}
    assert found[lines][CHAINS] is found[lines][CHAINS]
    assert list(CHAINS.draw(found[lines][CHAINS], found[lines])) == ["dog  1 3", "cat  2 3"]
    places = found[lines][STEMS].positions
    assert [places.in_segment(n) for n in range(len(places))] == [(0, 0), (0, 1), (1, 0)]
    assert places.in_document(1, 0) == 2


def test_related_words() -> None:
    assert related(["car", "automobile", "week"]) == {"car", "automobile"}
    assert related(["reopen", "reopening"]) == {"reopen", "reopening"}
    assert related(["dog", "poodle", "cat"]) == {"dog", "poodle"}
