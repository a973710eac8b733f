"""Every experiment still fits the package: all that it imports is there."""

from __future__ import annotations

import importlib
import tarfile
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "experiments"
NAMES = sorted(path.stem for path in SCRIPTS.glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_imported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    assert importlib.import_module(name).__doc__


def test_half_an_archive_is_not_taken_for_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    unpacked = importlib.import_module("_common").unpacked
    data, work = tmp_path / "data", tmp_path / "work"
    (data / "gum").mkdir(parents=True)
    for name in ("one", "two"):
        (data / "gum" / name).write_text(name)
    with tarfile.open(data / "gum.tar.xz", "w:xz") as archive:
        archive.add(data / "gum", "gum")

    def half(archive: tarfile.TarFile, path: str, **_: object) -> None:
        archive.extract("gum/one", path, filter="data")
        raise KeyboardInterrupt

    with monkeypatch.context() as ended:
        ended.setattr(tarfile.TarFile, "extractall", half)
        with pytest.raises(KeyboardInterrupt):
            unpacked(data, "gum", work)
    assert list(work.iterdir()) == []
    found = unpacked(data, "gum", work)
    assert sorted(path.name for path in found.iterdir()) == ["one", "two"]
    assert unpacked(data, "gum", work) == found
