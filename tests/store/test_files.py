"""Folders of the cache; sealed files are tested with the paraphrase table that uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit.errors import AlbeitError
from albeit.store.files import cache_folder, make_private, size_limit


def test_folders_that_exist_keep_their_mode(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o755)
    make_private(cache / "a" / "b")
    make_private(cache)
    assert cache.stat().st_mode & 0o777 == 0o755
    assert (cache / "a").stat().st_mode & 0o777 == 0o700
    assert (cache / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_folder_and_limit_are_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value, folder in (("off", None), ("Off", None), (str(tmp_path), tmp_path)):
        monkeypatch.setenv("ALBEIT_CACHE", value)
        assert cache_folder() == folder
    monkeypatch.setenv("ALBEIT_CACHE_LIMIT", "2.5")
    assert size_limit() == 2_500_000
    monkeypatch.setenv("ALBEIT_CACHE_LIMIT", "much")
    with pytest.raises(AlbeitError, match="must be a number of megabytes, not 'much'"):
        size_limit()
