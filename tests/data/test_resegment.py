from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from albeit.data import Document, EvalSet
from albeit.data.resegment import (
    LooseSet,
    LooseText,
    read_loose,
    read_loose_set,
    read_offsets,
    resegment,
    write_offsets,
)
from albeit.errors import AlbeitWarning, InputError
from albeit.report.segments import match_cut

DOC = {"doc_id": "a", "refs": {"A": "x"}}
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


def write(path: Path, *records: Mapping[str, Any] | str) -> Path:
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_json_lines_with_one_object_a_document(tmp_path: Path) -> None:
    first = {"doc_id": "a", "src_lang": "en", "tgt_lang": "de", "src_text": "1\n\n2"}
    texts_of_first = {"refs": {"A": {"ref": "Eins.\n\nZwei."}}, "tgt_text": {"t": ""}}
    second = {"doc_id": "b", "src_text": "3", "refs": {"A": "Drei."}, "tgt_text": {"t": "3"}}
    loose = read_loose_set(write(tmp_path / "wmt.jsonl", {**first, **texts_of_first}, second))
    assert loose.base.references["A"] == ("Eins.", "Zwei.", "Drei.")
    assert loose.base.source == ("1", "2", "3")
    assert (loose.base.source_lang, loose.base.target_lang) == ("en", "de")
    assert texts(loose, "t") == {"a": "", "b": "3"}


def test_a_submission_has_one_text_a_document(tmp_path: Path) -> None:
    records = {"doc_id": "b", "hypothesis": "3"}, {"doc_id": "a", "hypothesis": "1 2"}
    path = write(tmp_path / "mine.jsonl", *records)
    assert texts(read_loose(BASE, [path]), "mine") == {"a": "1 2", "b": "3"}


@pytest.mark.parametrize(
    ("records", "says"),
    [
        ([DOC, DOC], ":2: document 'a' is on line 1"),
        (["{"], ":1: is not JSON"),
        ([{"refs": {"A": "x"}}], ":1: is not an object with a doc_id"),
        ([{"doc_id": "a", "tgt_text": "x"}], "has no references"),
        ([DOC, {"doc_id": "b", "refs": {"B": "x"}}], ":2: reference 'A' is missing"),
        ([DOC | {"refs": {"A": "x\ny", "B": "x"}}], "B has 1 line of text, but reference 'A' 2"),
        ([DOC | {"refs": {"A": "\n"}}], "A has 0 lines of text"),
        ([DOC | {"refs": {"A": 3}}], "'refs' of 'A' is not a text"),
        ([DOC | {"hypothesis": "x", "tgt_text": "x"}], "has both"),
        ([DOC | {"tgt_lang": "de"}, DOC | {"doc_id": "b", "tgt_lang": "fr"}], "several languages"),
        ([DOC | {"tgt_text": {"s": "x"}}, DOC | {"doc_id": "b"}], "has no text of document 'b'"),
    ],
)
def test_broken_json_lines(tmp_path: Path, records: list[dict[str, Any]], says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_loose_set(write(tmp_path / "x.jsonl", *records))


A = ("The cat sat on the mat.", "A dog barked at it.", "Then it rained.")
B = ("A cat was sitting there.", "The hound made noise.", "Rain fell after that.")


TEXT = " ".join(A)


def loose(text: str = TEXT, references: dict[str, tuple[str, ...]] | None = None) -> LooseSet:
    base = EvalSet(references or {"A": A}, {})
    return LooseSet(base, {"sys": (LooseText(Document("all", 0, 3), text),)})


def test_each_text_is_cut_by_the_reference_it_is_nearest_to() -> None:
    made = resegment(loose(" ".join(B), {"A": A, "B": B}))
    assert made.systems["sys"][0].reference == "B"
    assert made.evalset.systems["sys"] == B
    assert set(made.evalset.references) == {"A", "B"}


def test_added_and_lost_sentences_are_told_of() -> None:
    reference = (f"{A[0]} {A[1]}", A[2], "Now it ends.")
    made = resegment(loose(f"{A[0]} Buy our soap today, friends. {A[2]}", {"A": reference}))
    added, lost = match_cut(made, made.systems["sys"][0])
    text = made.systems["sys"][0].text
    assert "Buy our soap today, friends." in [text[a:b] for _, (a, b) in added] or lost


def test_a_stranger_is_warned_of_with_the_number() -> None:
    with pytest.warns(AlbeitWarning, match=r"shares only 0% of its words"):
        made = resegment(loose("Vier ganz fremde Wörter."))
    assert len(made.evalset.systems["sys"]) == 3


def test_offsets_come_back(tmp_path: Path) -> None:
    made, path = resegment(loose()), tmp_path / "cuts.tsv"
    write_offsets(made, path)
    again = read_offsets(path, loose())
    assert again.systems == made.systems
    assert again.evalset.systems == made.evalset.systems
    with pytest.raises(InputError, match="follows offset 59"):
        read_offsets(path, loose(f"{TEXT} And more."))
    header, *rows = path.read_text().splitlines()
    path.write_text("\n".join([f"{header}\tway", *(f"{row}\tmeaning" for row in rows)]) + "\n")
    assert read_offsets(path, loose()).systems == made.systems, "as version 0.2 wrote them"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t.replace("segment", "part"), "isn't a table of offsets"),
        (lambda t: t.replace("\t0\t", "\tzero\t", 1), "cuts.tsv:2: is not a line"),
        (lambda t: t.replace("\t0\t", "\t7\t"), "leave out text"),
        (lambda t: "\n".join(t.split("\n")[:3]) + "\n", "no offsets of segment 3"),
        (lambda t: t + t.split("\n")[1] + "\n", "is on line 2 already"),
        (lambda t: t.replace("\tA\n", "\tC\n"), "no reference 'C'"),
    ],
)
def test_offsets_of_another_text(tmp_path: Path, change: Callable[[str], str], says: str) -> None:
    path = tmp_path / "cuts.tsv"
    write_offsets(resegment(loose()), path)
    path.write_text(change(path.read_text()))
    with pytest.raises(InputError, match=says):
        read_offsets(path, loose())
