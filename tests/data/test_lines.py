from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from albeit.data import textio
from albeit.data.files import files_of
from albeit.data.textio import LineReader, read_lines, read_text, split_lines
from albeit.errors import AlbeitWarning, InputError

TEXT = "one\ntwo &amp; three\r\n\nfour \x85 five\u2028six"
zipped = zstandard.ZstdCompressor().compress


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textio, "_BLOCK", 2)


def read(*paths: Path) -> tuple[str, ...]:
    reader = LineReader([str(path) for path in paths])
    found: list[str] = []
    while some := reader.take(3):
        found += some
    assert reader.taken == len(found)
    return tuple(found)


def two_frames(data: bytes) -> bytes:
    return zipped(data[:7]) + zipped(data[7:])


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zipped, two_frames])
def test_lines_are_those_of_the_whole_file(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "text"
    path.write_bytes(pack(TEXT.encode()))  # type: ignore[operator]
    with pytest.warns(AlbeitWarning) as told:
        expected = read_lines(path)
    with pytest.warns(AlbeitWarning) as told_too:
        assert read(path) == expected
    with pytest.warns(AlbeitWarning):
        assert tuple(split_lines(read_text(path))) == expected
    assert {str(each.message) for each in told} == {str(each.message) for each in told_too}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_characters="\n\r\0", codec="utf-8"))))
def test_whatever_stands_in_them(tmp_path: Path, found: list[str]) -> None:
    path = tmp_path / "text"
    path.write_text("".join(line + "\n" for line in ["first", *found]), encoding="utf-8")
    assert read(path) == read_lines(path)


def test_several_files_are_one_text(tmp_path: Path) -> None:
    for number in (10, 9):
        (tmp_path / f"part-{number:02}.txt").write_text(f"a{number}\nb{number}")
    found = files_of(tmp_path / "part-*.txt")
    reader = LineReader(found)
    assert reader.first() == "a9"
    assert reader.take() == ["a9", "b9", "a10", "b10"]
    assert reader.share == 1
    assert reader.place(3) == (found[1], 2), "lines are counted by file"
    assert reader.place(4) == (found[1], 3)


def test_headers_are_no_lines(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text(f"head\n{name}\n")
    heads: list[str] = []
    reader = LineReader(
        [tmp_path / "a", tmp_path / "b"], header=lambda line, path: heads.append(f"{path}:{line}")
    )
    assert reader.take() == ["a", "b"]
    assert heads == [f"{tmp_path}/a:head", f"{tmp_path}/b:head"]
    assert reader.place(1) == (str(tmp_path / "b"), 2)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is empty"),
        (b"a\nb\nc\n\xff\n", r":4: byte 0xFF at offset 6 of the file \(byte 1 of the line"),
        (b"a\nb\nc\nd\0\n", ":4: the line holds U"),
        (gzip.compress(b"a\nb\n" * 999, mtime=0)[:-9], "is not a whole gzip file"),
        (zipped(b"a\nb\n" * 999)[:-3], "cannot be read: Truncated"),
        (b"\x28\xb5\x2f\xfdnonsense", "cannot be read: ZSTD"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "text"
    path.write_bytes(data)
    with pytest.raises(InputError, match=told):
        read(path)
    if data:
        with pytest.raises(InputError, match=told):
            read_lines(path)


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"a\nb\n")))
    monkeypatch.setattr("sys.stdin", stdin)
    reader = LineReader(["-"])
    assert reader.first() == "a"
    assert reader.again() is reader, "nothing is taken yet"
    assert reader.take() == ["a", "b"]
    with pytest.raises(InputError, match="standard input: can be read only once"):
        reader.again()
