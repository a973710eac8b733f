from __future__ import annotations

from pathlib import Path

import pytest

from albeit.corpus.bitext import read_pairs
from albeit.errors import AlbeitWarning


def test_pairs_with_lost_characters_are_left_out_and_told_of(tmp_path: Path) -> None:
    one, two = tmp_path / "a.en", tmp_path / "a.fr"
    one.write_text("yes\nno\n", encoding="utf-8")
    two.write_text("oui\nn\ufffdn\n", encoding="utf-8")
    with pytest.warns(AlbeitWarning, match=r"a\.fr: 1 sentence pair with U\+FFFD left out"):
        assert read_pairs(str(one), str(two)) == [("yes", "oui")]
