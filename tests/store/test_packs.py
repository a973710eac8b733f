"""Packs: copies of the cache that are only read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from albeit.cli import main
from albeit.errors import AlbeitError, InputError
from albeit.store import CacheWarning
from albeit.store.records import Cache, export_pack, import_pack
from tests.store.test_records import LAYERS, fill, record


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pack of 2000 texts; the cache is an empty one."""
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "first"))
    fill(Cache(tmp_path / "first", "v1"), [f"text {n}" for n in range(2000)])
    assert export_pack(tmp_path / "pack") == 4000
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "second"))
    return tmp_path / "pack"


def test_a_pack_is_only_read(pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(Cache(tmp_path / "second", "v1"), ["own"])
    monkeypatch.setenv("ALBEIT_CACHE_PACKS", f"{tmp_path / 'nowhere'}:{pack}")
    before = {path.name: path.read_bytes() for path in pack.iterdir()}
    cache = Cache(tmp_path / "second", "v1")
    texts = ["own", "text 7", "text 1999", "new"]
    assert cache.layers(texts, LAYERS) == {t: record(t) for t in texts[:3]} | {"new": {}}
    fill(cache, ["text 7", "new"])
    assert {path.name: path.read_bytes() for path in pack.iterdir()} == before, "only read"
    assert Cache(tmp_path / "second", "v2").layers(["text 7"], LAYERS) == {"text 7": {}}


def test_a_pack_is_imported(pack: Path, tmp_path: Path) -> None:
    fill(Cache(tmp_path / "second", "v1"), ["text 7", "own"])
    assert import_pack(pack) == 3998
    assert import_pack(pack) == 0
    cache = Cache(tmp_path / "second", "v1")
    for text in ("own", "text 0", "text 7", "text 1999"):
        assert cache.layers([text], LAYERS) == {text: record(text)}


def test_a_damaged_pack(pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = pack.iterdir()
    data = file.read_bytes()
    file.write_bytes(data.replace(b"rst:text 7", b"rst:text 8"))
    monkeypatch.setenv("ALBEIT_CACHE_PACKS", str(pack))
    cache = Cache(tmp_path / "second", "v1")
    with pytest.warns(CacheWarning, match="the pack can't be used"):
        assert cache.layers(["text 7"], LAYERS) == {"text 7": {}}
    with pytest.raises(InputError, match="can't be imported: a record's checksum doesn't match"):
        import_pack(pack)
    file.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="can't be imported"):
        import_pack(pack)
    assert file.exists(), "it is not ours to delete"


def test_what_cannot_be_shared(pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AlbeitError, match="has no annotations to export"):
        export_pack(tmp_path / "other")
    with pytest.raises(InputError, match="isn't a pack"):
        import_pack(tmp_path / "nowhere")
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "first"))
    with pytest.raises(InputError, match="exists already"):
        export_pack(pack)
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    with pytest.raises(AlbeitError, match="turned off"):
        import_pack(pack)


def test_the_command_line(pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "import", str(pack)]) == 0
    assert capsys.readouterr().out == f"{pack}: 4000 records added\n"
    assert main(["cache", "export", str(tmp_path / "new"), "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"pack": str(tmp_path / "new"), "records": 4000}
    assert main(["cache", "export"]) == 2
    assert main(["cache", "info", str(pack)]) == 2
    assert "export and import take a folder" in capsys.readouterr().err
