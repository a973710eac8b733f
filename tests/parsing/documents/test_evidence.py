"""What words say of whether two mentions mean the same, by hand."""

import numpy as np

from albeit.parsing.traits import CLASSES, evidence, pair_codes, pair_features, stem

FOUND = evidence(
    [["The", "old", "bridge", "fell"], ["Bridges", "fall", ";", "it", "did"]],
    [["DET", "ADJ", "NOUN", "VERB"], ["NOUN", "VERB", "PUNCT", "PRON", "VERB"]],
    [[3, 3, 4, 0], [2, 0, 2, 5, 2]],
)


def test_stems() -> None:
    assert [stem(word) for word in ("bridges", "cities", "glass", "its")] == [
        "bridge",
        "city",
        "glass",
        "its",
    ]


def test_words_of_a_document() -> None:
    assert FOUND.parents.tolist() == [2, 2, 3, -1, 5, -1, 5, 8, 5]
    assert FOUND.stems[2] == FOUND.stems[4] != FOUND.stems[3]
    assert FOUND.definite[2]
    assert not FOUND.definite[4]
    assert FOUND.classes.tolist() == [0, 0, 0, 0, 0, 0, 0, 5, 0]
    assert (FOUND.sets[2] > 0).sum() == 2  # bridge, old


def test_pairs() -> None:
    # "Bridges" on "bridge": another form, the same stem; one of two words shared, all of its own
    ((form, head, in_other, _, share, same, *rest),) = pair_features(
        FOUND, np.array([4]), np.array([2])
    ).tolist()
    assert (form, head, in_other, share, same) == (0, 1, 1, 1, 0)
    assert rest[-1] == np.float32(np.log1p(2) / 6)
    # "it", the third mention, on the first: a gap of two mentions and of one sentence
    codes = pair_codes(FOUND, np.array([2, 4, 7]), np.array([2]), np.array([0]))
    assert codes.tolist() == [[2, 1, 5 * CLASSES]]
