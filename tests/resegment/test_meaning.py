from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from albeit.resegment import meaning
from albeit.resegment.segment import Segmentation, segment_text

TOPICS = {"cat": 0, "feline": 0, "dog": 1, "hound": 1, "rain": 2, "storm": 2, "sea": 3, "ocean": 3}


@pytest.fixture(autouse=True)
def topics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors by topic, so that words alone cannot match."""

    def vectors(sentences: Sequence[str], lang: str) -> npt.NDArray[np.float32]:
        rows = np.full((len(sentences), 4), 0.01, np.float32)
        for row, sentence in zip(rows, sentences, strict=True):
            for word in sentence.lower().rstrip(".").split():
                if word in TOPICS:
                    row[TOPICS[word]] += 1
        return rows

    monkeypatch.setattr(meaning, "_vectors", vectors)


REFERENCE = ("The cat slept.", "The dog ran. Rain fell.", "The sea rose.")


def by_meaning(text: str, reference: Sequence[str] = REFERENCE) -> Segmentation:
    return segment_text(reference, text, "en", "meaning")


def test_sentences_go_where_they_mean() -> None:
    found = by_meaning("A feline dozed. One hound sped. A storm came. Sea came. The ocean went up.")
    assert found.pieces() == (
        "A feline dozed.",
        "One hound sped. A storm came.",
        "Sea came. The ocean went up.",
    )
    assert found.way == "meaning"


def test_a_lost_sentence_leaves_nothing() -> None:
    found = by_meaning("One hound sped. A storm came. The ocean went up.")
    assert found.pieces() == ("", "One hound sped. A storm came.", "The ocean went up.")


def test_a_sentence_over_two_segments_is_cut_by_words() -> None:
    found = by_meaning("A feline dozed, the dog ran, a storm came. The ocean went up.")
    assert found.pieces() == ("A feline dozed,", "the dog ran, a storm came.", "The ocean went up.")


def test_auto_goes_by_meaning_where_words_are_not_shared() -> None:
    text = "One feline dozed. Hound sped. Storm came. Ocean went up."
    assert segment_text(REFERENCE, text, "en").way == "meaning"
    assert segment_text(REFERENCE, text, "cs").way == "edits"
    assert segment_text(REFERENCE, " ".join(REFERENCE), "en").way == "edits"


def test_a_long_text_is_looked_at_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    reference = [f"{word} number{n}." for n in range(10) for word in ("Cat", "Dog", "Rain", "Sea")]
    text = " ".join(
        f"{word} number{n}." for n in range(10) for word in ("Feline", "Hound", "Storm", "Ocean")
    )
    whole = by_meaning(text, reference).pieces()
    monkeypatch.setattr(meaning, "SMALL", 0)
    assert by_meaning(text, reference).pieces() == whole
    assert whole[0] == "Feline number0."


def test_nothing_on_one_side() -> None:
    assert by_meaning("").pieces() == ("", "", "")
    assert by_meaning("Some text.", ("", "")).pieces() == ("Some text.", "")
