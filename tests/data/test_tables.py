"""TSV and JSONL."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit.data import Document, EvalSet, read, write
from albeit.data.front import open_corpus
from albeit.errors import InputError

TSV = "doc_id\tsrc\tref\tref:B\tsys:x\nd1\tEins.\tOne.\t1\tOnes\nd2\tZwei.\tTwo.\t2\t\n"
JSONL = (
    '{"doc_id": "d1", "source": "Eins.", "references": {"ref": "One.", "B": "1"},'
    ' "systems": {"x": "Ones"}, "target_lang": "en"}\n'
    '{"doc_id": "d2", "source": "Zwei.", "systems": {"x": ""},'
    ' "references": {"B": "2", "ref": "Two."}, "name": "evalset"}\n'
)
READ = EvalSet({"ref": ("One.", "Two."), "B": ("1", "2")}, {"x": ("Ones", "")}, ("Eins.", "Zwei."))


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def check(path: Path, message: str) -> None:
    """Check that a set gives the same error as a whole and in partitions."""
    with pytest.raises(InputError, match=message) as whole:
        read(path)
    if "has no text" not in message and "'target_lang' is" not in message:
        with pytest.raises(InputError) as parts:
            list(open_corpus(path).partitions(1))
        assert str(parts.value) == str(whole.value)


@pytest.mark.parametrize(("name", "text"), [("a.tsv", TSV), ("a.jsonl", JSONL), ("a", JSONL)])
def test_what_is_read(tmp_path: Path, name: str, text: str) -> None:
    evalset = read(put(tmp_path, name, text))
    assert evalset.document_ids() == ("d1", "d2")
    assert evalset.source == READ.source
    assert (evalset.references, evalset.systems) == (READ.references, READ.systems)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"source": "Eins.", ', "", r"a\.jsonl:2: the line has source 'source', unlike line 1"),
        ('"Two."', r'"a\nb"', r"a\.jsonl:2: .* 'references' of 'ref' contains a line break"),
        ('"Two."', r'"\ud800"', r"a\.jsonl:2: .* half a surrogate pair"),
        ('{"x": ""}', '"x"', r"a\.jsonl:2: .* 'systems' is not an object"),
        ('"name": "evalset"', '"target_lang": "de"', r"'target_lang' is 'de' here, but 'en'"),
        ('"d2"', '" "', r"a\.jsonl:2: the doc_id is empty"),
        ('\n{"doc_id": "d2"', '\n\n{"doc_id": "d2"', r"a\.jsonl:2: .* Expecting value"),
        ('"name": "evalset"', '"name": ' + "[" * 100_000, r"a\.jsonl:2: .* recursion depth"),
        (None, "ref\tsys:x\na\tb\na\tb\tc\n", r"a\.tsv:3: the line has 3 cells, .* has 2"),
        (None, "doc_id\tsys:x\n\ta\n", r"a\.tsv:2: the doc_id is empty"),
        (None, "doc_id\nd\n", "has no text"),
    ],
)
def test_broken_files(tmp_path: Path, old: str | None, new: str, message: str) -> None:
    """In JSON lines, one part is replaced; a table is given as a whole."""
    assert old is None or old in JSONL
    name, text = ("a.jsonl", JSONL.replace(old, new)) if old else ("a.tsv", new)
    check(put(tmp_path, name, text), message)


def test_what_partitions_need(tmp_path: Path) -> None:
    late = '{"systems": {"a": "x"}}\n{"systems": {"a": "x"}, "target_lang": "de"}\n'
    assert read(put(tmp_path, "late.jsonl", late)).target_lang == "de"
    with pytest.raises(InputError, match="has its name or a language only further down"):
        list(open_corpus(tmp_path / "late.jsonl").partitions(1))
    with pytest.raises(InputError, match="has no translations"):
        list(open_corpus(put(tmp_path, "no.tsv", "ref:a\nx\n")).partitions(1))
    check(put(tmp_path, "a.parquet", "PAR1 but no more"), "cannot be read")


@pytest.mark.parametrize(
    ("name", "evalset", "message"),
    [
        ("a.tsv", EvalSet({}, {"x": ("b\tc",)}), r"a\.tsv:2: a table cannot hold a tab"),
        ("a.jsonl", EvalSet({}, {"x": ("a\nb",)}), r"a\.jsonl:1: .* line break"),
        ("a.sgm", EvalSet({}, {"x": ("a\nb",)}), "SGML cannot hold the line break"),
        ("a.xml", EvalSet({}, {"x": ("a\x01b",)}), r"XML cannot hold U\+0001"),
        ("folder", EvalSet({}, {"a/b": ("a",)}), "system 'a/b' cannot be the name of a file"),
        ("tree", EvalSet({"r": ("a",)}, {}), "needs two languages like en-de, not 'None-en'"),
        ("tree", EvalSet({"ref-A": ("a",)}, {}, source_lang="de"), "a reference called 'ref-A'"),
        ("tree", EvalSet({}, {"x": ("a",)}, None, (Document("a b", 0, 1),), "de"), "called 'a b'"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, name: str, evalset: EvalSet, message: str) -> None:
    with pytest.raises(InputError, match=message):
        write(evalset, tmp_path / name, "mt-metrics-eval" if name == "tree" else None)
    assert not any(path.is_file() for path in tmp_path.rglob("*"))
