"""Any bytes in: either a corpus or one AlbeitError out, from every reader."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from albeit.data import BLANK_LINES, EvalSet, build_evalset, read, read_docids, read_lines, write
from albeit.data.front import detect
from albeit.data.scores import read_score_table, read_scores
from albeit.errors import AlbeitError
from tests.data.strategies import damaged, noise

SET = EvalSet(
    {"A": ("One & two.", "Three <4>."), "B": ("", "So ‘it’ is.")},
    {"x": ("One, two.", "&quot;Three&quot;"), "y": ("1", "2")},
    ("Eins und zwei.", "Drei \r vier."),
    source_lang="de",
    name="small",
)
FRAGMENTS = {
    name: [fragment.encode("latin1") for fragment in fragments.split("|")]
    for name, fragments in {
        "sgml": "<srcset setid='a' srclang=de>|</srcset>|<refset>|</refset>|<seg id=|text|&amp;|\n|"
        "<tstset trglang=en>|</TSTSET>|<doc docid='d'>|<DOC docid=d sysid=s>|</doc>|<seg>|<hl>|"
        "<seg id=1>|</seg>",
        "xml": "<dataset>|</dataset>|<doc id='1'>|</doc>|<src lang='de'>|</src>|<ref>|</ref>|<p>|"
        "<hyp system='s'>|</hyp>|</p>|<seg id='1'>|<seg>|</seg>|text|&lt;|&x;"
        "|<!DOCTYPE dataset [|]>|<!ENTITY x 'y'>|<collection id='c'>|</collection>|<b/>|\n|"
        "<?xml version='1.0' encoding='latin1'?>",
        "tsv": "doc_id|source|ref:A|sys:x|sys:|ref|\t|\n|text|\r\n",
        "jsonl": '{|}|"doc_id":|"source":|"references":|"systems":|"x"|:|,|\n|{}|[|null|1|"\\ud800"'
        '|"\\u0000"|1e999',
        "lines": "\n|\r\n|\r|\xef\xbb\xbf|\xff\xfe|\0|a\tb|&quot;|text|\x1f\x8b",
        "scores": "x\t|1.5|None|nan|\n|\t|y\t2\n|system\t|segment\t|metric\t|score"
        "|document\t|-|1e5|1",
    }.items()
}
FRAGMENTS["any"] = [fragment for several in FRAGMENTS.values() for fragment in several]
WHOLE = {
    "any": b"<srcset>",
    "lines": b"One\tline.\nAnother &amp; line.\r\n\n",
    "scores": b"system\tsegment\tmetric\tscore\nx\t1\tbleu\t.5\nx\t2\tbleu\tNone\n",
}


def written(format: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        if format in ("sgml", "xml"):
            path = Path(folder, "file.sgm")
        write(SET, path, format)
        return path.read_bytes()


def either_or(read_it: Callable[[Path], object], data: bytes) -> None:
    """Run a reader on a file of these bytes; nothing but an AlbeitError may escape."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, "file")
        path.write_bytes(data)
        with suppress(AlbeitError):
            assert read_it(path)


def as_set(format: str) -> Callable[[Path], object]:
    def read_it(path: Path) -> EvalSet:
        evalset = read(path, format)
        texts = [*evalset.references.values(), *evalset.systems.values()]
        assert all(len(lines) == len(evalset) for lines in texts)
        assert not any("\n" in line or "\0" in line for lines in texts for line in lines)
        return evalset

    return read_it


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    **{format: (format, as_set(format)) for format in ("sgml", "xml", "tsv", "jsonl")},
    "lines": ("lines", read_lines),
    "detection": ("any", detect),
    "unescaped lines": ("lines", lambda path: read_lines(path, unescape=True)),
    "document ids": ("lines", read_docids),
    "text files": ("lines", lambda path: build_evalset([path], [f"b={path}"], docs=path)),
    "blank lines": ("lines", lambda path: build_evalset([path], [path], docs=BLANK_LINES)),
    "score file": ("scores", lambda path: read_scores(path, level="segment")),
    "score table": ("scores", read_score_table),
    "score table of a set": ("scores", lambda path: read_score_table(path, SET)),
}


@pytest.mark.parametrize("reader", sorted(READERS))
@settings(max_examples=60)
@given(drawn=st.data())
def test_bytes_in_corpus_or_error_out(reader: str, drawn: st.DataObject) -> None:
    kind, read_it = READERS[reader]
    whole = WHOLE.get(kind) or written(kind)
    either_or(read_it, drawn.draw(st.one_of(noise(FRAGMENTS[kind]), damaged(whole))))


FOLDERS = {
    "folder": "src.txt ref.txt ref_ref.txt systems/a.txt systems/a.txt.gz docids.txt",
    "mt-metrics-eval": "sources/de-en.txt references/de-en.A.txt documents/de-en.docs"
    " system-outputs/de-en/a.txt system-outputs/de-fr/a.txt",
    "sgml": "src.sgm b.sgml.gz",
    "xml": "a.xml .b.xml",
}


@pytest.mark.parametrize("format", FOLDERS)
@settings(max_examples=40)
@given(data=st.data())
def test_folders(format: str, data: st.DataObject) -> None:
    fragments = FRAGMENTS.get(format, FRAGMENTS["lines"])
    content = st.one_of(st.just(b"a\tb\nc\td\n"), noise(fragments))
    drawn = data.draw(
        st.dictionaries(st.sampled_from(FOLDERS[format].split()), content, min_size=1)
    )
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content_of in drawn.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_bytes(content_of)
        with suppress(AlbeitError):
            assert len(read(folder, format)) > 0
        with suppress(AlbeitError):
            assert len(read(folder)) > 0


@settings(max_examples=60)
@example("x" * 5000)
@example("a\0b")
@given(path=st.text(max_size=300))
def test_any_path(path: str) -> None:
    if path == "-":
        return
    with pytest.raises(AlbeitError):
        read("/nowhere/" + path)
    with pytest.raises(AlbeitError):
        read_lines("/nowhere/" + path)
