"""The cache on disk: several processes, kills, damage, limits; packs that are only read."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from albeit.cli import main
from albeit.errors import AlbeitError, InputError
from albeit.parsing import annotate
from albeit.parsing.annotator import English
from albeit.parsing.formats import to_object
from albeit.parsing.layers import DEPENDENCIES, EDUS, RST, AnyLayer
from albeit.parsing.model import Model
from albeit.store import CacheWarning, files
from albeit.store.files import clear, describe
from albeit.store.records import Cache, export_pack, import_pack

LAYERS = (EDUS, RST)


def record(text: str) -> dict[AnyLayer, bytes]:
    return {layer: f"{layer}:{text}".encode("utf-8", "surrogatepass") for layer in LAYERS}


def fill(cache: Cache, texts: list[str]) -> None:
    cache.add((text, record(text)) for text in texts)


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    texts = [f"text {n}" for n in range(3000)] + ["", "\udc80", "é"]
    cache = Cache(tmp_path, "v1")
    fill(cache, texts)
    again = Cache(tmp_path, "v1")
    expected = {text: record(text) for text in texts} | {"unknown": {}}
    assert again.layers([*texts, "unknown"], LAYERS) == expected
    assert Cache(tmp_path, "v2").layers(["é"], LAYERS) == {"é": {}}
    assert again.layers(["é"], [EDUS]) == {"é": {EDUS: "edus:é".encode()}}


def _endless(folder: Path) -> None:
    cache = Cache(folder, "v1")
    n = 0
    while True:
        fill(cache, [f"{k}" for k in range(n, n + 50)])
        n += 50


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_after_a_kill(tmp_path: Path) -> None:
    worker = multiprocessing.get_context("spawn").Process(target=_endless, args=(tmp_path,))
    worker.start()
    reader = Cache(tmp_path, "v1")
    limit = time.time() + 20
    while time.time() < limit and not reader.layers(["200"], LAYERS)["200"]:
        time.sleep(0.02)
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    worker.join()
    cache = Cache(tmp_path, "v1")
    texts = [str(n) for n in range(100_000)]
    for text, found in cache.layers(texts, LAYERS).items():
        assert found in ({}, record(text))
    fill(cache, ["later"])
    assert cache.layers(["later"], LAYERS)["later"] == record("later")


@pytest.mark.parametrize("damage", ["truncated", "a name that is no text", "record"])
def test_damage_is_told_once_and_never_used(tmp_path: Path, damage: str) -> None:
    cache = Cache(tmp_path, "v1")
    texts = [f"text {n}" for n in range(2000)]
    fill(cache, texts)
    if damage == "truncated":
        cache.path.write_bytes(cache.path.read_bytes()[:20000])
    elif damage == "a name that is no text":  # which SQLite's message quotes
        data = cache.path.read_bytes()
        cache.path.write_bytes(data.replace(b"tablerecords", b"table\xaaecords"))
    else:
        db = sqlite3.connect(cache.path)
        with db:
            db.execute("update records set data = cast(data || x'00' as blob)")
        db.close()
    with pytest.warns(CacheWarning, match="damaged") as caught:
        found = cache.layers(texts, LAYERS)
    assert len(caught) == 1
    assert not any(found.values())
    fill(cache, texts)
    assert cache.layers(texts, LAYERS)["text 7"] == record("text 7")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file", "v1")
    with pytest.warns(CacheWarning, match="ALBEIT_CACHE"):
        fill(cache, ["a"])
    assert cache.layers(["a"], LAYERS) == {"a": {}}


def test_the_limit_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path))
    Cache(tmp_path, "old").add([("a", {RST: bytes(100_000)})])
    cache = Cache(tmp_path, "v1", limit=400_000)
    for n in range(40):
        cache.add([(f"{n} {k}", {RST: os.urandom(1000)}) for k in range(20)])
    (file,) = describe()["files"]
    assert file["version"] == "v1.1"
    assert file["bytes"] < 600_000
    assert file["records"] > 100
    assert clear() >= file["bytes"]
    assert describe()["files"] == []


def test_a_network_file_system_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/a / ext4 rw 0 0\nhost:/ {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr(files, "MOUNTS", mounts)
    cache = Cache(tmp_path / "cache", "v1")
    with pytest.warns(CacheWarning, match=r"network file system \(nfs4\)"):
        fill(cache, ["a"])
    assert cache.layers(["a"], LAYERS) == {"a": {}}
    assert not (tmp_path / "cache").exists()


def _annotating(folder: Path, results: Path) -> None:
    """Sixteen threads of one process, each over all texts in an order of its own."""
    os.environ["ALBEIT_CACHE"] = str(folder)
    annotator = English(Model())
    digests: set[bytes] = set()
    gate = threading.Barrier(16)

    def work(number: int) -> None:
        texts = random.Random(number).sample(SENTENCES, len(SENTENCES))
        gate.wait(60)
        for start in range(0, len(texts), 10):
            block = texts[start : start + 10]
            found = annotate(block, frozenset({RST, DEPENDENCIES}), annotator=annotator)
            for text in block:
                shown = json.dumps(to_object(found[text]), sort_keys=True)
                digests.add(hashlib.sha256(shown.encode()).digest())

    with warnings.catch_warnings(), ThreadPoolExecutor(16) as pool:
        warnings.simplefilter("error")
        list(pool.map(work, range(16)))
    results.write_bytes(b"".join(sorted(digests)))


SENTENCES = [f"Number {n} left because it rained. She stayed, and {n} came." for n in range(60)]


def test_threads_of_two_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", "off")  # what is compiled here, nobody has to compile twice
    annotate(SENTENCES[:1], frozenset({RST, DEPENDENCIES}), annotator=English(Model()))
    context = multiprocessing.get_context("spawn")
    folder = tmp_path / "cache"
    outs = [tmp_path / "one", tmp_path / "two"]
    workers = [context.Process(target=_annotating, args=(folder, out)) for out in outs]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert len(outs[0].read_bytes()) == 32 * len(SENTENCES)
    monkeypatch.setenv("ALBEIT_CACHE", str(folder))
    (file,) = describe()["files"]
    assert file["records"] == 3 * len(SENTENCES)


def test_damage_seen_by_many_threads_is_told_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path, "v1")
    texts = [f"text {n}" for n in range(200)]
    fill(cache, texts)
    cache.path.write_bytes(b"not a database" * 1000)
    gate = threading.Barrier(8)

    def work(number: int) -> None:
        gate.wait(60)
        assert set(map(len, cache.layers(texts, LAYERS).values())) <= {0, 2}
        fill(cache, texts)

    with pytest.warns(CacheWarning, match="damaged") as caught, ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(caught) == 1
    assert cache.layers(texts, LAYERS) == {text: record(text) for text in texts}


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
