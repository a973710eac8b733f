from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.data import Document, EvalSet
from albeit.data import word_edits as edits
from albeit.data.resegment import CutText, LooseSet, LooseText, resegment
from albeit.data.word_edits import COMMA, INSIDE, LOST, NAME, OTHER, SMALL, STEM, Words

SEGMENTS = ("The cat sat on the mat.", "A dog barked loudly at it!", "Nobody came home", "The end.")
WORDS = st.sampled_from(["a", "cat", "cats.", "Dog", "dog", "house,", "housing!", "B", "sat."])
LINES = st.lists(st.lists(WORDS, max_size=4).map(" ".join), min_size=1, max_size=4)


def segment_text(segments: Sequence[str], text: str) -> CutText:
    document = Document("all", 0, len(segments))
    loose = LooseSet(EvalSet({"ref": tuple(segments)}, {}), {"sys": (LooseText(document, text),)})
    return resegment(loose).systems["sys"][0]


def pieces(segments: Sequence[str], text: str) -> tuple[str, ...]:
    return segment_text(segments, text).pieces()


OTHER_WORDS = ("That cat sat on a mat.", "Then dogs barked at it!", "No one came home", "End.")
CHINESE = ("猫坐在垫子上。", "一只狗大声叫。", "“没有人回家。”")
HEADLINE = ("Diagram of technology of a new membrane", "Here, reporter Shang: Lately, it ran.")
OTHER_HEADLINE = ("Diagram of a new membrane technology", "News from Shang: Days ago, it ran.")


@pytest.mark.parametrize(
    ("segments", "joint", "said"),
    [
        (SEGMENTS, " ", SEGMENTS),
        (SEGMENTS, " ", OTHER_WORDS),
        (SEGMENTS, " ", (SEGMENTS[0], "", *SEGMENTS[2:])),
        # never inside a word or before its stop
        (("one two", "three four"), " ", ("onetwo.", "three four")),
        (("那只猫坐在垫子上。", "狗大声地叫。", "“没人回家。”"), "", CHINESE),
        # after a headline the text goes on with a capital
        (HEADLINE, " ", OTHER_HEADLINE),
        # a line break draws the cut
        (("one two", "three"), "\n", ("one two x", "three")),
        (("one two", "y three"), "\n", ("one two", "x three")),
        (("", "one two.", ""), "", ("", "one two.", "")),
        (SEGMENTS, " ", ("",) * 4),
        (SEGMENTS, "\n", ("",) * 4),
    ],
)
def test_texts_are_cut_again(segments: Sequence[str], joint: str, said: Sequence[str]) -> None:
    assert pieces(segments, joint.join(said)) == said


def _cost(segment: Words, keys: Sequence[str], stems: Sequence[str]) -> float:
    """The cheapest edits of one segment into some words, by the plain rule."""
    ours, our_stems = segment.keys, segment.stems
    table = np.zeros((len(ours) + 1, len(keys) + 1))
    table[0], table[:, 0] = LOST * np.arange(len(keys) + 1), LOST * np.arange(len(ours) + 1)
    for i in range(len(ours)):
        for j in range(len(keys)):
            if ours[i] == keys[j]:
                step = 0.0
            elif our_stems[i] == stems[j]:
                step = STEM
            else:
                step = OTHER if ours[i][0].isalnum() == keys[j][0].isalnum() else 2 * LOST
            table[i + 1, j + 1] = min(
                table[i, j] + step, table[i, j + 1] + LOST, table[i + 1, j] + LOST
            )
    return float(table[-1, -1])


def _total(segments: Sequence[Words], text: Words, places: Sequence[int]) -> float:
    ends = [0, *places, len(text)]
    total = 0.0
    for s, segment in enumerate(segments):
        a, b = ends[s], ends[s + 1]
        total += _cost(segment, text.keys[a:b], text.stems[a:b])
        if s < len(segments) - 1:
            total += _cut_cost(segment, segments[s + 1], text, b)
    return total


def _cut_cost(segment: Words, following: Words, text: Words, b: int) -> float:
    """What a cut before word ``b`` costs, by the plain rule."""
    total = -1.0 if text.lines[b] else 0.0
    if segment.ends[-1]:
        return total + (0.0 if text.ends[b] else INSIDE)
    if text.commas[b] and not segment.commas[-1]:
        total += COMMA
    if not following.smalls[0]:
        total += SMALL if text.smalls[b] else NAME if text.names[b] else 0.0
    return total


@settings(max_examples=60, deadline=None)
@given(LINES, st.lists(WORDS, max_size=8))
def test_no_other_cuts_cost_less(lines: list[str], words: list[str]) -> None:
    segments, text = [edits.read_words(line) for line in lines], edits.read_words(" ".join(words))
    found = [text.starts.index(cut) for cut in edits.cut_by_edits(segments, text)]
    allowed = [j for j in range(len(text) + 1) if text.cuts[j]]
    best = min(
        _total(segments, text, places)
        for places in combinations_with_replacement(allowed, len(segments) - 1)
    )
    assert _total(segments, text, found) == pytest.approx(best, abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("ab .!?\n中“”\"'", max_size=12), min_size=1, max_size=5),
    st.text("ab .!?\n中“”\"'", max_size=60),
)
def test_nothing_is_lost_or_made_up(segments: Sequence[str], text: str) -> None:
    found = segment_text(segments, text)
    assert len(found.spans) == len(segments)
    assert "".join("".join(found.pieces()).split()) == "".join(text.split())
    assert 0 <= found.confidence <= 1


def _news(count: int, seed: int) -> list[str]:
    random = np.random.default_rng(seed)
    return [" ".join(f"w{n}" for n in random.integers(0, 900, 12)) + "." for _ in range(count)]


def test_the_corridor_of_a_long_text_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    reference = _news(150, 1)
    random = np.random.default_rng(2)
    said = [" ".join(w for w in line.split() if random.random() > 0.2) for line in reference]
    said[40:60] = []
    everywhere = pieces(reference, " ".join(said))
    monkeypatch.setattr(edits, "ALL_COMPARED", 0)
    monkeypatch.setattr(edits, "MARGIN", 60)
    assert pieces(reference, " ".join(said)) == everywhere


def test_a_text_of_strangers_is_cut_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "ALL_COMPARED", 0)
    found = segment_text(_news(30, 1), " ".join(f"v{n}" for n in range(400)))
    assert len(found.spans) == 30
    assert found.confidence == 0
