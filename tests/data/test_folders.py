"""Test sets in folders: text files, and trees of mt-metrics-eval."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit.data import BLANK_LINES, EvalSet, folders, read, write, write_lines
from albeit.data.evalset import Document
from albeit.errors import InputError

LINES, NUMBERS, SOURCE = ("One.", "Two.", "Three."), ("1", "2", "3"), ("Eins.", "Zwei.", "Drei.")
IDS = (Document("d1", 0, 2), Document("d2", 2, 3))
SET = EvalSet({"refA": LINES}, {"x": NUMBERS, "refA": LINES}, SOURCE, IDS, "de", name="tiny22")


def make(folder: Path, **texts: str) -> Path:
    for name, lines in texts.items():
        path = name.replace("__", "/")
        write_lines(lines.split(), folder / (path if "." in path else f"{path}.txt"))
    return folder


def test_names_languages_and_documents(tmp_path: Path) -> None:
    texts = {"src": "a b", "ref_ref": "c d", "ref_refB": "e f", "refC": "g h", "systems__x": "i j"}
    folder = make(tmp_path / "set" / "cs-en", **texts)
    write_lines(["d1\t1", "d2\t1"], folder / "docids.txt")
    (folder / "systems" / "._x.txt").write_bytes(b"\xff")
    (folder / "judgments.csv").write_text("1,2\n")
    evalset = read(folder)
    assert list(evalset.references) == ["refC", "ref", "refB"]
    assert (evalset.name, evalset.source_lang, evalset.target_lang) == ("set", "cs", "en")
    assert evalset.document_ids() == ("d1", "d2")
    assert dict(evalset.systems) == {"x": ("i", "j")}


def test_a_folder_that_is_not_a_language_pair(tmp_path: Path) -> None:
    evalset = read(make(tmp_path / "new-run", ref="a", systems__x="b"), target_lang="de")
    assert (evalset.name, evalset.source_lang, evalset.target_lang) == ("new-run", None, "de")
    assert not evalset.has_documents


def test_other_document_boundaries(tmp_path: Path) -> None:
    for name in ("ref", "systems/x"):
        write_lines(["a", "", "b"], tmp_path / f"{name}.txt")
    assert read(tmp_path, docs=BLANK_LINES).document_ids() == ("1", "2")
    write_lines(["p", "q", "q"], tmp_path / "ids")
    assert read(tmp_path, docs=tmp_path / "ids").document_ids() == ("p", "q", "q")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"ref": "a", "ref_ref": "b"}, "there is a reference 'ref' already"),
        ({"ref": "a", "systems__x": "b", "systems__x.txt.gz": "b"}, r"twice, also as x\.txt"),
        ({"systems__x__y": "a"}, "has no test set"),
    ],
)
def test_broken_folders(tmp_path: Path, texts: dict[str, str], message: str) -> None:
    make(tmp_path, **texts)
    with pytest.raises(InputError, match=message):
        read(tmp_path)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(SET, tmp_path / "tiny22", "mt-metrics-eval")
    return tmp_path / "tiny22"


def test_a_written_tree(tree: Path) -> None:
    files = {str(p.relative_to(tree)) for p in tree.rglob("*") if p.is_file()}
    systems = {f"system-outputs/de-en/{name}.txt" for name in ("x", "refA")}
    texts = {"sources/de-en.txt", "references/de-en.refA.txt", "documents/de-en.docs"}
    assert files == systems | texts
    assert (tree / "documents/de-en.docs").read_text() == "all\td1\nall\td1\nall\td2\n"
    assert read(tree) == SET


def test_two_language_pairs(tree: Path) -> None:
    write(SET.relabel(source_lang="cs"), tree, "mt-metrics-eval")
    assert folders.language_pairs(tree) == ("cs-en", "de-en")
    with pytest.raises(InputError, match=r"has 2 language pairs\. Choose one: cs-en, de-en"):
        read(tree)
    assert read(tree, language_pair="de-en") == SET
    assert read(tree / "cs-en") == SET.relabel(source_lang="cs")


def test_broken_trees(tree: Path) -> None:
    for text, message in (
        ("news d1\nnews d1\n", r"de-en\.docs:3: has 2 lines, but .* 3"),
        ("news d1\nd1\n", r"de-en\.docs:2: the line is not a domain and"),
    ):
        (tree / "documents/de-en.docs").write_text(text)
        with pytest.raises(InputError, match=message):
            read(tree)
