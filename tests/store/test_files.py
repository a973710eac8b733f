"""Folders of the cache; sealed files are tested with the paraphrase table that uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit.store.files import cache_folder, make_private


def test_folders_that_exist_keep_their_mode(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o755)
    make_private(cache / "a" / "b")
    make_private(cache)
    assert cache.stat().st_mode & 0o777 == 0o755
    assert (cache / "a").stat().st_mode & 0o777 == 0o700
    assert (cache / "a" / "b").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("value", ["off", "OFF", "Off"])
def test_the_cache_is_turned_off(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", value)
    assert cache_folder() is None
