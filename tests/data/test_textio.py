from __future__ import annotations

import gzip
import io
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from albeit.data import read_lines, textio, write_lines
from albeit.data.textio import LineReader, read_text, split_lines, write_text
from albeit.errors import AlbeitWarning, InputError

TEXT = "one\ntwo &amp; three\r\n\nfour \x85 five\u2028six"
zipped = zstandard.ZstdCompressor().compress


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textio, "_BLOCK", 2)


def put(folder: Path, data: bytes, name: str = "text.txt") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def read_in_parts(path: Path) -> tuple[str, ...]:
    reader = LineReader([str(path)])
    lines: list[str] = []
    while some := reader.take(3):
        lines += some
    assert reader.taken == len(lines)
    return tuple(lines)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ("a\rb\nc\u2028d\ne\x85f\x0bg\x0c\nlast", ("a\rb", "c\u2028d", "e\x85f\x0bg\x0c", "last")),
        ("\na\n\n", ("", "a", "")),
        ("\n", ("",)),
        ("&quot;a&quot; &#39;\nA&T &foo; &copy 2\n", ('"a" \'', "A&T &foo; &copy 2")),
        ("&lt;b&gt; &NewLine;\n&#0; &#xD800; &#8364;\n", ("<b>  ", "&#0; &#xD800; €")),
    ],
)
def test_only_lf_ends_a_line(tmp_path: Path, data: str, lines: tuple[str, ...]) -> None:
    """References to characters are resolved, and make no line."""
    assert read_lines(put(tmp_path, data.encode()), unescape=True) == lines


@pytest.mark.parametrize(
    ("data", "lines", "message", "count"),
    [
        ("a\r\nb\r\nc\n", ("a", "b", "c"), "2 lines with CRLF", 2),
        ("\ufeffa\n\ufeffb\n", ("a", "\ufeffb"), "byte-order mark", None),
        ("&quot;\nAT&T &foo;\n&lt;b\n", ("&quot;", "AT&T &foo;", "&lt;b"), "2 lines", 2),
    ],
)
def test_accepted_with_a_warning(
    tmp_path: Path, data: str, lines: tuple[str, ...], message: str, count: int | None
) -> None:
    path = put(tmp_path, data.encode())
    with pytest.warns(AlbeitWarning, match=message) as caught:
        assert read_lines(path) == lines
    warning = pickle.loads(pickle.dumps(caught[0].message))
    assert (warning.path, warning.count) == (str(path), count)
    assert str(warning) == str(caught[0].message)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (b"first\ncaf\xe9\n", r":2: byte 0xE9 at offset 9 .*byte 4 of.* iconv -f ISO-8859-1"),
        (b"a\nb\nc\n\xff\n", r":4: byte 0xFF at offset 6 of the file \(byte 1 of the line"),
        ("text\n".encode("utf-16"), "iconv -f UTF-16"),
        (b"\x93caf\xe9\x94\n", "iconv -f WINDOWS-1252"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", r"byte 0x89 .*is not UTF-8\. The file is not text"),
        (b"a\nb\nc\nd\0\n", ":4: the line contains U"),
        (gzip.compress(b"a\nb\n" * 999, mtime=0)[:-9], "is not a whole gzip file"),
        (zipped(b"a\nb\n" * 999)[:-3], "cannot be read: Truncated"),
        (b"\x28\xb5\x2f\xfdnonsense", "cannot be read: ZSTD"),
    ],
)
def test_bad_files(tmp_path: Path, data: bytes, message: str) -> None:
    path = put(tmp_path, data)
    for read in (read_lines, read_in_parts):
        with pytest.raises(InputError, match=rf"text\.txt.*{message}"):
            read(path)


def test_what_is_no_file_or_holds_only_a_mark(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_lines(tmp_path)
    with pytest.warns(AlbeitWarning), pytest.raises(InputError, match="is empty"):
        read_lines(put(tmp_path, b"\xef\xbb\xbf"))


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, zipped, lambda data: zipped(data[:7]) + zipped(data[7:])]
)
def test_parts_are_the_whole_file(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = put(tmp_path, pack(TEXT.encode()), "a.txt.gz")
    with pytest.warns(AlbeitWarning) as first:
        lines = read_lines(path)
    with pytest.warns(AlbeitWarning) as second:
        assert read_in_parts(path) == lines
    with pytest.warns(AlbeitWarning):
        assert tuple(split_lines(read_text(path))) == lines
    assert {str(each.message) for each in first} == {str(each.message) for each in second}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_characters="\n\r\0", codec="utf-8"))))
def test_any_lines(tmp_path: Path, lines: list[str]) -> None:
    path = put(tmp_path, "".join(line + "\n" for line in ["first", *lines]).encode())
    assert read_in_parts(path) == read_lines(path)


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(gzip.compress(b"a\nb\n")))
    monkeypatch.setattr("sys.stdin", stdin)
    reader = LineReader(["-"])
    assert reader.first() == "a"
    assert reader.again() is reader, "no line is taken yet"
    assert reader.take() == ["a", "b"]
    with pytest.raises(InputError, match="standard input: can be read only once"):
        reader.again()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n")))
    with pytest.raises(InputError, match="standard input:1: byte 0xFF"):
        read_lines("-")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["fine", "a\nb"], r"out\.txt:2: "),
        (["fine", "a\0"], r"out\.txt:2: "),
        (["fine", "a\r"], r"out\.txt:2: "),
        (["\ufeffa"], "byte-order mark"),
        (["a", "\ud800"], r"out\.txt:2: half a surrogate"),
    ],
)
def test_lines_that_cannot_be_written(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_lines(lines, tmp_path / "out.txt")
    assert not (tmp_path / "out.txt").exists()
    with pytest.raises(InputError, match="cannot be written"):
        write_lines(["a"], put(tmp_path, b"x") / "out.txt")


def test_written_gzip_is_the_same_every_time(tmp_path: Path) -> None:
    for name in ("a.txt.gz", "b.txt.gz"):
        write_lines(["a", ""], tmp_path / "new" / name)
    one, two = ((tmp_path / "new" / name).read_bytes() for name in ("a.txt.gz", "b.txt.gz"))
    assert one == two
    assert gzip.decompress(one) == b"a\n\n"


def test_an_interrupted_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_text("first", tmp_path / "out.txt")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    for name in ("out.txt", "new.txt"):
        with pytest.raises(InputError, match="No space left on device"):
            write_text("second", tmp_path / name)
    assert [each.name for each in tmp_path.iterdir()] == ["out.txt"]
    assert (tmp_path / "out.txt").read_text() == "first"


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(put(tmp_path, b"old", "real.txt"))
    write_text("new", tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"
    write_text("gone", "/dev/null")
    assert not Path("/dev/null").is_file()
