from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own: where networks are kept."""
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "networks"
