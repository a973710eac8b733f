from __future__ import annotations

from pathlib import Path

import pytest

from albeit.data import EvalSet, folders, read, write
from albeit.data.evalset import Document
from albeit.errors import InputError

SET = EvalSet(
    {"refA": ("One.", "Two.", "Three.")},
    {"x": ("1", "2", "3"), "refA": ("One.", "Two.", "Three.")},
    ("Eins.", "Zwei.", "Drei."),
    (Document("d1", 0, 2), Document("d2", 2, 3)),
    source_lang="de",
    name="tiny22",
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(SET, tmp_path / "tiny22", "mt-metrics-eval")
    return tmp_path / "tiny22"


def test_what_is_written(tree: Path) -> None:
    files = {str(p.relative_to(tree)) for p in tree.rglob("*") if p.is_file()}
    assert files == {
        "sources/de-en.txt",
        "references/de-en.refA.txt",
        "system-outputs/de-en/x.txt",
        "system-outputs/de-en/refA.txt",
        "documents/de-en.docs",
    }
    assert (tree / "documents/de-en.docs").read_text() == "all\td1\nall\td1\nall\td2\n"
    assert read(tree) == SET


def test_two_language_pairs(tree: Path) -> None:
    write(SET.relabel(source_lang="cs"), tree, "mt-metrics-eval")
    assert folders.language_pairs(tree) == ("cs-en", "de-en")
    with pytest.raises(InputError, match=r"has 2 language pairs\. Choose one: cs-en, de-en"):
        read(tree)
    assert read(tree, language_pair="de-en") == SET
    assert read(tree / "cs-en") == SET.relabel(source_lang="cs")
    with pytest.raises(InputError, match="has no language pair 'fr-en'"):
        read(tree, language_pair="fr-en")


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("documents/de-en.docs", "news d1\nnews d1\n", r"de-en\.docs:3: has 2 lines, but .* 3"),
        ("documents/de-en.docs", "news d1\nd1\n", r"de-en\.docs:2: the line is not a domain and"),
        ("documents/de-en.docs", "n d1\nn d2\nn d1\n", r"de-en\.docs:3: document 'd1' starts ag"),
        ("system-outputs/de-en/x.txt", "1\n", r"x\.txt:2: has 1 line, but .*refA\.txt has 3"),
    ],
)
def test_broken_trees(tree: Path, file: str, text: str, message: str) -> None:
    (tree / file).write_text(text)
    with pytest.raises(InputError, match=message):
        read(tree)


@pytest.mark.parametrize(
    ("evalset", "message"),
    [
        (EvalSet({"r": ("a",)}, {}), "needs two languages like en-de, not 'None-en'"),
        (EvalSet({}, {"x": ("a",)}), "needs two languages"),
        (EvalSet({"ref-A": ("a",)}, {}, source_lang="de"), "a reference called 'ref-A'"),
        (EvalSet({}, {"x": ("a",)}, None, (Document("a b", 0, 1),), "de"), "domain called 'a b'"),
    ],
)
def test_what_the_tree_cannot_hold(tmp_path: Path, evalset: EvalSet, message: str) -> None:
    with pytest.raises(InputError, match=message):
        write(evalset, tmp_path, "mt-metrics-eval")
