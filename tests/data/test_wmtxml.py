from __future__ import annotations

from pathlib import Path

import pytest

from albeit.data import read
from albeit.errors import AlbeitWarning, InputError

WHOLE = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="tiny2022">
  <collection id="news">
    <doc origlang="en" id="n.1" domain="news">
      <src lang="en"><p><seg id="1">One &amp; two.</seg></p><p><seg id="2">Three.</seg></p></src>
<ref lang="de" translator="A"><p><seg id="1">Eins &amp; zwei.</seg><seg id="2">Drei.</seg></p></ref>
      <ref lang="de" translator="B"><p><seg id="1">1</seg><seg id="2">2</seg></p></ref>
      <hyp lang="de" system="Online-A"><p><seg id="1">Eins.</seg><seg id="2"/></p></hyp>
    </doc>
  </collection>
  <collection id="speech">
    <doc origlang="en" id="s.1">
      <src lang="en"><p><seg id="1">Hello
        you.</seg></p></src>
      <ref lang="de" translator="A"><p><seg id="1">Hallo.</seg></p></ref>
      <hyp lang="de" system="Online-A"><p><seg id="1">Hallo</seg></p></hyp>
    </doc>
  </collection>
</dataset>
"""


def put(folder: Path, text: str) -> Path:
    path = folder / "set.xml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    return path


@pytest.mark.parametrize("speech", ['id="s.1"', 'id="s.1" testsuite="talk"'])
def test_one_collection(tmp_path: Path, speech: str) -> None:
    path = put(tmp_path, WHOLE.replace('id="s.1"', speech))
    evalset = read(path, collection="news")
    assert evalset.source == ("One & two.", "Three.")
    assert dict(evalset.references) == {"A": ("Eins & zwei.", "Drei."), "B": ("1", "2")}
    assert dict(evalset.systems) == {"Online-A": ("Eins.", "")}
    assert evalset.document_ids() == ("n.1", "n.1")
    assert (evalset.name, evalset.source_lang, evalset.target_lang) == ("tiny2022", "en", "de")
    with pytest.raises(InputError, match=r"no collection 'x'\. It has: 'news', '(speech|talk)'"):
        read(tmp_path / "set.xml", collection="x")


def test_reference_of_some_documents(tmp_path: Path) -> None:
    path = put(tmp_path, WHOLE)
    with (
        pytest.warns(AlbeitWarning, match="broken over several lines"),
        pytest.raises(InputError, match=r"reference 'B' lacks document 's\.1', .*set\.xml:13"),
    ):
        read(path)
    with pytest.warns(AlbeitWarning, match=r"\(the source\): 1 segment broken"):
        evalset = read(path, references=["A"])
    assert evalset.source == ("One & two.", "Three.", "Hello you.")
    assert evalset.document_ids() == ("n.1", "n.1", "s.1")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Three", "\udce9", r"set\.xml:5: byte 0xE9"),
        ("<data", "<!DOCTYPE a [<!ENTITY % p SYSTEM '/etc/passwd'>]><data", "'p' .* refused"),
        ("One &amp;", "One &nbsp;", "Entity .nbsp. not defined"),
        ("encoding='utf-8'", "encoding='iso-8859-1'", r"set\.xml:1: .* encoding is iso-8859-1"),
        ('<hyp lang="de" system="Online-A">', '<hyp lang="de">', r"set\.xml:8: .* no system"),
        ("One", "<b>One</b>", r"set\.xml:5: element 'b' cannot be in 'seg'"),
        ('or="B"', 'or="A"', r"set\.xml:7: document 'n\.1' of reference 'A' is at .*set\.xml:6"),
        ('<collection id="news">', "<seg/><collection>", "'seg' cannot be in 'dataset'"),
    ],
)
def test_broken_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in WHOLE
    with pytest.raises(InputError, match=message):
        read(put(tmp_path, WHOLE.replace(old, new)), collection="news")


def test_nothing_is_left_out_in_silence(tmp_path: Path) -> None:
    text = WHOLE.replace("<src", "<note>by me</note><src")
    with pytest.warns(AlbeitWarning) as told:
        read(put(tmp_path, text), collection="news")
    said = " ".join(str(w.message) for w in told)
    assert "2 unknown elements ignored: note" in said
    assert "text outside segments was ignored" in said
