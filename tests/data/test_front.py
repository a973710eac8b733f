from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from albeit.data import EvalSet, read, write
from albeit.data.front import detect
from albeit.errors import InputError

SET = EvalSet({"refA": ("a",)}, {"x": ("b",)}, ("c",), source_lang="de", name="tiny")


PLACES = ["sgml u/a.xml/set.sgm", "tsv table", "jsonl lines", "xml a.xml.gz", "xml marked"]


@pytest.mark.parametrize("case", PLACES)
def test_detection(tmp_path: Path, case: str) -> None:
    format, place = case.split()
    write(SET, tmp_path / place, format)
    assert detect(tmp_path / place) == format
    assert read(tmp_path / place).systems == SET.systems


def test_sgml_under_the_name_of_xml(tmp_path: Path) -> None:
    write(SET, tmp_path / "a.sgm")
    (tmp_path / "a.sgm").rename(tmp_path / "a.xml")
    assert detect(tmp_path / "a.xml") == "sgml"
    assert read(tmp_path / "a.xml") == SET


def test_several_files(tmp_path: Path) -> None:
    write(SET.select(systems=[]), tmp_path / "a.xml")
    write(SET.select(references=[]), tmp_path / "b.xml")
    with pytest.raises(InputError, match="document 'all' of the source is at"):
        read([tmp_path / "a.xml", tmp_path / "b.xml"])
    write(EvalSet({}, SET.systems, name="tiny"), tmp_path / "b.xml")
    assert read([tmp_path / "a.xml", tmp_path / "b.xml"]) == SET
    assert read(tmp_path) == SET


def test_wrong_questions(tmp_path: Path) -> None:
    write(SET, tmp_path / "a.tsv")
    for message, options in {
        "collection isn't supported for format 'tsv'": {"collection": "x"},
        "language_pair isn't supported for format 'tsv'": {"language_pair": "de-en"},
        "docs isn't supported for format 'tsv'": {"docs": "d"},
    }.items():
        with pytest.raises(InputError, match=message):
            read(tmp_path / "a.tsv", **options)  # type: ignore[arg-type]
    write(SET, tmp_path / "set", "folder")
    with pytest.raises(InputError, match="is read from one path"):
        read([tmp_path / "set", tmp_path / "set"])
    with pytest.raises(InputError, match="no file to read"):
        read([])
    with pytest.raises(InputError, match="format of standard input must be given"):
        read("-")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="match a known format"):
        read(tmp_path / "empty")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read(tmp_path / "nothing")


def test_standard_input_with_a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    for format, data in {
        "tsv": b"ref\tsys:x\na\tb\n",
        "sgml": b"<tstset><doc docid=d sysid=x><seg>b</seg></doc></tstset>",
    }.items():
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert dict(read("-", format).systems) == {"x": ("b",)}


def test_an_unknown_ending_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.foo: no format has the ending '\.foo'"):
        write(SET, tmp_path / "x.foo")
    assert not (tmp_path / "x.foo").exists()
    write(SET, tmp_path / "set.2026")
    assert (tmp_path / "set.2026").is_dir()


def test_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    write(SET, "-", "tsv")
    assert capsys.readouterr().out.splitlines()[0].startswith("source\tref:refA")
    with pytest.raises(InputError, match="a folder cannot be written to standard output"):
        write(SET, "-")
