"""Alignment by meaning: links of a single sentence, without training."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from albeit.annotate.alignment.extras import eflomal_align, meaning_align
from albeit.errors import MissingExtraError


def test_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'albeit\[eflomal\]'"):
        eflomal_align([["a"]], [["b"]])


def test_both_directions_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fake:
        def align(
            self,
            source: list[str],
            target: list[str],
            *,
            links_filename_fwd: str,
            links_filename_rev: str,
            quiet: bool,
        ) -> None:
            assert (source, target) == (["a b\n"], ["c d\n"])
            Path(links_filename_fwd).write_text("0-0 1-1\n")
            Path(links_filename_rev).write_text("0-0\n")

    module = types.ModuleType("eflomal")
    module.Aligner = Fake  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "eflomal", module)
    assert eflomal_align([["a", "b"]], [["c", "d"]]) == [[(0, 0), (1, 1)]]


def test_words_that_mean_the_same_are_linked_across_languages() -> None:
    english = ["However", ",", "the", "black", "cat", "did", "not", "sleep", "."]
    for other, expected in (
        ("Die schwarze Katze schlief jedoch nicht .", {(4, 2), (3, 1), (0, 4), (6, 5), (8, 6)}),
        ("但是 黑 猫 没有 睡觉 。", {(0, 0), (3, 1), (4, 2), (8, 5)}),
    ):
        (links,) = meaning_align([english], [other.split()])
        assert expected <= set(links)
        assert len({i for i, _ in links}) == len(links) == len({j for _, j in links})


def test_empty_lines_have_no_links_and_company_changes_nothing() -> None:
    source = [["cat"], [], ["the", "dog"], ["\u200b"]]
    target = [["Katze"], ["x"], ["der", "Hund"], ["y"]]
    found = list(meaning_align(source, target))
    assert found[0] == [(0, 0)]
    assert found[1] == []
    assert found[2] == [(0, 0), (1, 1)]
    assert found[2] == next(meaning_align(source[2:3], target[2:3]))
