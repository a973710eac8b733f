from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from albeit.data import BLANK_LINES, EvalSet, build_evalset, read_docids
from albeit.data.build import add_systems, language_pair, name_of, read_pairs
from albeit.errors import AlbeitWarning, InputError


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "ref.txt": "One.\nTwo.\nThree.\n",
        "ref2.txt": "1.\n2.\n3.\n",
        "a.txt": "Ones.\n\nThrees.\n",
        "b.txt": "x\ny\nz\n",
        "src.txt": "Eins.\nZwei.\nDrei.\n",
        "docids.txt": "d1\t1\tde\nd1\t2\tde\nd2\t1\tde\n",
        "short.txt": "x\ny\n",
        "long.txt": "x\ny\nz\nw\n",
    }.items():
        Path(name).write_text(text)
    return tmp_path


@pytest.mark.usefixtures("files")
def test_everything_at_once() -> None:
    evalset = build_evalset(
        ["ref.txt", "second=ref2.txt"],
        ["b.txt", "mine=a.txt"],
        source="src.txt",
        docs="docids.txt",
        source_lang="de",
        name="tiny",
    )
    assert list(evalset.references) == ["ref", "second"]
    assert dict(evalset.systems) == {"b": ("x", "y", "z"), "mine": ("Ones.", "", "Threes.")}
    assert evalset.source == ("Eins.", "Zwei.", "Drei.")
    assert [(d.id, len(d)) for d in evalset.documents] == [("d1", 2), ("d2", 1)]
    assert evalset.has_documents
    assert (evalset.name, evalset.source_lang, evalset.target_lang) == ("tiny", "de", "en")


@pytest.mark.usefixtures("files")
def test_unequal_lengths_name_both_files_and_the_line() -> None:
    with pytest.raises(
        InputError, match=r"short\.txt:3: has 2 lines, but ref\.txt has 3: line 3 .* missing"
    ):
        build_evalset(["ref.txt"], ["a.txt", "short.txt"])
    with pytest.raises(InputError, match=r"long\.txt:4: has 4 lines, but ref\.txt has 3: line 4"):
        build_evalset(["ref.txt"], ["long.txt"])


@pytest.mark.usefixtures("files")
def test_two_systems_of_one_name() -> None:
    Path("other").mkdir()
    Path("other/a.txt").write_text("1\n2\n3\n")
    with pytest.raises(
        InputError, match=r"other/a\.txt: there is a system 'a' already, from a\.txt.* NAME=FILE"
    ):
        build_evalset(["ref.txt"], ["a.txt", "other/a.txt"])
    assert list(build_evalset(["ref.txt"], ["a.txt", "o=other/a.txt"]).systems) == ["a", "o"]


@pytest.mark.usefixtures("files")
def test_standard_input_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"p\nq\nr\n")))
    assert build_evalset(["ref.txt"], ["-"]).systems["stdin"] == ("p", "q", "r")
    with pytest.raises(InputError, match="standard input is named more than once"):
        build_evalset(["-"], ["x=-"])


@pytest.mark.usefixtures("files")
def test_file_with_an_equals_sign_is_a_file() -> None:
    Path("beam=5.txt").write_text("1\n2\n3\n")
    assert list(build_evalset(["ref.txt"], ["beam=5.txt", "y=b.txt"]).systems) == ["beam=5", "y"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.txt", "a"),
        ("x/a.b.txt.gz", "a.b"),
        ("uedin.2884", "uedin.2884"),
        ("-", "stdin"),
        ("Its-LATL.2652.txt", "Its-LATL.2652"),
        ("hyp.en", "hyp"),
        (".txt", ".txt"),
    ],
)
def test_names(path: str, name: str) -> None:
    assert name_of(path) == name


def test_language_pairs() -> None:
    assert language_pair("cs-en") == ("cs", "en")
    assert language_pair("en-zh_TW") == ("en", "zh")
    assert language_pair("newstest") is None
    assert language_pair("xx-en") is None


@pytest.mark.usefixtures("files")
def test_document_ids() -> None:
    assert read_docids("docids.txt") == ("d1", "d1", "d2")
    with pytest.raises(InputError, match=r"docids\.txt:4: has 3 lines, but long\.txt has 4"):
        build_evalset(["long.txt"], [], docs="docids.txt")
    Path("empty.txt").write_text("d\n\td\nd\n")
    with pytest.raises(InputError, match=r"empty\.txt:2: the line has no document id"):
        read_docids("empty.txt")


@pytest.mark.usefixtures("files")
def test_torn_document() -> None:
    Path("torn.txt").write_text("d1\nd2\nd1\n")
    with pytest.raises(InputError, match=r"torn\.txt:3: document 'd1' starts again"):
        build_evalset(["ref.txt"], ["a.txt"], docs="torn.txt")


def test_one_document_for_want_of_blank_lines_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n", encoding="utf-8")
    with pytest.warns(AlbeitWarning, match="all 2 segments are one document"):
        assert len(build_evalset([path], [path], docs=BLANK_LINES).documents) == 1


def test_blank_lines_cut_documents(tmp_path: Path) -> None:
    ref, hyp, bad = tmp_path / "ref", tmp_path / "hyp", tmp_path / "bad"
    ref.write_text("a\nb\n\n \nc\n\n")
    hyp.write_text("x\n\n\n\nz\n\n")
    bad.write_text("x\ny\n!\n\nz\n\n")
    evalset = build_evalset([ref], [hyp], source=ref, docs=BLANK_LINES)
    assert evalset.references["ref"] == ("a", "b", "c")
    assert evalset.source == ("a", "b", "c")
    assert evalset.systems["hyp"] == ("x", "", "z")
    assert evalset.document_ids() == ("1", "1", "2")
    with pytest.raises(InputError, match=r"bad:3: the line is not empty, but ends a document in"):
        build_evalset([ref], [hyp, bad], docs=BLANK_LINES)
    ref.write_text("\n\n")
    with pytest.raises(InputError, match="no lines with text"):
        build_evalset([ref], [], docs=BLANK_LINES)


def test_nothing_given() -> None:
    with pytest.raises(InputError, match="holds no text"):
        build_evalset([], [])
    with pytest.raises(InputError):
        build_evalset([], [], docs=BLANK_LINES)


def test_pairs_with_lost_characters_are_left_out_and_told_of(tmp_path: Path) -> None:
    one, two = tmp_path / "a.en", tmp_path / "a.fr"
    one.write_text("yes\nno\n", encoding="utf-8")
    two.write_text("oui\nn\ufffdn\n", encoding="utf-8")
    with pytest.warns(AlbeitWarning, match=r"a\.fr: 1 sentence pair with U\+FFFD ignored"):
        assert read_pairs(str(one), str(two)) == [("yes", "oui")]


def test_a_system_next_to_a_test_set_must_have_its_length(tmp_path: Path) -> None:
    evalset = EvalSet({"ref": ("a", "b")}, {"own": ("c", "d")})
    (tmp_path / "x.txt").write_text("1\n2\n3\n")
    with pytest.raises(InputError, match=r"x\.txt:3: has 3 lines, but test set 'evalset' has 2"):
        add_systems(evalset, [tmp_path / "x.txt"])
    (tmp_path / "x.txt").write_text("1\n2\n")
    assert list(add_systems(evalset, [tmp_path / "x.txt"]).systems) == ["x", "own"]
    with pytest.raises(InputError, match="there is a system 'own' already, from the test set"):
        add_systems(evalset, [f"own={tmp_path / 'x.txt'}"])
