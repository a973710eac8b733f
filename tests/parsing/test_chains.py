from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from albeit.parsing import annotate_documents
from albeit.parsing.content import aligned_positions, common_units, match_sentences, related
from albeit.parsing.layers import CHAINS, STEMS, DocumentWords, chains
from albeit.parsing.layers.documents import positions


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
    assert again.segments == ([["dog"], ["dog"]],)
    assert again.whole_segments.segments == ([["dog", "dog"]],)


def test_chains_are_a_layer_of_documents() -> None:
    lines = ("The dog. A cat.", "Dogs and cats.")
    found = annotate_documents([lines, lines], frozenset({CHAINS}))
    assert len(found) == 1
    assert found[lines][CHAINS] == {"dog": 0b101, "cat": 0b110}
    assert found[lines][CHAINS] is found[lines][CHAINS]
    assert list(CHAINS.render(found[lines][CHAINS], found[lines])) == ["dog  1 3", "cat  2 3"]


def test_related_words() -> None:
    assert related(["car", "automobile", "week"]) == {"car", "automobile"}
    assert related(["reopen", "reopening"]) == {"reopen", "reopening"}
    assert related(["dog", "poodle", "cat"]) == {"dog", "poodle"}


def words(*sentences: str) -> list[list[str]]:
    return [sentence.split() for sentence in sentences]


def test_equal_texts_match_one_to_one() -> None:
    text = words("dog bark", "cat sleep", "week end")
    assert match_sentences(text, text) == tuple(((i, i + 1), (i, i + 1)) for i in range(3))


def test_one_sentence_stands_for_several() -> None:
    split, joined = words("dog bark", "cat sleep"), words("dog bark cat sleep")
    assert match_sentences(split, joined) == (((0, 2), (0, 1)),)
    assert match_sentences(joined, split) == (((0, 1), (0, 2)),)


def test_a_sentence_may_have_no_partner() -> None:
    left, right = words("dog bark", "new idea", "cat sleep"), words("dog bark", "cat sleep")
    assert match_sentences(left, right) == (((0, 1), (0, 1)), ((1, 2), (1, 1)), ((2, 3), (1, 2)))


texts = st.lists(st.lists(st.sampled_from("abcdef"), max_size=4), min_size=1, max_size=6)


@given(texts, texts)
def test_matches_cover_both_texts_in_order(left: list[list[str]], right: list[list[str]]) -> None:
    found = match_sentences(left, right)
    for side, text in enumerate((left, right)):
        covered = [place for match in found for place in range(*match[side])]
        assert covered == list(range(len(text)))


@given(st.lists(texts, min_size=1, max_size=4))
def test_a_common_numbering_never_goes_back(several: list[list[list[str]]]) -> None:
    numbered = common_units(several)
    for text, units in zip(several, numbered, strict=True):
        assert len(units) == len(text)
        assert units == sorted(units)
    known = {unit for units in numbered for unit in units}
    assert known == set(range(len(known)))


@given(texts, texts)
def test_two_texts_are_numbered_by_what_was_matched(
    left: list[list[str]], right: list[list[str]]
) -> None:
    ours, theirs = common_units([left, right])
    for number, (mine, other) in enumerate(match_sentences(left, right)):
        assert {ours[i] for i in range(*mine)} <= {number}
        assert {theirs[i] for i in range(*other)} <= {number}
