"""Shared fixtures: the evaluation data beside the checkout, where a machine has it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("albeit", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("albeit")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of third-party evaluation data; tests that need it skip without it."""
    folder = Path(os.environ.get("ALBEIT_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "wmt12").is_dir():
        pytest.skip(f"needs the evaluation data, and {folder} is not there (see CONTRIBUTING.md)")
    return folder
