from __future__ import annotations

from pathlib import Path

import pytest

from albeit.data import BLANK_LINES, read, write_lines
from albeit.errors import InputError


def make(folder: Path, **texts: list[str]) -> Path:
    for name, lines in texts.items():
        write_lines(lines, folder / (name.replace("__", "/") + ".txt"))
    return folder


def test_names_languages_and_documents(tmp_path: Path) -> None:
    folder = make(
        tmp_path / "set" / "cs-en",
        src=["a", "b"],
        ref_ref=["c", "d"],
        ref_refB=["e", "f"],
        refC=["g", "h"],
        systems__x=["i", ""],
        docids=["d1\t1", "d2\t1"],
    )
    evalset = read(folder)
    assert list(evalset.references) == ["refC", "ref", "refB"]
    assert (evalset.name, evalset.source_lang, evalset.target_lang) == ("set", "cs", "en")
    assert evalset.document_ids() == ("d1", "d2")
    assert evalset.systems["x"] == ("i", "")


def test_folder_that_is_no_language_pair(tmp_path: Path) -> None:
    evalset = read(make(tmp_path / "new-run", ref=["a"], systems__x=["b"]), target_lang="de")
    assert (evalset.name, evalset.source_lang, evalset.target_lang) == ("new-run", None, "de")
    assert not evalset.has_documents


def test_other_document_boundaries(tmp_path: Path) -> None:
    folder = make(tmp_path, ref=["a", "", "b"], systems__x=["c", "", "d"])
    assert read(folder, docs=BLANK_LINES).document_ids() == ("1", "2")
    write_lines(["p", "q", "q"], tmp_path / "ids")
    assert read(folder, docs=tmp_path / "ids").document_ids() == ("p", "q", "q")


def test_errors_name_the_file(tmp_path: Path) -> None:
    folder = make(tmp_path / "a", ref=["a", "b"], systems__x=["c"])
    with pytest.raises(InputError, match=r"systems/x\.txt:2: has 1 line, but .*ref\.txt has 2"):
        read(folder)
    folder = make(tmp_path / "b", ref=["a"], ref_ref=["b"])
    with pytest.raises(InputError, match="there is a reference 'ref' already"):
        read(folder)
    folder = make(tmp_path / "c", ref=["a"], systems__x=["b"])
    write_lines(["b"], folder / "systems" / "x.txt.gz")
    with pytest.raises(InputError, match=r"is there twice, also as x\.txt"):
        read(folder)
    (tmp_path / "d" / "systems").mkdir(parents=True)
    with pytest.raises(InputError, match="holds no test set"):
        read(tmp_path / "d")


def test_hidden_and_other_files_are_not_texts(tmp_path: Path) -> None:
    folder = make(tmp_path, ref=["a"], systems__x=["b"])
    (folder / "systems" / "._x.txt").write_bytes(b"\xff")
    (folder / "judgments.csv").write_text("1,2\n")
    assert list(read(folder).systems) == ["x"]
