"""Paraphrase tables: compiled once, found, refused."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from albeit.errors import AlbeitError, InputError
from albeit.resources import paraphrases
from albeit.resources.paraphrase import ParaphraseTable


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))


def made(tmp_path: Path, text: str) -> ParaphraseTable:
    path = tmp_path / f"{hashlib.sha256(text.encode()).hexdigest()}.gz"
    if path.exists():
        return paraphrases(path)
    path.write_bytes(gzip.compress(text.encode()))
    return paraphrases(path)


def test_entries_and_order(tmp_path: Path) -> None:
    table = made(tmp_path, "0.5\na b\nc\n0.1\na b\nb c a\n0.1\nc\na\n")
    assert len(table) == 3
    assert table.related("a b", "c")
    assert table.related("c", "a b")
    assert table.related("b c a", "a b")
    assert not table.related("a", "b")
    assert not table.related("a", "unknown")
    node = table.node("a b")
    found = table.entries[table.entry_starts[node] : table.entry_starts[node + 1]].tolist()
    assert found == [table.node("c"), table.node("b c a")]
    assert table.node("a b c") == -1
    assert table.word("unknown") == -1


def test_compiled_once(tmp_path: Path) -> None:
    table = made(tmp_path, "0.5\na\nb\n")
    assert made(tmp_path, "0.5\na\nb\n") is table
    kept = list((tmp_path / "cache/paraphrases").iterdir())
    assert len(kept) == 1
    assert len(table.version) == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("0.5\na\n", "not a METEOR paraphrase table"),
        ("a\nb\nc\n", "not a METEOR paraphrase table"),
        ("0.5\na\n\n", "empty phrase"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        made(tmp_path, text)
    assert not list((tmp_path / "cache/paraphrases").iterdir())


def test_plain_text_and_broken_gzip(tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_text("1\nx y\nz\n")
    assert paraphrases(path).related("x y", "z")
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(b"1\nx\ny\n" * 999)[:-20])
    with pytest.raises(InputError, match="not a METEOR paraphrase table"):
        paraphrases(broken)


def test_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match="Set ALBEIT_CACHE"):
        made(tmp_path, "0.5\na\nb\n")


PHRASE = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(entries=st.lists(st.tuples(PHRASE, PHRASE), min_size=1, max_size=20))
def test_any_table_says_what_it_holds(tmp_path: Path, entries: list[tuple[str, str]]) -> None:
    table = made(tmp_path, "".join(f"1\n{a}\n{b}\n" for a, b in entries))
    for a, b in entries:
        assert table.related(a, b)
    both = {*entries, *((b, a) for a, b in entries)}
    phrases = {phrase for entry in entries for phrase in entry}
    for a in phrases:
        for b in phrases:
            assert table.related(a, b) == ((a, b) in both)


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
