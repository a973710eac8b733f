from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from albeit.errors import InputError
from albeit.lexicons import CLASSIC, inventory
from albeit.lexicons.detect import Detector
from albeit.lexicons.words import cut

EIGHT = Detector(inventory("en"), CLASSIC)


def names(text: str) -> list[str]:
    return [c.name for c in EIGHT(cut(text, "en"))]


def test_even_though_is_one_connective() -> None:
    assert names("Even though it rains, though late") == ["even though", "though"]


@pytest.mark.parametrize("text", ["as though it were", "for a while", "worth your while", "whiled"])
def test_what_is_no_connective(text: str) -> None:
    assert names(text) == []


def test_an_exclusion_counts_against_its_own_connective_only() -> None:
    assert names("since then") == ["since"]
    assert names("as yet") == ["yet"]


def test_unknown_names() -> None:
    with pytest.raises(InputError, match="'notwithstand' is not among"):
        Detector(inventory("en"), ("notwithstand",))


def test_232_connectives_in_newstest2013(shared_data: Path) -> None:
    lines = (shared_data / "wmt13/en-de/src.txt").read_text("utf-8").splitlines()
    counted = Counter(name for line in lines for name in names(line))
    assert sum(counted.values()) == 232
    assert counted == {
        "however": 74,
        "since": 43,
        "while": 42,
        "yet": 29,
        "although": 19,
        "even though": 10,
        "though": 10,
        "meanwhile": 5,
    }
