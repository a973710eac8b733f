from __future__ import annotations

import json
from pathlib import Path

import pytest

from albeit.data import Document, EvalSet
from albeit.data.resegment import LooseSet, read_loose, read_loose_set
from albeit.errors import InputError

A = {"doc_id": "a", "refs": {"A": "x"}}
BASE = EvalSet(
    {"ref": ("One.", "Two.", "Three.")}, {}, documents=(Document("a", 0, 2), Document("b", 2, 3))
)


def texts(loose: LooseSet, name: str) -> dict[str, str]:
    return {text.document.id: text.text for text in loose.systems[name]}


def test_a_folder_with_one_file_a_document(tmp_path: Path) -> None:
    (tmp_path / "sys").mkdir()
    (tmp_path / "sys" / "a.txt").write_text("One and\ntwo.\n")
    (tmp_path / "sys" / "b.txt").write_text("")
    assert texts(read_loose(BASE, [tmp_path / "sys"]), "sys") == {"a": "One and\ntwo.", "b": ""}
    (tmp_path / "sys" / "c.txt").write_text("More.")
    with pytest.raises(InputError, match="'c' is not in the test set"):
        read_loose(BASE, [tmp_path / "sys"])
    (tmp_path / "sys" / "a.txt").unlink()
    with pytest.raises(InputError, match="has no text of document 'a'"):
        read_loose(BASE, [tmp_path / "sys"])


def test_blocks_between_empty_lines_are_documents_where_there_are_as_many(tmp_path: Path) -> None:
    path = tmp_path / "sys.txt"
    path.write_text("One and two.\n\nThree.\n")
    assert texts(read_loose(BASE, [path]), "sys") == {"a": "One and two.", "b": "Three."}
    path.write_text("One.\n\nTwo.\n\nThree.\n")
    assert texts(read_loose(BASE, [f"x={path}"]), "x") == {"all": "One.\n\nTwo.\n\nThree."}


def write(path: Path, *records: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_json_lines_with_one_object_a_document(tmp_path: Path) -> None:
    path = write(
        tmp_path / "wmt.jsonl",
        {
            "doc_id": "a",
            "src_lang": "en",
            "tgt_lang": "de",
            "src_text": "1\n\n2",
            "refs": {"A": {"ref": "Eins.\n\nZwei."}},
            "tgt_text": {"s": "Eins, zwei.", "t": ""},
        },
        {
            "doc_id": "b",
            "src_text": "3",
            "refs": {"A": "Drei."},
            "tgt_text": {"s": "Drei.", "t": "3"},
        },
    )
    loose = read_loose_set(path)
    assert loose.base.references["A"] == ("Eins.", "Zwei.", "Drei.")
    assert loose.base.source == ("1", "2", "3")
    assert (loose.base.source_lang, loose.base.target_lang) == ("en", "de")
    assert texts(loose, "t") == {"a": "", "b": "3"}


def test_a_submission_has_one_text_a_document(tmp_path: Path) -> None:
    path = write(
        tmp_path / "mine.jsonl",
        {"doc_id": "b", "hypothesis": "3"},
        {"doc_id": "a", "hypothesis": "1 2"},
    )
    assert texts(read_loose(BASE, [path]), "mine") == {"a": "1 2", "b": "3"}


@pytest.mark.parametrize(
    ("records", "says"),
    [
        (
            [{"doc_id": "a", "refs": {"A": "x"}}, {"doc_id": "a", "refs": {"A": "x"}}],
            ":2: document 'a' is on line 1",
        ),
        ([{"refs": {"A": "x"}}], ":1: is not an object with a doc_id"),
        ([{"doc_id": "a", "tgt_text": "x"}], "has no references"),
        (
            [{"doc_id": "a", "refs": {"A": "x"}}, {"doc_id": "b", "refs": {"B": "x"}}],
            ":2: reference 'A' is missing",
        ),
        (
            [{"doc_id": "a", "refs": {"A": "x\ny", "B": "x"}}],
            "B has 1 line of text, but reference 'A' 2",
        ),
        ([{"doc_id": "a", "refs": {"A": "\n"}}], "A has 0 lines of text"),
        ([{"doc_id": "a", "refs": {"A": 3}}], "'refs' of 'A' is not a text"),
        ([{"doc_id": "a", "refs": {"A": "x"}, "hypothesis": "x", "tgt_text": "x"}], "has both"),
        ([A | {"tgt_lang": "de"}, A | {"doc_id": "b", "tgt_lang": "fr"}], "several languages"),
        ([A | {"tgt_text": {"s": "x"}}, A | {"doc_id": "b"}], "has no text of document 'b'"),
    ],
)
def test_what_is_wrong_in_json_lines(
    tmp_path: Path, records: list[dict[str, object]], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        read_loose_set(write(tmp_path / "x.jsonl", *records))


def test_no_json(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("{")
    with pytest.raises(InputError, match=":1: is not JSON"):
        read_loose_set(tmp_path / "x.jsonl")
