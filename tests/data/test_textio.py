from __future__ import annotations

import gzip
import io
import pickle
import sys
from pathlib import Path

import pytest

from albeit.data import read_lines, write_lines
from albeit.data.textio import write_text
from albeit.errors import AlbeitWarning, InputError


def file(folder: Path, data: bytes, name: str = "text.txt") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_only_lf_ends_a_line(tmp_path: Path) -> None:
    text = "a\rb\nc\u2028d\ne\x85f\x0bg\x0c\nlast without an end"
    path = file(tmp_path, text.encode())
    assert read_lines(path) == ("a\rb", "c\u2028d", "e\x85f\x0bg\x0c", "last without an end")


def test_empty_lines_are_lines(tmp_path: Path) -> None:
    assert read_lines(file(tmp_path, b"\na\n\n")) == ("", "a", "")
    assert read_lines(file(tmp_path, b"\n")) == ("",)


def test_crlf_is_a_line_end_and_is_told_of(tmp_path: Path) -> None:
    path = file(tmp_path, b"a\r\nb\r\nc\n")
    with pytest.warns(AlbeitWarning, match=r"text\.txt: 2 lines with CRLF") as told:
        assert read_lines(path) == ("a", "b", "c")
    warning = told[0].message
    assert isinstance(warning, AlbeitWarning)
    assert (warning.path, warning.count) == (str(path), 2)


def test_byte_order_mark_is_left_out_and_told_of(tmp_path: Path) -> None:
    with pytest.warns(AlbeitWarning, match="byte-order mark"):
        assert read_lines(file(tmp_path, "\ufeffa\n\ufeffb\n".encode())) == ("a", "\ufeffb")


def test_not_utf8_names_line_and_byte(tmp_path: Path) -> None:
    path = file(tmp_path, b"first\ncaf\xe9\n")
    with pytest.raises(InputError, match=r"byte 0xE9 at offset 9 .*byte 4 of the line") as caught:
        read_lines(path)
    assert (caught.value.path, caught.value.line) == (str(path), 2)
    assert "iconv -f ISO-8859-1" in str(caught.value)


def test_utf16_is_recognised(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="iconv -f UTF-16"):
        read_lines(file(tmp_path, "text\n".encode("utf-16")))


def test_packed_nothing_is_empty(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"text\.txt: is empty"):
        read_lines(file(tmp_path, gzip.compress(b"")))


def test_only_a_byte_order_mark_is_empty(tmp_path: Path) -> None:
    with (
        pytest.warns(AlbeitWarning, match="byte-order"),
        pytest.raises(InputError, match="is empty"),
    ):
        read_lines(file(tmp_path, b"\xef\xbb\xbf"))


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.txt: cannot be read: No such file"):
        read_lines(tmp_path / "nothing.txt")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_lines(tmp_path)


def test_gzip_by_content_not_by_name(tmp_path: Path) -> None:
    data = gzip.compress("é\nb\n".encode())
    assert read_lines(file(tmp_path, data, "a.txt.gz")) == ("é", "b")
    assert read_lines(file(tmp_path, data, "a.txt")) == ("é", "b")
    with pytest.raises(InputError, match="not a whole gzip file"):
        read_lines(file(tmp_path, data[:-9]))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"a\nb\n"))))
    assert read_lines("-") == ("a", "b")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n")))
    with pytest.raises(InputError, match="standard input:1: byte 0xFF"):
        read_lines("-")


def test_entities_are_kept_and_counted_or_resolved(tmp_path: Path) -> None:
    path = file(tmp_path, b"&quot;a&quot; &#39;\nAT&T &foo; &copy 2012\n&lt;b&gt; &NewLine;\n")
    with pytest.warns(AlbeitWarning, match="2 lines with HTML entities") as told:
        assert read_lines(path)[0] == "&quot;a&quot; &#39;"
    assert len(told) == 1
    assert read_lines(path, unescape=True) == ('"a" \'', "AT&T &foo; &copy 2012", "<b>  ")


def test_entity_without_a_character_stays(tmp_path: Path) -> None:
    path = file(tmp_path, b"&#0; &#xD800; &#99999999; &#8364; &#x20ac;\n")
    assert read_lines(path, unescape=True) == ("&#0; &#xD800; &#99999999; € €",)


@pytest.mark.parametrize("line", ["a\nb", "a\0", "a\r"])
def test_lines_that_cannot_be_written(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=r"out\.txt:2: "):
        write_lines(["fine", line], tmp_path / "out.txt")
    assert not (tmp_path / "out.txt").exists()


def test_other_things_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="byte-order mark"):
        write_lines(["\ufeffa"], tmp_path / "out.txt")
    with pytest.raises(InputError, match=r"out\.txt:2: half a surrogate"):
        write_lines(["a", "\ud800"], tmp_path / "out.txt")
    with pytest.raises(InputError, match="cannot be written"):
        write_lines(["a"], file(tmp_path, b"x") / "out.txt")


def test_written_gzip_is_the_same_every_time(tmp_path: Path) -> None:
    for name in ("a.txt.gz", "b.txt.gz"):
        write_lines(["a", ""], tmp_path / "new" / name)
    one, two = ((tmp_path / "new" / name).read_bytes() for name in ("a.txt.gz", "b.txt.gz"))
    assert one == two
    assert gzip.decompress(one) == b"a\n\n"


def test_warning_survives_pickling() -> None:
    warning = pickle.loads(pickle.dumps(AlbeitWarning("odd.", path="f", count=3)))
    assert (str(warning), warning.path, warning.count) == ("f: odd.", "f", 3)


def test_what_cannot_be_written_whole_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.txt"
    write_text("first", path)

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    for name in ("out.txt", "new.txt"):
        with pytest.raises(InputError, match="No space left on device"):
            write_text("second", tmp_path / name)
    assert [each.name for each in tmp_path.iterdir()] == ["out.txt"]
    assert path.read_text() == "first"


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_text("new", tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"
    write_text("gone", "/dev/null")
    assert not Path("/dev/null").is_file()
