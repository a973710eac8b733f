"""Unannotated texts: what is taken of each kind, and how it is cut."""

from __future__ import annotations

import pytest

from training import unlabelled


def test_a_text_is_cut_as_the_package_cuts_it() -> None:
    item = unlabelled.make_item("a", "news", "It wasn't late. He left, though.")
    assert item is not None
    assert [row.words for row in item.rows] == [
        ["It", "was", "n't", "late", "."],
        ["He", "left", ",", "though", "."],
    ]
    assert unlabelled.make_item("a", "news", "one") is None
    assert unlabelled.make_item("a", "news", "broken \ufffd text here") is None


def test_no_text_comes_twice_and_no_kind_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(unlabelled.SIZES, "news", 2)
    texts = ["A first line .", "A first line .", "A second line .", "A third line .", ""]
    assert len(unlabelled.sample([("news", texts), ("talks", texts)], 1)) == 2 + 3
