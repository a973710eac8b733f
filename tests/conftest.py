"""Shared fixtures: the evaluation data beside the checkout, where a machine has it."""

from __future__ import annotations

import os
import tarfile
import tempfile
import time
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


@pytest.fixture(scope="session")
def discourse_data(shared_data: Path) -> Path:
    """The folders of ``discourse.tar.xz``, unpacked once for all processes and runs."""
    archive = shared_data / "discourse.tar.xz"
    if not archive.is_file():
        pytest.skip(f"needs {archive} (see CONTRIBUTING.md)")
    stat = archive.stat()
    place = Path(tempfile.gettempdir()) / f"albeit-tests-{stat.st_size}-{stat.st_mtime_ns}"
    if not place.is_dir():
        with tempfile.TemporaryDirectory(dir=tempfile.gettempdir()) as folder:
            own = Path(folder) / "unpacked"
            with tarfile.open(archive) as file:
                file.extractall(own, filter="data")
            if not place.is_dir():
                own.rename(place)
    return place / "discourse"


def is_gone(pid: int) -> bool:
    """Wait until a process has ended; return whether it has."""
    for _ in range(1000):
        status = Path(f"/proc/{pid}/stat")
        try:
            os.kill(pid, 0)
            if status.exists() and status.read_text().split()[2] == "Z":
                return True
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
