from __future__ import annotations

from pathlib import Path

import pytest

from albeit.data import read
from albeit.errors import AlbeitWarning, InputError

SOURCE = """<srcset setid="tiny2013" srclang="any">
<doc docid="a.1" genre="news" origlang="cs">
<hl>
<seg id="1">Titulek & spol.</seg>
</hl>
<p>
<seg id="2">x < y &amp;&#39; &eacute;</seg>
</p>
</doc>
<doc docid="b.2"><seg id="1">Konec.</seg></doc>
</srcset>
"""
REFERENCES = """<!DOCTYPE mteval SYSTEM "mteval.dtd">
<REFSET SETID=tiny2013 SRCLANG='cs' TRGLANG=en>
<DOC SYSID=first DOCID=b.2><SEG ID=1>The end.</SEG></DOC>
<DOC SYSID=first DOCID=a.1>
<SEG ID=1>Title & Co.
<SEG ID=2>
x &lt; y
and more
</SEG>
</DOC>
<DOC SYSID=second DOCID=a.1><SEG ID=1>1</SEG><SEG ID=2>2</SEG></DOC>
<DOC SYSID=second DOCID=b.2><SEG ID=1>3</SEG></DOC>
</REFSET>
"""
SYSTEM = """<tstset setid="tiny2013" srclang="cs" trglang="en">
<doc sysid="online-A" docid="a.1"><seg id="1">T</seg><seg id="2"></seg></doc>
<doc sysid="online-A" docid="b.2"><seg id="1">E</seg></doc>
</tstset>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"src.sgm": SOURCE, "ref.sgm": REFERENCES, "tst.SGML": SYSTEM}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_three_files_of_several_habits(folder: Path) -> None:
    evalset = read(folder)
    assert evalset.source == ("Titulek & spol.", "x < y &' &eacute;", "Konec.")
    assert dict(evalset.references) == {
        "first": ("Title & Co.", "x < y and more", "The end."),
        "second": ("1", "2", "3"),
    }
    assert dict(evalset.systems) == {"online-A": ("T", "", "E")}
    assert evalset.document_ids() == ("a.1", "a.1", "b.2")
    assert (evalset.name, evalset.source_lang, evalset.target_lang) == ("tiny2013", "cs", "en")
    assert read([folder / name for name in ("src.sgm", "ref.sgm", "tst.SGML")]) == evalset
    assert read(folder, unescape=True).source == ("Titulek & spol.", "x < y &' é", "Konec.")


def test_liberties_have_a_warning(folder: Path) -> None:
    text = SYSTEM.replace('<seg id="1">E', "<!-- c --> lost <seg id=1>E")
    (folder / "tst.SGML").write_text(text)
    with pytest.warns(AlbeitWarning) as caught:
        read(folder)
    messages = " ".join(str(w.message) for w in caught)
    assert "ref.sgm: 1 segment without closing tag" in messages
    assert "2 segments broken over several lines" in messages
    assert "src.sgm (the source): 1 line with HTML entities" in messages
    assert "text outside segments, first at line 3, was ignored" in messages


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<seg id="1">E</seg></doc>\n</tstset>', "", "ends inside 'doc'"),
        ('sysid="online-A" docid="b.2"', 'docid="b.2"', r"tst\.SGML:3: .* no sysid"),
        ('docid="b.2"', 'docid="a.1"', r"tst\.SGML:3: document 'a\.1' .* is at .*:2 already"),
        ('<seg id="1">E</seg>', "", "document 'b.2' of system 'online-A' has no segments"),
        ("</doc>\n<doc", "\n<doc", "'doc' starts inside 'doc'"),
        ("<tstset", "<seg>x</seg><tstset", "'seg' starts outside"),
        ("</tstset>", "</refset>", "'refset' ends here, but isn't open"),
        ("</tstset>", "</doc></tstset>", "'doc' ends here, but isn't open"),
        ('docid="b.2"', 'docid="c.3"', r"tst\.SGML:3: document 'c\.3' .* is missing in the source"),
        ('<seg id="2">', '<seg id="3">', r"tst\.SGML:2: .* has segment '3', but .* has '2'"),
        (SYSTEM.split("\n")[2], "", r"tst\.SGML: system 'online-A' lacks document 'b\.2', which"),
        ('trglang="en"', 'trglang="de"', r"target_lang is 'de' here, but 'en' at .*ref\.sgm:2"),
        ('setid="tiny2013"', 'setid="tiny2014"', "name is 'tiny2014' here, but 'tiny2013'"),
    ],
)
def test_broken_files(folder: Path, old: str, new: str, message: str) -> None:
    assert old in SYSTEM
    (folder / "tst.SGML").write_text(SYSTEM.replace(old, new))
    with pytest.raises(InputError, match=message):
        read(folder)


def test_choosing_texts(folder: Path) -> None:
    (folder / "src.sgm").unlink()
    (folder / "ref.sgm").write_text(
        REFERENCES.replace("<DOC SYSID=first DOCID=b.2><SEG ID=1>The end.</SEG></DOC>", "")
    )
    evalset = read(folder, references=["second"])
    assert list(evalset.references) == ["second"]
    with pytest.raises(InputError, match=r"has no reference 'third'\. It has: first, second"):
        read(folder, references=["third"])
