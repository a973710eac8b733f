from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from albeit.parsing.chains import common_units, match_sentences


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
    assert match_sentences(left, right) == (
        ((0, 1), (0, 1)),
        ((1, 2), (1, 1)),
        ((2, 3), (1, 2)),
    )


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
