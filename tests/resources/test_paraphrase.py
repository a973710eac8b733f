"""Paraphrase tables: compiled once, found, refused."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import albeit
from albeit.errors import AlbeitError, InputError
from albeit.metrics.lexical.meteor import Scorer
from albeit.resources import paraphrase
from albeit.resources.paraphrase import ParaphraseTable, paraphrases
from albeit.store import CacheWarning


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))


def made(tmp_path: Path, text: str) -> ParaphraseTable:
    path = tmp_path / f"{hashlib.sha256(text.encode()).hexdigest()}.gz"
    if path.exists():
        return paraphrases(path)
    path.write_bytes(gzip.compress(text.encode()))
    return paraphrases(path)


def entries(table: ParaphraseTable) -> list[tuple[str, str]]:
    """All phrases with their paraphrases."""
    words = {number: word for word, number in table._words.items()}
    phrases = [""] * (len(table.entry_starts) - 1)
    for node in range(len(phrases)):
        for child in range(table.child_starts[node], table.child_starts[node + 1]):
            phrases[child] = f"{phrases[node]} {words[int(table.child_words[child])]}".strip()
    sizes = np.diff(table.entry_starts)
    sources = [phrase for phrase, size in zip(phrases, sizes, strict=True) for _ in range(size)]
    return list(zip(sources, (phrases[n] for n in table.entries), strict=True))


def test_entries_and_order(tmp_path: Path) -> None:
    table = made(tmp_path, "0.5\na b\nc\n0.1\na b\nb c a\n0.1\nc\na\n")
    assert sorted(entries(table)) == [("a b", "b c a"), ("a b", "c"), ("c", "a")]
    assert entries(table).index(("a b", "c")) < entries(table).index(("a b", "b c a"))
    assert table.word("unknown") == -1
    kept = list((tmp_path / "cache/paraphrases").iterdir())
    assert made(tmp_path, "0.5\na b\nc\n0.1\na b\nb c a\n0.1\nc\na\n") is table
    assert kept == list((tmp_path / "cache/paraphrases").iterdir())
    (tmp_path / "plain.txt").write_text("1\nx y\nz\n")
    assert entries(paraphrases(tmp_path / "plain.txt")) == [("x y", "z")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"0.5\na\n", "not a METEOR paraphrase table"),
        (b"a\nb\nc\n", "not a METEOR paraphrase table"),
        (b"0.5\na\n\n", "empty phrase"),
        (gzip.compress(b"1\nx\ny\n" * 999, mtime=0)[:-20], "not a METEOR paraphrase table"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "table").write_bytes(data)
    with pytest.raises(InputError, match=message):
        paraphrases(tmp_path / "table")
    assert not (tmp_path / "cache").exists()


def test_without_a_cache_none_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    assert len(made(tmp_path, "0.5\na\nb\n")) == 1
    assert list(work.iterdir()) == []


TABLE = "0.5\nis called\nhas the name of\n0.25\nbig\nvery large\n0.1\nhas the name of\nbig house\n"


Compiled = tuple[Path, bytes, list[float]]


def scores(tmp_path: Path) -> list[float]:
    """METEOR scores by the compiled table, read from the cache again."""
    table = tmp_path / "table"
    table.write_text(TABLE)
    paraphrase._open.cache_clear()
    Scorer.of.cache_clear()
    metric = albeit.metric(f"meteor-pa(table={table})")
    references = ["the house is called home", "a very large tree"]
    found = albeit.sentence_scores(
        ["the house has the name of home", "a big tree"], references, metric=metric
    )
    return [float(score) for score in found]


@pytest.fixture
def compiled(tmp_path: Path) -> Compiled:
    """The compiled table, its bytes, and the scores that it gives."""
    expected = scores(tmp_path)
    [path] = (tmp_path / "cache/paraphrases").iterdir()
    return path, path.read_bytes(), expected


def _replace(path: Path, data: bytes) -> None:
    """Put another file there: this process still has the old one mapped."""
    path.unlink()
    path.write_bytes(data)


def _set(data: bytes, at: int, value: bytes) -> bytes:
    return data[:at] + value + data[at + len(value) :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "only a header": lambda data: data[:48],
    "cut": lambda data: data[: len(data) // 2],
    "one byte more": lambda data: data + b"\0",
    "garbage": lambda data: hashlib.shake_256(data).digest(len(data)),
    "a huge size": lambda data: _set(data, 0, b"\0" * 7 + b"\x7f"),
    "digest of zeros": lambda data: data[:-32] + bytes(32),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_table_is_compiled_again(compiled: Compiled, tmp_path: Path, damage: str) -> None:
    path, data, expected = compiled
    damaged = DAMAGES[damage](data)
    assert damaged != data
    _replace(path, damaged)
    assert scores(tmp_path) == expected
    assert path.read_bytes() == data


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
@given(at=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_any_changed_byte(compiled: Compiled, tmp_path: Path, at: float, flip: int) -> None:
    path, data, expected = compiled
    place = int(at * len(data))
    _replace(path, _set(data, place, bytes([data[place] ^ flip])))
    assert scores(tmp_path) == expected
    assert path.read_bytes() == data


def test_a_folder_in_place_of_the_table(compiled: Compiled, tmp_path: Path) -> None:
    path, _, expected = compiled
    path.unlink()
    path.mkdir()
    with pytest.warns(CacheWarning, match="can't be stored"):
        assert scores(tmp_path) == expected


PHRASE = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(pairs=st.lists(st.tuples(PHRASE, PHRASE), min_size=1, max_size=20))
def test_any_table_has_its_entries(tmp_path: Path, pairs: list[tuple[str, str]]) -> None:
    table = made(tmp_path, "".join(f"1\n{a}\n{b}\n" for a, b in pairs))
    assert sorted(entries(table)) == sorted(pairs)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(data=st.binary(max_size=200))
def test_any_bytes_give_a_table_or_one_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / hashlib.sha256(data).hexdigest()
    path.write_bytes(data)
    message = ""
    try:
        message = f"{path}, {len(paraphrases(path))} entries"
    except AlbeitError as error:
        message = str(error)
    assert str(path) in message
