"""A network that is scored on what it was trained on says so."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import albeit
from albeit.errors import AlbeitWarning
from albeit.metrics.judge.metric import SEEN, digest_lines, share_seen
from albeit.metrics.registry import metric

LINE = "Five words are long enough."


def test_a_share_of_lines_is_known_again(tmp_path: Path) -> None:
    np.save(tmp_path / SEEN, digest_lines([LINE, "Nobody has read this line before."]))
    assert share_seen([LINE.upper() + " ", "A line which is certainly new here."], tmp_path) == 0.5


def test_short_lines_and_folders_without_digests_say_nothing(tmp_path: Path) -> None:
    assert share_seen([LINE], tmp_path) == 0
    assert not len(digest_lines(["Yes.", "", "No, thank you."]))


def test_lines_without_spaces_count_by_characters() -> None:
    assert len(digest_lines(["总理昨天与三位部长一起前往华沙。"])) == 1
    assert not len(digest_lines(["谢谢。", "是的，没错。"]))


@given(st.lists(st.text()))
def test_digests_do_not_depend_on_order_or_repetition(lines: list[str]) -> None:
    assert np.array_equal(digest_lines(lines), digest_lines([*reversed(lines), *lines]))


def test_new_texts_are_scored_without_a_word() -> None:
    evalset = albeit.read("examples/demo")
    with warnings.catch_warnings():
        warnings.simplefilter("error", AlbeitWarning)
        metric("judge").check(evalset)


@pytest.mark.shared
def test_a_set_of_the_training_is_named(shared_data: Path) -> None:
    evalset = albeit.read(str(shared_data / "wmt13/fr-en"))
    with pytest.warns(AlbeitWarning, match="trained on (100|9[0-9])% of this set's references"):
        metric("judge").check(evalset)
