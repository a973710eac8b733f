"""Folders and files at addresses behave as those of this machine; troubles are told."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.cli import main
from albeit.data import write
from albeit.data.build import open_texts
from albeit.data.files import Folder, file_size, files_of, is_address, open_file
from albeit.data.front import open_corpus
from albeit.errors import InputError, MissingExtraError
from albeit.evaluation import merge, score_partitions
from albeit.evaluation.partitions import read_run
from albeit.metrics.registry import metric
from tests.evaluation.test_partitions import make_set, printed

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: pip install albeit[scale]")


@pytest.fixture(autouse=True)
def memory() -> Iterator[Any]:
    """An empty store in memory: what it writes is there or not, as with a store of objects."""
    store = fsspec.filesystem("memory")
    yield store
    store.store.clear()
    store.pseudo_dirs[:] = [""]


def test_what_an_address_is() -> None:
    addresses = ["s3://bucket/run", "simplecache::s3://bucket/run", "file:///tmp/run"]
    assert all(map(is_address, addresses))
    assert not any(map(is_address, ["run", "/tmp/run", "C:\\run", "a=b/c", "://run", "-"]))


names = st.text("abc-.0", min_size=1, max_size=6).filter(lambda n: n.strip("."))
Places = pytest.TempPathFactory
Deed = tuple[str, str, bytes]
deeds = st.lists(st.tuples(st.sampled_from(["write", "remove"]), names, st.binary(max_size=9)))


@given(deeds)
def test_folders_here_and_there_are_alike(tmp_path_factory: Places, done: list[Deed]) -> None:
    root = tmp_path_factory.mktemp("places")
    addresses = (f"{root}/run", f"memory://{root}/run", f"file://{root}/other/run")
    folders = [Folder(address) for address in addresses]
    for folder in folders:
        assert folder.names() == []
        for deed, name, data in done:
            if deed == "write":
                folder.write(name, data)
            else:
                folder.remove(name)
    first, *others = ({name: f.read(name) for name in f.names()} for f in folders)
    assert all(other == first for other in others)


def test_a_run_at_an_address_has_the_same_files(tmp_path: Path, memory: Any) -> None:
    write(make_set(), tmp_path / "set.jsonl")
    stream, metrics = open_corpus(tmp_path / "set.jsonl"), [metric("ter"), metric("chrf")]
    expected = score_partitions(stream, metrics, tmp_path / "run", batch=9)
    for only in (range(2, 9), range(2)):
        score_partitions(stream, metrics, "memory://runs/one", batch=9, only=only)
    assert printed(merge("memory://runs/one")) == printed(expected)
    there = {k.removeprefix("/runs/one/"): memory.cat_file(k) for k in memory.find("/runs/one")}
    own = tmp_path / "run"
    assert there == {str(p.relative_to(own)): p.read_bytes() for p in own.rglob("*.*")}
    whole = read_run("memory://runs/one")
    assert whole["ter"].system.tobytes() == read_run(own)["ter"].system.tobytes()


def test_a_part_not_moved(tmp_path: Path, memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a connection breaks between the two steps; then the run goes on."""
    write(make_set(), tmp_path / "set.jsonl")
    stream, metrics = open_corpus(tmp_path / "set.jsonl"), [metric("ter")]
    move, moved = type(memory).mv, []

    def breaks(self: Any, old: str, new: str, **rest: Any) -> None:
        moved.append(new)
        if len(moved) == 3:
            raise ConnectionError("the line is cut")
        move(self, old, new, **rest)

    monkeypatch.setattr(type(memory), "mv", breaks)
    with pytest.raises(InputError, match=r"run/parts/.*cannot be written: the line is cut"):
        score_partitions(stream, metrics, "memory://run", batch=9)
    assert len(memory.find("/run")) == 2, "what is described, and one part; nothing half"
    assert score_partitions(stream, metrics, "memory://run", batch=9) is not None
    done = [name for name in moved if "/parts/" in name]
    assert len(done) == len(set(done)) + 1, "what was there was not made again"


def test_texts_and_tables_are_read_from_addresses(tmp_path: Path, memory: Any) -> None:
    lines = [f"line {n} of the text" for n in range(50)]
    memory.pipe_file("/in/ref.txt.gz", gzip.compress("\n".join(lines).encode()))
    for number, cut in enumerate((lines[:20], lines[20:])):
        memory.pipe_file(f"/in/mt-{number}.txt", ("\n".join(cut) + "\n").encode())
    assert [Path(p).name for p in files_of("memory://in/mt-*.txt")] == ["mt-0.txt", "mt-1.txt"]
    stream = open_texts(["memory://in/ref.txt.gz"], ["mt=memory://in/mt-*.txt"])
    assert stream.systems == ("mt",)
    (batch,) = stream.partitions(1000)
    assert batch.evalset.references["ref"] == batch.evalset.systems["mt"] == tuple(lines)
    assert (stream.share, file_size("memory://none")) == (1.0, 0)
    with pytest.raises(InputError, match=r"memory://in/none.txt: cannot be read: No such file"):
        next(open_texts(["memory://in/none.txt"], ["memory://in/mt-0.txt"]).partitions(9))
    with pytest.raises(InputError, match="no files match the pattern"):
        open_texts(["memory://in/none-*"], ["memory://in/mt-0.txt"])
    for name in ("set.parquet", "set.tsv"):
        write(make_set(), tmp_path / name)
        memory.pipe_file(f"/in/{name}", (tmp_path / name).read_bytes())
        (batch,) = open_corpus(f"memory://in/{name}").partitions(1000)
        assert batch.evalset.systems == make_set().systems


def test_the_command_takes_addresses(memory: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ref", "mt"):
        memory.pipe_file(f"/in/{name}.txt", b"one line\nand another\n")
    command = ["score", "memory://in/ref.txt", "-i", "memory://in/mt.txt", "-m", "chrf"]
    assert main([*command, "--out", "memory://run", "-f", "tsv"]) == 0
    out = capsys.readouterr().out
    assert out == "system\tchrf\nmt\t100.0\n"
    assert main([*command, "-f", "tsv"]) == 0, "without batches too"
    assert capsys.readouterr().out == out
    assert main([*command, "--out", "nowhere://run"]) == 2
    assert "nowhere://run: cannot be reached: Protocol not known" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "says"),
    [("fsspec", r"pip install 'albeit\[scale\]'"), ("s3fs", "needs the package for its kind")],
)
def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, name: str, says: str) -> None:
    def missing(path: str) -> None:
        raise ImportError(path, name=name)

    monkeypatch.setattr("fsspec.core.url_to_fs", missing)
    for work in (Folder, open_file):
        with pytest.raises(MissingExtraError, match=says):
            work("memory://run")
